import type { Database } from '../execute/database.ts'
import type { RecordTest } from '../execute/record-test.ts'
import type { AnyEntity } from '../model/entity-types.ts'
import type { LiveDelta, LiveWork } from '../model/live-types.ts'
import { keysOf } from '../query/access-members.ts'
import type { SelectionPort } from '../query/selection-port.ts'
import { setBit, wordsFor } from '../storage/bitset.ts'
import {
  compactSet,
  contains,
  denseSet,
  EMPTY_SET,
  type RecordSet,
  sparseSet,
} from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import {
  beforeReplace,
  type Concern,
  deltaOf,
  entitiesAt,
  type MembershipChange,
  type Pending,
  reportedOf,
  standingsOf,
  type Touched,
} from './live-change.ts'
import { LiveCommit, type MissedCommits } from './live-commit.ts'
import { LivePage, ResultWatches } from './live-page.ts'
import { type LiveSource, runSource, shownWatches } from './live-source.ts'
import type { Watch } from './live-watches.ts'

type Key = string | number

/**
 * The result of a live query. If records can be tested one by one, with what their relations lead
 * to, each is tested as it was before a commit and as it is, and no result is kept. A page keeps
 * its records and applies changes before its end. Every other query keeps its records and runs
 * again.
 */
export class LiveResult {
  readonly table: Table
  readonly plan: 'incremental' | 'recompute'
  readonly #port: SelectionPort
  readonly #source: LiveSource
  readonly #undisturbed: <R>(body: () => R) => R
  readonly #test: RecordTest | null
  readonly #watches: ResultWatches
  /** The related records that the caller shows. */
  readonly shown: readonly Watch[]
  #members: RecordSet = EMPTY_SET
  readonly #page: LivePage | null
  /** The keys of a page, in order. */
  #order: readonly Key[] = []
  #pending: Pending | null = null
  #evaluated = 0
  #runs = 0

  constructor(port: SelectionPort, source: LiveSource, undisturbed: <R>(body: () => R) => R) {
    const { dataClass, page, shown } = source
    this.table = port.database.tableOf(dataClass)
    this.#port = port
    this.#source = source
    this.#undisturbed = undisturbed
    this.#watches = new ResultWatches(port, this.table, source)
    this.#test = this.#watches.test
    const { scope, database } = port
    this.shown = shown.length === 0 ? [] : shownWatches(database.whole, scope, dataClass, shown)
    this.#page = page === null ? null : new LivePage(port, source, page, this.#test)
    this.plan = page === null && this.#test !== null ? 'incremental' : 'recompute'
  }

  /** See `ResultWatches.current`. */
  get watches(): readonly Watch[] | null {
    return this.#watches.current
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
   * The delta of a commit; null if the result did not change. The caller keeps it undisturbed.
   * Cost: O(records that may affect it), or that of the query.
   */
  evaluate(commit: LiveCommit, concern: Concern): LiveDelta | null {
    const earlier = this.#pending
    const { touched } = commit.changeOf(this.table)
    const known: Touched = earlier === null ? touched : new Map([...touched, ...earlier.touched])
    const saved = reportedOf(this.table, known, concern.shown)
    return this.plan === 'incremental'
      ? this.#testRecords(commit, concern, saved, earlier)
      : this.#compareResults(commit, concern, saved, earlier)
  }

  #testRecords(
    commit: LiveCommit,
    concern: Concern,
    saved: Touched,
    earlier: Pending | null,
  ): LiveDelta | null {
    const standings = this.#standings(commit, concern, earlier?.was ?? null)
    try {
      const change = this.#delta(standings, saved)
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
    { saved, moved, shown }: Concern,
    earlier: ReadonlyMap<number, boolean> | null,
  ): readonly MembershipChange[] {
    const { table } = this
    const test = this.#test as RecordTest
    const { columns } = this.#watches
    const isOwn = moved === null && earlier === null
    const slots =
      isOwn && shown === null
        ? saved
        : new Set([...saved, ...(moved ?? []), ...(shown ?? []), ...(earlier?.keys() ?? [])])
    const standings: MembershipChange[] = []
    for (const slot of slots) {
      const { now, before } = commit.viewsOf(table, slot)
      const is = now !== null && test(now)
      const was =
        earlier?.get(slot) ??
        // The test reads nothing that differs.
        (isOwn && !commit.isChangedIn(table, slot, columns) ? is : before !== null && test(before))
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
          ? this.#reportedMembers(concern)
          : standingsOf(members, this.#members)
      const change = this.#delta(standings, saved, isSame ? null : this.#order)
      this.#pending = null
      return change
    } catch (error) {
      this.#members = members
      this.#order = order
      this.#pending = { touched: new Map(saved), was: new Map() }
      throw error
    }
  }

  #reportedMembers({ saved, shown }: Concern): readonly MembershipChange[] {
    const reported = shown === null ? saved : [...new Set([...saved, ...shown])]
    const members = reported.filter((slot) => contains(this.#members, slot))
    return members.map((slot) => ({ slot, was: true, is: true }))
  }

  /** Applies a commit to a page; false if the query has to run again. */
  #apply(commit: LiveCommit, { saved, moved }: Concern): boolean {
    const { columns } = this.#watches
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
  since(globalStamp: number, missed: MissedCommits): LiveDelta | null {
    const { moment } = this.#port
    const commit = missed.since(
      globalStamp,
      moment.globalStamp,
      () => new LiveCommit(this.database, (table) => moment.pastOf(table, globalStamp)),
    )
    const { touched } = commit.changeOf(this.table)
    const moved = sourcesIn(commit, this.watches?.slice(1) ?? [])
    const shown = sourcesIn(commit, this.shown)
    const concern = { saved: [...touched.keys()], moved, isMoved: false, shown }
    return this.#undisturbed(() =>
      this.#delta(this.#standings(commit, concern, null), reportedOf(this.table, touched, shown)),
    )
  }

  #delta(
    standings: Iterable<MembershipChange>,
    saved: Touched,
    order: readonly Key[] | null = null,
  ): LiveDelta | null {
    return deltaOf(this.#port, this.table, this.#source.orderBy, standings, saved, order)
  }

  entitiesAt(slots: Int32Array): AnyEntity[] {
    return entitiesAt(this.#port.database, this.table, slots)
  }

  /**
   * Call it before all data is replaced, and the returned function after that: the next `evaluate`
   * then compares with the result of before.
   */
  beforeReplace(): () => void {
    const { dataClass, predicate } = this.#source
    const isTested = this.plan === 'incremental'
    const members = isTested ? this.#port.database.select(dataClass, predicate) : this.#members
    const pendingAfter = beforeReplace(this.table, members, isTested)
    return () => {
      this.#pending = pendingAfter()
    }
  }

  #find(): Int32Array {
    const page = this.#page
    if (page !== null) {
      page.run()
      this.#keepPage(page)
      this.#watches.endAt(page.last)
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
}

/** The records from which the paths of watches lead to a changed record; null if there are none. */
function sourcesIn(commit: LiveCommit, watches: readonly Watch[]): Set<number> | null {
  const sources = new Set<number>()
  for (const watch of watches)
    for (const slot of commit.changeOf(watch.table).touched.keys())
      if (commit.isChangedIn(watch.table, slot, watch.columns))
        for (const source of commit.sourcesOf(watch, slot)) sources.add(source)
  return sources.size === 0 ? null : sources
}

/** Ascending records as a compact set. */
function setOf(slots: Int32Array, length: number): RecordSet {
  if (slots.length * 32 <= length) return compactSet(sparseSet(slots))
  const words = new Int32Array(wordsFor(length))
  for (let i = 0; i < slots.length; i++) setBit(words, slots[i])
  return denseSet(words, slots.length)
}
