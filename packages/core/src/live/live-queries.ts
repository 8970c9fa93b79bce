import { isEntiaError } from '../errors.ts'
import type { Database } from '../execute/database.ts'
import type { TimeSlices } from '../execute/time-slices.ts'
import type { LiveDelta, LiveQuery, LiveWork, StopSignal } from '../model/live-types.ts'
import type { SelectionPort } from '../query/selection-port.ts'
import type { Change, ChangeList } from '../storage/change-list.ts'
import { recordsBefore } from '../storage/history.ts'
import type { Table } from '../storage/table.ts'
import { checkNames, checkStamp, refused } from '../value/check-options.ts'
import type { CommitObserver, Listeners, Report } from '../write/listeners.ts'
import type { Writer } from '../write/writer.ts'
import { AffectedQueries, newConcern } from './affected-queries.ts'
import { type Concern, MergedDelta } from './live-change.ts'
import { LiveCommit, MissedCommits } from './live-commit.ts'
import { LiveResult } from './live-result.ts'
import type { LiveSource } from './live-source.ts'
import { LiveDispatch, type Watch } from './live-watches.ts'

type Listener = (delta: LiveDelta) => unknown

/** The writer as live queries use it: `outside` throws where none may be started. */
type LiveWriter = Pick<Writer, 'outside' | 'mustRead'>

/**
 * The live queries of a store. Each commit is evaluated at once, while the columns hold its state.
 * Listeners are called later, in commit order.
 */
export class LiveQueries implements CommitObserver {
  readonly #running = new Set<Running>()
  /** Finds the queries that a record may affect. */
  readonly #dispatch = new LiveDispatch<Running>()
  /** Queries that any change may affect. */
  readonly #anything = new Set<Running>()
  /** Queries that must evaluate earlier commits again. */
  readonly #behind = new Set<Running>()
  readonly #missed = new MissedCommits()
  #started = 0
  readonly #listeners: Listeners
  readonly #database: Database & { slices: TimeSlices | null }
  readonly #writer: LiveWriter

  constructor(
    listeners: Listeners,
    database: Database & { slices: TimeSlices | null },
    writer: LiveWriter,
  ) {
    this.#listeners = listeners
    this.#database = database
    this.#writer = writer
  }

  get isActive(): boolean {
    return this.#running.size > 0
  }

  /**
   * Starts a live query on behalf of a caller. Throws `argumentInvalid`, `notInTransaction`, and
   * what running the query throws.
   */
  start(
    port: SelectionPort,
    source: LiveSource,
    listener: unknown,
    options: unknown = {},
  ): Started {
    const result = new LiveResult(port, source, (body) => this.#undisturbed(body))
    this.#writer.outside('live')
    if (typeof listener !== 'function') throw refused('The listener', 'a function', typeof listener)
    checkNames(options, OPTIONS)
    const { signal, since, stopped } = options as { readonly [name: string]: unknown }
    if (signal !== undefined && !isSignal(signal))
      throw refused('The option signal', 'an AbortSignal', typeof signal)
    if (stopped !== undefined && typeof stopped !== 'function')
      throw refused('The option stopped', 'a function', typeof stopped)
    const stamp =
      since === undefined ? null : checkStamp('The option since', since, result.globalStamp)
    const change = stamp === null ? undefined : changeSince(result, stamp, this.#missed)
    // An incremental result keeps no records: who has it already needs only the changes.
    const slots = change === undefined ? result.run() : NO_SLOTS
    const running = new Running(result, listener as Listener, this.#started++)
    let shown: readonly (() => void)[] = []
    const stop = (): void => {
      if (!this.#running.delete(running)) return
      this.#behind.delete(running)
      this.#anything.delete(running)
      for (const unwatch of running.unwatch) unwatch()
      for (const unwatch of shown) unwatch()
      running.stop()
      signal?.removeEventListener('abort', stop)
      stopped?.()
    }
    if (signal?.aborted === true) running.stop()
    else {
      this.#running.add(running)
      this.#watch(running)
      shown = result.shown.map((watch) => this.#dispatch.add(running, watch))
      running.onStop = stop
      signal?.addEventListener('abort', stop)
    }
    return new Started(running, change === undefined ? result.entitiesAt(slots) : [], change, stop)
  }

  /**
   * A commit may come in the middle of a read that is carried out in time slices; live queries are
   * not part of that read. Getters that a query runs must not commit: the others would be evaluated
   * with columns that hold a later commit.
   */
  #undisturbed<R>(body: () => R): R {
    const [database, writer] = [this.#database, this.#writer]
    const outer = { slices: database.slices, mustRead: writer.mustRead }
    database.slices = null
    writer.mustRead = true
    try {
      return body()
    } finally {
      database.slices = outer.slices
      writer.mustRead = outer.mustRead
    }
  }

  /**
   * Returns the deltas of the newest commit. Cost: O(changes) look-ups for each attribute that live
   * queries compare, and O(records that may affect it) for each query.
   */
  examine({ changes }: ChangeList): Report[] {
    const [first] = this.#running
    if (first === undefined) return NO_REPORTS
    const commit = new LiveCommit(first.result.database, (table) => recordsBefore(table, changes))
    const concerns = new AffectedQueries(this.#dispatch, commit, tablesOf(changes))
    for (const running of this.#behind) concerns.of(running)
    for (const running of this.#anything) concerns.of(running).isMoved = true
    return this.#evaluate(commit, concerns.byQuery)
  }

  #evaluate(commit: LiveCommit, concerns: ReadonlyMap<Running, Concern>): Report[] {
    const reports: Report[] = []
    this.#undisturbed(() => {
      for (const running of inOrderOfStart(concerns)) {
        running.evaluate(commit, concerns.get(running) as Concern, reports)
        const { result } = running
        if (result.isBehind) this.#behind.add(running)
        else this.#behind.delete(running)
        if (result.watches !== running.watches) this.#watch(running)
      }
    })
    return reports
  }

  /** Replaces the watches of a query by its current ones. */
  #watch(running: Running): void {
    const { watches } = running.result
    const before = running.watches
    running.watches = watches
    if (watches === null) this.#anything.add(running)
    else
      running.unwatch = watches.map((watch, at) => {
        if (before?.[at] === watch) return running.unwatch[at]
        running.unwatch[at]?.()
        return this.#dispatch.add(running, watch)
      })
  }

  /**
   * Call it before all data is replaced, and the returned function after that: it reports every
   * entity of each old and new result.
   */
  beforeReplace(): () => void {
    this.#missed.forget()
    const replaced = [...this.#running].map(
      (running) => [running, running.result.beforeReplace()] as const,
    )
    return () => {
      const [first] = replaced
      if (first === undefined) return
      const [{ result }] = first
      const concerns = new Map(replaced.map(([running]) => [running, newConcern()]))
      for (const [, isReplaced] of replaced) isReplaced()
      const reports = this.#evaluate(new LiveCommit(result.database, () => new Map()), concerns)
      if (reports.length === 0) return
      this.#listeners.enqueue().reports = reports
      this.#listeners.deliver()
    }
  }

  clear(): void {
    for (const running of [...this.#running]) running.onStop()
  }
}

function tablesOf(changes: readonly Change[]): ReadonlySet<Table> {
  const tables = new Set<Table>()
  for (let i = 0; i < changes.length; i++) tables.add(changes[i].table)
  return tables
}

const inOrderOfStart = (queries: ReadonlyMap<Running, unknown>): readonly Running[] =>
  queries.size < 2 ? [...queries.keys()] : [...queries.keys()].sort((a, b) => a.place - b.place)

const OPTIONS = ['signal', 'since', 'stopped', 'select']
const NO_REPORTS: Report[] = []
const NO_SLOTS = new Int32Array(0)

const isSignal = (given: unknown): given is StopSignal =>
  typeof given === 'object' &&
  given !== null &&
  'aborted' in given &&
  'addEventListener' in given &&
  'removeEventListener' in given

/** The changes since a global stamp; undefined if the history does not reach back. */
function changeSince(
  result: LiveResult,
  globalStamp: number,
  missed: MissedCommits,
): LiveDelta | undefined {
  if (result.plan === 'recompute') return undefined
  try {
    return result.since(globalStamp, missed) ?? nothingAt(result.globalStamp)
  } catch (error) {
    if (isEntiaError(error, 'historyTrimmed')) return undefined
    throw error
  }
}

const nothingAt = (globalStamp: number): LiveDelta =>
  Object.freeze({ globalStamp, entered: [], changed: [], left: [], order: null })

/** A live query of the engine. */
export interface FollowedQuery extends LiveQuery {
  /** The global stamp before the first commit of the delta that the listener gets. */
  readonly after: number
}

/** One live query and its listener. */
class Running {
  readonly result: LiveResult
  /** The number of queries that started before. */
  readonly place: number
  onStop = (): void => {}
  /** The watches in the dispatch, each with the function that removes it. */
  watches: readonly Watch[] | null = null
  unwatch: readonly (() => void)[] = []
  readonly #listener: Listener
  #isStopped = false
  /** Deltas that could not be delivered, merged. */
  #kept: MergedDelta | null = null
  /** The global stamp before the first commit of the delta that is delivered. */
  after = 0

  constructor(result: LiveResult, listener: Listener, place: number) {
    this.result = result
    this.place = place
    this.#listener = listener
  }

  stop(): void {
    this.#isStopped = true
    this.#kept = null
  }

  /**
   * An error of application code is reported in commit order, and the next commit evaluates this
   * one again.
   */
  evaluate(commit: LiveCommit, concern: Concern, reports: Report[]): void {
    let delta: LiveDelta | null
    try {
      delta = this.result.evaluate(commit, concern)
    } catch (error) {
      const fail = (): never => {
        throw error
      }
      reports.push({ deliver: fail, postpone: () => {} })
      return
    }
    if (delta !== null)
      reports.push({
        deliver: () => this.#deliver(delta),
        postpone: () => this.#postpone(delta),
      })
  }

  #deliver(delta: LiveDelta): unknown {
    if (this.#isStopped) return undefined
    const kept = this.#kept
    this.after = delta.globalStamp - 1
    if (kept === null || kept.globalStamp > delta.globalStamp) return this.#listener(delta)
    this.#kept = null
    this.after = kept.after
    kept.add(delta)
    return this.#listener(kept.delta)
  }
  #postpone(delta: LiveDelta): void {
    if (this.#kept === null) this.#kept = new MergedDelta(delta)
    else this.#kept.add(delta)
  }
}

/** A started live query, as its caller gets it; see `LiveQuery` of the public types. */
class Started implements FollowedQuery {
  readonly initial: LiveQuery['initial']
  readonly globalStamp: number
  readonly missed: LiveDelta | null
  readonly plan: 'incremental' | 'recompute'
  readonly #running: Running
  readonly #stop: () => void

  constructor(
    running: Running,
    initial: LiveQuery['initial'],
    missed: LiveDelta | undefined,
    stop: () => void,
  ) {
    this.#running = running
    this.#stop = stop
    this.initial = Object.freeze(initial)
    this.missed = missed ?? null
    this.globalStamp = running.result.globalStamp
    this.plan = running.result.plan
  }

  get work(): LiveWork {
    return this.#running.result.work
  }
  get after(): number {
    return this.#running.after
  }
  stop(): void {
    this.#stop()
  }
  [Symbol.dispose](): void {
    this.#stop()
  }
}
