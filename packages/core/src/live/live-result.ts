import type { Database } from '../execute/database.ts'
import type { RecordTest } from '../execute/record-test.ts'
import { sortSlots } from '../execute/sort.ts'
import type { AnyEntity } from '../model/entity-types.ts'
import type { LiveDelta, LiveWork } from '../model/live-types.ts'
import { keysOf } from '../selection/member-keys.ts'
import type { SelectionPort } from '../selection/selection-port.ts'
import { setBit, wordsFor } from '../storage/bitset.ts'
import {
  compactSet,
  contains,
  denseSet,
  EMPTY_SET,
  type RecordSet,
  slotsOf,
  sparseSet,
} from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import { type Anchor, type AnchorKey, endOf, narrowest, windowOf } from './live-anchor.ts'
import { changeOfResult, type Standing, type Touched } from './live-change.ts'
import { LiveCommit } from './live-commit.ts'
import type { Watch } from './live-dispatch.ts'
import { LivePage } from './live-page.ts'
import { runSource } from './live-run.ts'
import type { LiveSource } from './live-source.ts'
import { watchesOf } from './live-watches.ts'

type Key = string | number

/** How one commit may affect a result. */
export interface Concern {
  /**
   * Saved records of the query's own dataclass that may be in the result or may have been, each
   * once.
   */
  readonly saved: number[]
  /** Records that may be affected through a relation; null if there are none. */
  moved: Set<number> | null
  /** True if it is unknown which records these are. */
  isMoved: boolean
}

const NONE: readonly never[] = Object.freeze([])

/** Commits that could not be evaluated: the state before the first of them. */
interface Pending {
  readonly touched: Map<number, Key | null>
  /** For an incremental result: whether a record was in it. */
  readonly was: Map<number, boolean>
}

/**
 * The result of a live query. If records can be tested one by one, with what their to-one relations
 * lead to, each is tested as it was before a commit and as it is, and no result is kept. A page
 * keeps its records and applies changes before its end. Every other query keeps its records and
 * runs again.
 */
export class LiveResult {
  readonly table: Table
  readonly plan: 'incremental' | 'recompute'
  /**
   * The records whose changes may affect the result; null if any change may. A new array after
   * every change.
   */
  watches: readonly Watch[] | null
  readonly #port: SelectionPort
  readonly #source: LiveSource
  readonly #undisturbed: <R>(body: () => R) => R
  readonly #test: RecordTest | null
  /** Watches that do not depend on the current records of a page. */
  readonly #always: readonly Watch[] | null
  #members: RecordSet = EMPTY_SET
  readonly #page: LivePage | null
  /** The keys of a page, in order. */
  #order: readonly Key[] = []
  /** The value of the last record of a full page in the first term of its order. */
  #end: AnchorKey | null | undefined = undefined
  #pending: Pending | null = null
  #evaluated = 0
  #runs = 0

  constructor(port: SelectionPort, source: LiveSource, undisturbed: <R>(body: () => R) => R) {
    const { dataClass, predicate, orderBy, page } = source
    this.table = port.database.tableOf(dataClass)
    this.#port = port
    this.#source = source
    this.#undisturbed = undisturbed
    const pageOrder = page === null ? null : orderBy
    // What an order leads to may depend on what can be seen, which may depend on anything.
    const isOpen =
      port.scope.restrictsRows && pageOrder?.some(({ steps }) => steps.length > 0) === true
    this.#always = isOpen
      ? null
      : watchesOf(port.database.whole, port.planner.statistics, dataClass, predicate, pageOrder)
    this.watches = this.#always
    this.#test = this.#always?.[0].test ?? null
    this.#page = page === null ? null : new LivePage(port, source, page, this.#test)
    this.plan = page === null && this.#test !== null ? 'incremental' : 'recompute'
  }

  get database(): Database {
    return this.#port.database.whole
  }
  get work(): LiveWork {
    return { judged: this.#evaluated, runs: this.#runs }
  }
  get globalStamp(): number {
    return this.#port.moment.globalStamp
  }
  /** True if records can be tested one by one. */
  get isTested(): boolean {
    return this.#test !== null
  }
  /** True if the last commits could not be evaluated: the next evaluation includes them. */
  get isBehind(): boolean {
    return this.#pending !== null
  }

  /** Runs the query, stores its result, and returns its records in order. */
  run(): Int32Array {
    return this.#undisturbed(() => this.#find())
  }

  /**
   * The delta of a commit; null if the result did not change. Cost: O(records that may affect it),
   * or that of the query.
   */
  evaluate(commit: LiveCommit, concern: Concern): LiveDelta | null {
    const earlier = this.#pending
    const { touched } = commit.changeOf(this.table)
    const saved: Touched = earlier === null ? touched : new Map([...touched, ...earlier.touched])
    return this.#undisturbed(() =>
      this.plan === 'incremental'
        ? this.#testRecords(commit, concern, saved, earlier)
        : this.#compareResults(commit, concern, saved, earlier),
    )
  }

  #testRecords(
    commit: LiveCommit,
    concern: Concern,
    saved: Touched,
    earlier: Pending | null,
  ): LiveDelta | null {
    const standings = this.#standings(commit, concern, earlier?.was ?? null)
    try {
      const change = this.#deltaOf(standings, saved, null)
      this.#pending = null
      return change
    } catch (error) {
      const was = new Map(earlier?.was)
      for (const standing of standings) was.set(standing.slot, standing.was)
      this.#pending = { touched: new Map(saved), was }
      throw error
    }
  }

  /**
   * The records that were in the result or are. `earlier` says which were in it before commits that
   * could not be evaluated.
   */
  #standings(
    commit: LiveCommit,
    { saved, moved }: Concern,
    earlier: ReadonlyMap<number, boolean> | null,
  ): readonly Standing[] {
    const { table } = this
    const test = this.#test as RecordTest
    const slots =
      moved === null && earlier === null
        ? saved
        : new Set([...saved, ...(moved ?? []), ...(earlier?.keys() ?? [])])
    const standings: Standing[] = []
    for (const slot of slots) {
      let was = earlier?.get(slot)
      if (was === undefined) {
        const before = commit.before(table, slot)
        was = before !== null && test(before)
      }
      const now = commit.now(table, slot)
      const is = now !== null && test(now)
      this.#evaluated++
      if (was || is) standings.push({ slot, was, is })
    }
    return standings
  }

  #compareResults(
    commit: LiveCommit,
    concern: Concern,
    saved: Touched,
    earlier: Pending | null,
  ): LiveDelta | null {
    const [members, order] = [this.#members, this.#order]
    try {
      const isRunAgain = earlier !== null || concern.isMoved || !this.#apply(commit, concern)
      if (isRunAgain) {
        this.#runs++
        this.#find()
      }
      const isSame =
        order.length === this.#order.length &&
        order.every((key, place) => key === this.#order[place])
      const standings =
        this.#members === members
          ? this.#savedMembers(concern)
          : standingsOf(members, this.#members)
      const change = this.#deltaOf(standings, saved, isSame ? null : this.#order)
      this.#pending = null
      return change
    } catch (error) {
      this.#members = members
      this.#order = order
      this.#pending = { touched: new Map(saved), was: new Map() }
      throw error
    }
  }

  #savedMembers({ saved }: Concern): readonly Standing[] {
    const members = saved.filter((slot) => contains(this.#members, slot))
    return members.map((slot) => ({ slot, was: true, is: true }))
  }

  /** Applies a commit to a page; false if the query has to run again. */
  #apply(commit: LiveCommit, { saved, moved }: Concern): boolean {
    const columns = this.#always?.[0].columns ?? null
    const own = saved.filter((slot) => commit.isChangedIn(this.table, slot, columns))
    const slots = moved === null ? own : [...new Set([...own, ...moved])]
    if (slots.length === 0) return true
    if (this.#page === null) return false
    this.#evaluated += slots.length
    if (!this.#page.apply(commit, slots)) return false
    this.#keepPage(this.#page)
    return true
  }

  /**
   * The delta of an incremental result since a global stamp; null if it did not change. Throws
   * `historyTrimmed`.
   */
  since(globalStamp: number): LiveDelta | null {
    const commit = new LiveCommit(this.database, (table) =>
      this.#port.moment.pastOf(table, globalStamp),
    )
    const { touched } = commit.changeOf(this.table)
    const moved = new Set<number>()
    for (const { table, path, columns } of this.watches?.slice(1) ?? [])
      for (const slot of commit.changeOf(table).touched.keys())
        if (commit.isChangedIn(table, slot, columns))
          for (const source of commit.sourcesOf(path, slot)) moved.add(source)
    const concern = { saved: [...touched.keys()], moved, isMoved: false }
    return this.#undisturbed(() =>
      this.#deltaOf(this.#standings(commit, concern, null), touched, null),
    )
  }

  entitiesAt(slots: Int32Array): AnyEntity[] {
    return Array.from(slots, (slot) => this.#port.database.entityAt(this.table, slot))
  }

  /**
   * Call it before all data is replaced, and the returned function after that: the next `evaluate`
   * then compares with the result of before.
   */
  beforeReplace(): () => void {
    const { dataClass, predicate } = this.#source
    const { table } = this
    const members =
      this.plan === 'incremental' ? this.#port.database.select(dataClass, predicate) : this.#members
    const slots = slotsOf(members)
    const touched = new Map<number, Key | null>()
    const keys = keysOf(table, slots)
    for (let i = 0; i < slots.length; i++) touched.set(slots[i], keys[i])
    const was = new Map(
      this.plan === 'incremental'
        ? Array.from(slots, (slot): [number, boolean] => [slot, true])
        : [],
    )
    return () => {
      for (let slot = 0; slot < table.length; slot++) {
        if (!table.isLive(slot) || touched.has(slot)) continue
        touched.set(slot, null)
        if (this.plan === 'incremental') was.set(slot, false)
      }
      this.#pending = { touched, was }
    }
  }

  #deltaOf(
    standings: Iterable<Standing>,
    saved: Touched,
    order: readonly Key[] | null,
  ): LiveDelta | null {
    const change = changeOfResult(this.table, standings, saved, order !== null)
    if (change === null) return null
    const { entered, changed, left } = change
    return Object.freeze<LiveDelta>({
      globalStamp: this.globalStamp,
      entered: this.#entitiesInOrder(entered),
      changed: this.#entitiesInOrder(changed),
      left: left.length === 0 ? NONE : Object.freeze(left),
      order: order === null ? null : Object.freeze(order.slice()),
    })
  }

  #entitiesInOrder(slots: readonly number[]): readonly AnyEntity[] {
    if (slots.length === 0) return NONE
    if (slots.length === 1)
      return Object.freeze([this.#port.database.entityAt(this.table, slots[0])])
    const { orderBy } = this.#source
    const ascending = Int32Array.from(slots).sort()
    const { database } = this.#port
    return Object.freeze(
      this.entitiesAt(
        orderBy === null ? ascending : sortSlots(database, this.table, ascending, orderBy),
      ),
    )
  }

  #find(): Int32Array {
    const page = this.#page
    if (page !== null) {
      page.run()
      this.#keepPage(page)
      this.#watchPage(page.last)
      return page.slots
    }
    const slots = runSource(this.#port, this.#source)
    if (this.plan === 'recompute')
      this.#members = setOf(
        this.#source.orderBy === null ? slots : slots.slice().sort(),
        this.table.length,
      )
    return slots
  }

  #keepPage({ slots }: LivePage): void {
    this.#order = keysOf(this.table, slots)
    this.#members = sparseSet(slots.sort())
  }

  /**
   * Records after the last kept one do not matter to a page. The first term of its order may
   * exclude them from its watches.
   */
  #watchPage(lastSlot: number): void {
    const { orderBy, predicate } = this.#source
    const always = this.#always
    if (this.#test === null || always === null || orderBy === null) return
    const last =
      lastSlot < 0 ? null : new LiveCommit(this.database, () => new Map()).now(this.table, lastSlot)
    const [first] = orderBy
    const end = last === null ? undefined : endOf(first, last)
    if (end === this.#end) return
    this.#end = end
    const window = end === undefined ? null : windowOf(first, end, predicate)
    this.watches = window === null ? always : this.#narrowed(always, window, first.steps.length)
  }

  #narrowed(always: readonly Watch[], window: readonly Anchor[], length: number): readonly Watch[] {
    const { anchors } = always[0]
    const best =
      anchors === null ? window : narrowest([anchors, window], this.#port.planner.statistics)
    let steps = 0
    return always.map((watch, at) => {
      if (at === 0) return { ...watch, anchors: best }
      // The watches of the first term are the first ones without a condition.
      if (!watch.isOrder || steps === length) return watch
      steps++
      const from = steps
      return {
        ...watch,
        anchors: window.map((anchor) => ({ ...anchor, steps: anchor.steps.slice(from) })),
      }
    })
  }
}

/** Ascending records as a compact set. */
function setOf(slots: Int32Array, length: number): RecordSet {
  if (slots.length * 32 <= length) return compactSet(sparseSet(slots))
  const words = new Int32Array(wordsFor(length))
  for (let i = 0; i < slots.length; i++) setBit(words, slots[i])
  return denseSet(words, slots.length)
}

/** The records of two sets, with the sets that they are in. */
function* standingsOf(before: RecordSet, now: RecordSet): Iterable<Standing> {
  for (const slot of slotsOf(before)) yield { slot, was: true, is: contains(now, slot) }
  for (const slot of slotsOf(now)) if (!contains(before, slot)) yield { slot, was: false, is: true }
}
