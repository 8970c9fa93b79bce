import { isEntiaError } from '../errors.ts'
import type { LiveDelta, LiveQuery, LiveWork, StopSignal } from '../model/live-types.ts'
import type { ChangeList } from '../storage/change-list.ts'
import { recordsBefore } from '../storage/history.ts'
import type { Table } from '../storage/table.ts'
import { checkNames, checkStamp, refused } from './check-options.ts'
import type { Listeners, News } from './listeners.ts'
import { type ResultChange, type TableChange, touchedOf } from './live-change.ts'
import { mergeDeltas } from './live-delta.ts'
import { LiveDispatch } from './live-dispatch.ts'
import type { LiveResult } from './live-result.ts'

type Key = string | number
type Listener = (delta: LiveDelta) => unknown

/** The live queries of a store. Each commit is judged at once, while columns hold what it left; listeners hear of it in their turn. */
export class LiveQueries {
  readonly #running = new Set<Running>()
  /** Finds those that a record can concern by what they ask of one attribute. */
  readonly #dispatch = new LiveDispatch<Running>()
  /** Those that it cannot find, and those that have to look at a commit again. */
  readonly #others = new Set<Running>()
  #started = 0
  readonly #listeners: Listeners
  /** Throws where none may be started. */
  readonly #outside: () => void

  constructor(listeners: Listeners, outside: () => void) {
    this.#listeners = listeners
    this.#outside = outside
  }

  get size(): number {
    return this.#running.size
  }

  start(result: LiveResult, listener: unknown, options: unknown = {}): Started {
    this.#outside()
    if (typeof listener !== 'function') throw refused('The listener', 'a function', typeof listener)
    checkNames(options, OPTIONS)
    const { signal, since, stopped } = options as { readonly [name: string]: unknown }
    if (signal !== undefined && !isSignal(signal)) throw refused('The option signal', 'an AbortSignal', typeof signal)
    if (stopped !== undefined && typeof stopped !== 'function')
      throw refused('The option stopped', 'a function', typeof stopped)
    const stamp = since === undefined ? null : checkStamp('The option since', since, result.globalStamp)
    const slots = result.run()
    const change = stamp === null ? undefined : changeSince(result, stamp)
    const running = new Running(result, listener as Listener, this.#started++)
    const stop = (): void => {
      if (!this.#running.delete(running)) return
      this.#others.delete(running)
      if (result.anchor !== null) this.#dispatch.delete(result.table, result.anchor, running)
      running.stop()
      signal?.removeEventListener('abort', stop)
      stopped?.()
    }
    if (signal?.aborted === true) running.stop()
    else {
      this.#running.add(running)
      if (result.anchor === null) this.#others.add(running)
      else this.#dispatch.add(result.table, result.anchor, running)
      running.onStop = stop
      signal?.addEventListener('abort', stop)
    }
    return new Started(running, change === undefined ? result.entitiesAt(slots) : [], change, stop)
  }

  /**
   * What a commit, the newest, has to be told of. Cost: O(its changes) for each query that one of them can concern, and for each that reads
   * more than the record's own values.
   */
  judge({ changes, globalStamp }: ChangeList): News[] {
    if (this.#running.size === 0) return NO_NEWS
    const tables = new Set<Table>()
    for (const { table } of changes) tables.add(table)
    const known = new Map<Table, TableChange>()
    const changeOf = (table: Table): TableChange => {
      if (!tables.has(table)) return NOTHING
      let change = known.get(table)
      if (change === undefined) {
        const past = recordsBefore(table, changes)
        change = { touched: touchedOf(table, past), past }
        known.set(table, change)
      }
      return change
    }
    const concerned = new Set<Running>()
    /** Of those whose result reads nothing that the commit changed: at most members show other values. */
    const unmoved = new Set<Running>()
    for (const running of this.#others) {
      const { result } = running
      let isMoved = running.isBehind
      for (const table of tables) isMoved ||= result.isMovedBy(table, changeOf(table))
      if (isMoved || tables.has(result.table)) concerned.add(running)
      if (!isMoved) unmoved.add(running)
    }
    for (const table of tables) {
      const { touched, past } = changeOf(table)
      for (const slot of touched.keys()) this.#dispatch.collect(table, slot, past?.get(slot), concerned)
    }
    const news: News[] = []
    for (const running of inOrderOfStart(concerned))
      this.#judge(running, changeOf(running.result.table), globalStamp, news, !unmoved.has(running))
    return news
  }

  #judge(running: Running, change: TableChange, globalStamp: number, news: News[], isMoved = true): void {
    running.judge(change, globalStamp, news, isMoved)
    if (running.isBehind) this.#others.add(running)
    else if (running.result.anchor !== null) this.#others.delete(running)
  }

  /** Notes each result before all data is replaced; then call what this returns: whatever is in a result before and after has changed. */
  beforeReplace(): () => void {
    const before = [...this.#running].map((running) => ({ running, touched: running.result.keys() }))
    return () => {
      const news: News[] = []
      for (const { running, touched } of before) {
        const { table, globalStamp } = running.result
        for (let slot = 0; slot < table.length; slot++)
          if (table.isLive(slot) && !touched.has(slot)) touched.set(slot, null)
        this.#judge(running, { touched, past: null }, globalStamp, news)
      }
      if (news.length === 0) return
      this.#listeners.place().fill(null, news)
      this.#listeners.tell()
    }
  }

  clear(): void {
    for (const running of [...this.#running]) running.onStop()
  }
}

const inOrderOfStart = (queries: ReadonlySet<Running>): readonly Running[] =>
  queries.size < 2 ? [...queries] : [...queries].sort((a, b) => a.place - b.place)

const OPTIONS = ['signal', 'since', 'stopped']
const NO_NEWS: News[] = []
const NOTHING: TableChange = { touched: new Map(), past: new Map() }

const isSignal = (given: unknown): given is StopSignal =>
  typeof given === 'object' &&
  given !== null &&
  'aborted' in given &&
  'addEventListener' in given &&
  'removeEventListener' in given

/** What happened since; undefined where it cannot be told. */
function changeSince(result: LiveResult, globalStamp: number): LiveDelta | undefined {
  if (result.plan === 'recompute') return undefined
  try {
    const change = result.since(globalStamp)
    return deltaOf(result, change ?? NO_CHANGE, result.globalStamp)
  } catch (error) {
    if (isEntiaError(error, 'historyTrimmed')) return undefined
    throw error
  }
}

const NO_CHANGE: ResultChange = { entered: new Int32Array(0), changed: new Int32Array(0), left: [], order: null }

const deltaOf = (result: LiveResult, change: ResultChange, globalStamp: number): LiveDelta =>
  Object.freeze({
    globalStamp,
    entered: Object.freeze(result.entitiesAt(change.entered)),
    changed: Object.freeze(result.entitiesAt(change.changed)),
    left: Object.freeze(change.left),
    order: change.order === null ? null : Object.freeze(change.order.slice()),
  }) as unknown as LiveDelta

/** One live query, and who hears of it. */
class Running {
  readonly result: LiveResult
  /** In the order of their starts. */
  readonly place: number
  onStop = (): void => {}
  readonly #listener: Listener
  #isStopped = false
  /** Records changed by commits that could not be judged, with their keys before the first of them; null when there are none. */
  #unjudged: Map<number, Key | null> | null = null
  /** What could not be told. */
  #kept: LiveDelta | null = null

  constructor(result: LiveResult, listener: Listener, place: number) {
    this.result = result
    this.place = place
    this.#listener = listener
  }

  get isBehind(): boolean {
    return this.#unjudged !== null
  }

  stop(): void {
    this.#isStopped = true
    this.#kept = null
  }

  /** What code of the application throws on the way is reported in its turn, and the commit is judged with the next one. */
  judge({ touched, past }: TableChange, globalStamp: number, news: News[], isMoved: boolean): void {
    const all = this.#unjudged === null ? touched : new Map([...touched, ...this.#unjudged])
    let delta: LiveDelta
    try {
      const change = this.result.judge(all, this.#unjudged === null ? past : null, isMoved)
      this.#unjudged = null
      if (change === null) return
      delta = deltaOf(this.result, change, globalStamp)
    } catch (error) {
      this.#unjudged = new Map(all)
      const fail = (): never => {
        throw error
      }
      news.push({ tell: fail, keep: () => {} })
      return
    }
    news.push({ tell: () => this.#tell(delta), keep: () => this.#keep(delta) })
  }

  #tell(delta: LiveDelta): unknown {
    if (this.#isStopped) return undefined
    const kept = this.#kept
    if (kept === null || kept.globalStamp > delta.globalStamp) return this.#listener(delta)
    this.#kept = null
    return this.#listener(mergeDeltas(kept, delta))
  }
  #keep(delta: LiveDelta): void {
    this.#kept = this.#kept === null ? delta : mergeDeltas(this.#kept, delta)
  }
}

/** A live query as whoever started it has it; see `LiveQuery` of the public types. */
class Started implements LiveQuery {
  readonly initial: LiveQuery['initial']
  readonly globalStamp: number
  readonly missed: LiveDelta | null
  readonly plan: 'incremental' | 'recompute'
  readonly #running: Running
  readonly #stop: () => void

  constructor(running: Running, initial: readonly object[], missed: LiveDelta | undefined, stop: () => void) {
    this.#running = running
    this.#stop = stop
    this.initial = Object.freeze(initial) as LiveQuery['initial']
    this.missed = missed ?? null
    this.globalStamp = running.result.globalStamp
    this.plan = running.result.plan
  }

  get work(): LiveWork {
    return this.#running.result.work
  }
  stop(): void {
    this.#stop()
  }
  [Symbol.dispose](): void {
    this.#stop()
  }
}
