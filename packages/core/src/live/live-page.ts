import { sortSlots } from '../execute/ordering.ts'
import type { RecordTest } from '../execute/record-test.ts'
import { mergeOrdered } from '../query/past-page.ts'
import type { SelectionPort } from '../query/selection-port.ts'
import type { Table } from '../storage/table.ts'
import { type Anchor, type AnchorKey, endOf, narrowest, windowOf } from './live-anchor.ts'
import { LiveCommit } from './live-commit.ts'
import { type LiveSource, runSource } from './live-source.ts'
import { type Watch, watchesOf } from './live-watches.ts'

/**
 * The largest end of a page for which all records before it are kept. Later pages run their query
 * again.
 */
const MAX_KEPT_END = 256
/** Number of records kept after the end, which move up when others leave the page. */
const SPARE = 8

type Page = NonNullable<LiveSource['page']>

/**
 * The records of a live page. If each record can be tested by itself, the page keeps all records
 * from the first of the order to some after its end. A record that enters, leaves or moves changes
 * its place among them. The query runs again when too few are left.
 */
export class LivePage {
  readonly #port: SelectionPort
  readonly #source: LiveSource
  readonly #table: Table
  readonly #page: Page
  /** Null if records cannot be tested by themselves. */
  readonly #test: RecordTest | null
  /** The query that finds the kept records. */
  readonly #wanted: Page
  /** The kept records, in order. */
  #known: Int32Array = new Int32Array(0)
  /** True if the query selects no other records. */
  #isWhole = false

  constructor(port: SelectionPort, source: LiveSource, page: Page, test: RecordTest | null) {
    this.#port = port
    this.#source = source
    this.#table = port.database.tableOf(source.dataClass)
    this.#page = page
    this.#test = test
    const end = page.skip + page.top
    const isKept = test !== null && page.top > 0 && end <= MAX_KEPT_END
    this.#wanted = isKept ? { skip: 0, top: end + SPARE } : page
  }

  /** The records of the page, in order. */
  get slots(): Int32Array {
    const from = this.#page.skip - this.#wanted.skip
    return this.#known.slice(from, from + this.#page.top)
  }
  /**
   * The last kept record, after which all other selected records come; -1 if there are no others.
   */
  get last(): number {
    return this.#isWhole || this.#known.length === 0 ? -1 : this.#known[this.#known.length - 1]
  }

  /** Cost: that of the query. */
  run(): void {
    this.#known = runSource(this.#port, { ...this.#source, page: this.#wanted }).slice()
    this.#isWhole = this.#known.length < this.#wanted.top
  }

  /**
   * Applies a commit in which some records may have entered, left or moved; false if the query has
   * to run instead. Cost: one test for each record, and O(kept records) if one of them matters.
   */
  apply(commit: LiveCommit, moved: readonly number[]): boolean {
    const test = this.#test
    if (this.#page.top === 0 || moved.length === 0) return true
    if (test === null) return false
    const known = new Set(this.#known)
    const coming: number[] = []
    let isLess = false
    for (const slot of moved) {
      const now = commit.now(this.#table, slot)
      if (now !== null && test(now)) coming.push(slot)
      if (known.delete(slot)) isLess = true
    }
    if (coming.length === 0 && !isLess)
      return this.#wanted !== this.#page || !this.#wereAny(commit, moved, test)
    return this.#wanted !== this.#page && this.#place([...known], coming)
  }

  /** True if a record before the page may have left. */
  #wereAny(commit: LiveCommit, moved: readonly number[], test: RecordTest): boolean {
    return moved.some((slot) => {
      const before = commit.before(this.#table, slot)
      return before !== null && test(before)
    })
  }

  #place(staying: readonly number[], coming: readonly number[]): boolean {
    if (!this.#isWhole && staying.length === 0) return false
    const { database } = this.#port
    const orderBy = this.#source.orderBy ?? []
    let ordered = mergeOrdered(
      database,
      this.#table,
      orderBy,
      Int32Array.from(staying),
      sortSlots(database, this.#table, Int32Array.from(coming), orderBy),
      null,
    )
    if (!this.#isWhole) {
      // Unknown records may come before one that sorts after all kept ones.
      const end = ordered.lastIndexOf(staying[staying.length - 1]) + 1
      if (end < this.#page.skip + this.#page.top) return false
      ordered = ordered.slice(0, end)
    }
    if (ordered.length > this.#wanted.top) {
      ordered = ordered.slice(0, this.#wanted.top)
      this.#isWhole = false
    }
    this.#known = ordered
    return true
  }
}

/**
 * The watches of a live result: which changed records may affect it. Records after the last kept
 * one do not matter to a page, so the first term of its order may exclude them.
 */
export class ResultWatches {
  /**
   * The records whose changes may affect the result; null if any change may. A new array after
   * every change.
   */
  current: readonly Watch[] | null
  readonly #port: SelectionPort
  readonly #table: Table
  readonly #source: LiveSource
  /** Watches that do not depend on the current records of a page. */
  readonly #always: readonly Watch[] | null
  /** The value of the last record of a full page in the first term of its order. */
  #end: AnchorKey | null | undefined = undefined

  constructor(port: SelectionPort, table: Table, source: LiveSource) {
    const { dataClass, predicate, orderBy, page } = source
    this.#port = port
    this.#table = table
    this.#source = source
    const pageOrder = page === null ? null : orderBy
    // What an order leads to may depend on what can be seen, which may depend on anything.
    const isOpen =
      port.scope.restrictsRows && pageOrder?.some(({ steps }) => steps.length > 0) === true
    this.#always = isOpen
      ? null
      : watchesOf(port.database.whole, port.planner.counts, dataClass, predicate, pageOrder)
    this.current = this.#always
  }

  /** The test of a record of the query's own dataclass; null if records cannot be tested. */
  get test(): RecordTest | null {
    return this.#always?.[0].test ?? null
  }
  /** The columns of that dataclass that matter; null for all. */
  get columns(): ReadonlySet<number> | null {
    return this.#always?.[0].columns ?? null
  }

  /** Narrows the watches of a page to the records up to its last kept one; -1 if it is not full. */
  endAt(lastSlot: number): void {
    const { orderBy, predicate } = this.#source
    const always = this.#always
    if (this.test === null || always === null || orderBy === null) return
    const { whole } = this.#port.database
    const last =
      lastSlot < 0 ? null : new LiveCommit(whole, () => new Map()).now(this.#table, lastSlot)
    const [first] = orderBy
    const end = last === null ? undefined : endOf(first, last)
    if (end === this.#end) return
    this.#end = end
    const window = end === undefined ? null : windowOf(first, end, predicate)
    this.current = window === null ? always : this.#narrowed(always, window, first.steps.length)
  }

  #narrowed(always: readonly Watch[], window: readonly Anchor[], length: number): readonly Watch[] {
    const { anchors } = always[0]
    const best = anchors === null ? window : narrowest([anchors, window], this.#port.planner.counts)
    let steps = 0
    return always.map((watch, at) => {
      if (at === 0) return { ...watch, anchors: best }
      // The watches of the first term are the first ones without a condition.
      if (watch.use !== 'order' || steps === length) return watch
      steps++
      const from = steps
      return {
        ...watch,
        anchors: window.map((anchor) => ({ ...anchor, steps: anchor.steps.slice(from) })),
      }
    })
  }
}
