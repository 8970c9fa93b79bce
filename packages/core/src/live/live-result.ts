import type { Database } from '../execute/database.ts'
import type { RecordTest } from '../execute/record-test.ts'
import { sortSlots } from '../execute/sort.ts'
import type { LiveDelta, LiveWork } from '../model/live-types.ts'
import { keysOf } from '../selection/member-keys.ts'
import type { SelectionPort } from '../selection/selection-port.ts'
import { setBit, wordsFor } from '../storage/bitset.ts'
import { compactSet, contains, denseSet, EMPTY_SET, type RecordSet, slotsOf, sparseSet } from '../storage/record-set.ts'
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

/** What one commit may have done to a result. */
export interface Concern {
  /** Records of the query's own that were saved, and may be in the result or may have been; each once. */
  readonly saved: number[]
  /** Those to which a relation of theirs may matter otherwise than before; null where there are none. */
  moved: Set<number> | null
  /** True where it cannot be told which records these are. */
  isMoved: boolean
}

const NONE: readonly never[] = Object.freeze([])

/** Commits that could not be told, as what they started from. */
interface Unjudged {
  readonly touched: Map<number, Key | null>
  /** Of an incremental result: whether a record was in it. */
  readonly was: Map<number, boolean>
}

/**
 * The result of a live query. Where a record can be tested by itself and by what its to-one relations lead to, each is tested as it was before a commit and
 * as it is: nothing is kept. A page keeps its records, and is run again when one that matters comes before its end; all else keeps
 * its records and is run again.
 */
export class LiveResult {
  readonly table: Table
  readonly plan: 'incremental' | 'recompute'
  /** Whose changes can move it; null where anything may. Another list whenever that is not what it was. */
  watches: readonly Watch[] | null
  readonly #port: SelectionPort
  readonly #source: LiveSource
  readonly #undisturbed: <R>(body: () => R) => R
  readonly #test: RecordTest | null
  /** Watches that hold whatever is on a page. */
  readonly #always: readonly Watch[] | null
  #members: RecordSet = EMPTY_SET
  readonly #page: LivePage | null
  /** Keys of a page. */
  #order: readonly Key[] = []
  /** What the last record of a full page has in the first term of its order. */
  #end: AnchorKey | null | undefined = undefined
  #unjudged: Unjudged | null = null
  #judged = 0
  #runs = 0

  constructor(port: SelectionPort, source: LiveSource, undisturbed: <R>(body: () => R) => R) {
    const { dataClass, predicate, orderBy, page } = source
    this.table = port.database.tableOf(dataClass)
    this.#port = port
    this.#source = source
    this.#undisturbed = undisturbed
    const pageOrder = page === null ? null : orderBy
    // What an order leads to may depend on what can be seen, which may depend on anything.
    const isOpen = port.scope.restrictsRows && pageOrder?.some(({ steps }) => steps.length > 0) === true
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
    return { judged: this.#judged, runs: this.#runs }
  }
  get globalStamp(): number {
    return this.#port.moment.globalStamp
  }
  /** True when it can tell from the records that a relation leads from whether they matter. */
  get isTested(): boolean {
    return this.#test !== null
  }
  /** True when the last commits could not be told: the next one is judged with them. */
  get isBehind(): boolean {
    return this.#unjudged !== null
  }

  /** Runs the query; its records in order. What it finds is the result of now. */
  run(): Int32Array {
    return this.#undisturbed(() => this.#find())
  }

  /** What a commit made of the result; null where nothing. Cost: O(records that it may concern), or that of the query. */
  judge(commit: LiveCommit, concern: Concern): LiveDelta | null {
    const earlier = this.#unjudged
    const { touched } = commit.changeOf(this.table)
    const saved: Touched = earlier === null ? touched : new Map([...touched, ...earlier.touched])
    return this.#undisturbed(() =>
      this.plan === 'incremental'
        ? this.#look(commit, concern, saved, earlier)
        : this.#compare(commit, concern, saved, earlier),
    )
  }

  #look(commit: LiveCommit, concern: Concern, saved: Touched, earlier: Unjudged | null): LiveDelta | null {
    const standings = this.#standings(commit, concern, earlier?.was ?? null)
    try {
      const change = this.#told(standings, saved, null)
      this.#unjudged = null
      return change
    } catch (error) {
      const was = new Map(earlier?.was)
      for (const standing of standings) was.set(standing.slot, standing.was)
      this.#unjudged = { touched: new Map(saved), was }
      throw error
    }
  }

  /** Of the records that may be concerned, those that were in the result or are. `earlier` says which were before commits that could not be told. */
  #standings(
    commit: LiveCommit,
    { saved, moved }: Concern,
    earlier: ReadonlyMap<number, boolean> | null,
  ): readonly Standing[] {
    const { table } = this
    const test = this.#test as RecordTest
    const slots =
      moved === null && earlier === null ? saved : new Set([...saved, ...(moved ?? []), ...(earlier?.keys() ?? [])])
    const standings: Standing[] = []
    for (const slot of slots) {
      let was = earlier?.get(slot)
      if (was === undefined) {
        const before = commit.before(table, slot)
        was = before !== null && test(before)
      }
      const now = commit.now(table, slot)
      const is = now !== null && test(now)
      this.#judged++
      if (was || is) standings.push({ slot, was, is })
    }
    return standings
  }

  #compare(commit: LiveCommit, concern: Concern, saved: Touched, earlier: Unjudged | null): LiveDelta | null {
    const [members, order] = [this.#members, this.#order]
    try {
      const isRunAgain = earlier !== null || concern.isMoved || !this.#takeIn(commit, concern)
      if (isRunAgain) {
        this.#runs++
        this.#find()
      }
      const isSame = order.length === this.#order.length && order.every((key, place) => key === this.#order[place])
      const standings = this.#members === members ? this.#savedMembers(concern) : standingsOf(members, this.#members)
      const change = this.#told(standings, saved, isSame ? null : this.#order)
      this.#unjudged = null
      return change
    } catch (error) {
      this.#members = members
      this.#order = order
      this.#unjudged = { touched: new Map(saved), was: new Map() }
      throw error
    }
  }

  #savedMembers({ saved }: Concern): readonly Standing[] {
    const members = saved.filter((slot) => contains(this.#members, slot))
    return members.map((slot) => ({ slot, was: true, is: true }))
  }

  /** Takes in what a commit may have moved; false where the query has to be run again for that. */
  #takeIn(commit: LiveCommit, { saved, moved }: Concern): boolean {
    const columns = this.#always?.[0].columns ?? null
    const own = saved.filter((slot) => commit.isChangedIn(this.table, slot, columns))
    const slots = moved === null ? own : [...new Set([...own, ...moved])]
    if (slots.length === 0) return true
    if (this.#page === null) return false
    this.#judged += slots.length
    if (!this.#page.takeIn(commit, slots)) return false
    this.#keepPage(this.#page)
    return true
  }

  /** What happened to an incremental result since a global stamp; null where nothing. Throws `historyTrimmed`. */
  since(globalStamp: number): LiveDelta | null {
    const commit = new LiveCommit(this.database, (table) => this.#port.moment.pastOf(table, globalStamp))
    const { touched } = commit.changeOf(this.table)
    const moved = new Set<number>()
    for (const { table, path, columns } of this.watches?.slice(1) ?? [])
      for (const slot of commit.changeOf(table).touched.keys())
        if (commit.isChangedIn(table, slot, columns))
          for (const source of commit.sourcesOf(path, slot)) moved.add(source)
    const concern = { saved: [...touched.keys()], moved, isMoved: false }
    return this.#undisturbed(() => this.#told(this.#standings(commit, concern, null), touched, null))
  }

  entitiesAt(slots: Int32Array): object[] {
    return Array.from(slots, (slot) => this.#port.database.entityAt(this.table, slot))
  }

  /** Notes the result before all data is replaced. What this returns makes it so that the next `judge` compares with that, whatever stands there by then. */
  beforeReplace(): () => void {
    const { dataClass, predicate } = this.#source
    const { table } = this
    const members = this.plan === 'incremental' ? this.#port.database.select(dataClass, predicate) : this.#members
    const slots = slotsOf(members)
    const touched = new Map<number, Key | null>()
    const keys = keysOf(table, slots)
    for (let i = 0; i < slots.length; i++) touched.set(slots[i], keys[i])
    const was = new Map(this.plan === 'incremental' ? Array.from(slots, (slot): [number, boolean] => [slot, true]) : [])
    return () => {
      for (let slot = 0; slot < table.length; slot++) {
        if (!table.isLive(slot) || touched.has(slot)) continue
        touched.set(slot, null)
        if (this.plan === 'incremental') was.set(slot, false)
      }
      this.#unjudged = { touched, was }
    }
  }

  #told(standings: Iterable<Standing>, saved: Touched, order: readonly Key[] | null): LiveDelta | null {
    const change = changeOfResult(this.table, standings, saved, order !== null)
    if (change === null) return null
    const { entered, changed, left } = change
    return Object.freeze({
      globalStamp: this.globalStamp,
      entered: this.#entitiesInOrder(entered),
      changed: this.#entitiesInOrder(changed),
      left: left.length === 0 ? NONE : Object.freeze(left),
      order: order === null ? null : Object.freeze(order.slice()),
    }) as unknown as LiveDelta
  }

  #entitiesInOrder(slots: readonly number[]): readonly object[] {
    if (slots.length === 0) return NONE
    if (slots.length === 1) return Object.freeze([this.#port.database.entityAt(this.table, slots[0])])
    const { orderBy } = this.#source
    const ascending = Int32Array.from(slots).sort()
    const { database } = this.#port
    return Object.freeze(
      this.entitiesAt(orderBy === null ? ascending : sortSlots(database, this.table, ascending, orderBy)),
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
      this.#members = setOf(this.#source.orderBy === null ? slots : slots.slice().sort(), this.table.length)
    return slots
  }

  #keepPage({ slots }: LivePage): void {
    this.#order = keysOf(this.table, slots)
    this.#members = sparseSet(slots.sort())
  }

  /** Records behind the last one that a page knows are nobody's concern: the first term of its order may say that they are. */
  #watchPage(lastSlot: number): void {
    const { orderBy, predicate } = this.#source
    const always = this.#always
    if (this.#test === null || always === null || orderBy === null) return
    const last = lastSlot < 0 ? null : new LiveCommit(this.database, () => new Map()).now(this.table, lastSlot)
    const [first] = orderBy
    const end = last === null ? undefined : endOf(first, last)
    if (end === this.#end) return
    this.#end = end
    const window = end === undefined ? null : windowOf(first, end, predicate)
    this.watches = window === null ? always : this.#narrowed(always, window, first.steps.length)
  }

  #narrowed(always: readonly Watch[], window: readonly Anchor[], length: number): readonly Watch[] {
    const { anchors } = always[0]
    const best = anchors === null ? window : narrowest([anchors, window], this.#port.planner.statistics)
    let steps = 0
    return always.map((watch, at) => {
      if (at === 0) return { ...watch, anchors: best }
      // Those of the first term are the first that no condition belongs to.
      if (!watch.isOrder || steps === length) return watch
      steps++
      const from = steps
      return { ...watch, anchors: window.map((anchor) => ({ ...anchor, steps: anchor.steps.slice(from) })) }
    })
  }
}

/** Records in ascending order as a set in little memory. */
function setOf(slots: Int32Array, length: number): RecordSet {
  if (slots.length * 32 <= length) return compactSet(sparseSet(slots))
  const words = new Int32Array(wordsFor(length))
  for (let i = 0; i < slots.length; i++) setBit(words, slots[i])
  return denseSet(words, slots.length)
}

/** Of the records in two sets, where they are. */
function* standingsOf(before: RecordSet, now: RecordSet): Iterable<Standing> {
  for (const slot of slotsOf(before)) yield { slot, was: true, is: contains(now, slot) }
  for (const slot of slotsOf(now)) if (!contains(before, slot)) yield { slot, was: false, is: true }
}
