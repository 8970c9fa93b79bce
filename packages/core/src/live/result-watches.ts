import type { RecordTest } from '../execute/record-test.ts'
import type { SelectionPort } from '../query/selection-port.ts'
import type { Table } from '../storage/table.ts'
import { type Anchor, type AnchorKey, endOf, narrowest, windowOf } from './live-anchor.ts'
import { LiveCommit } from './live-commit.ts'
import type { Watch } from './live-dispatch.ts'
import type { LiveSource } from './live-source.ts'
import { watchesOf } from './live-watches.ts'

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
