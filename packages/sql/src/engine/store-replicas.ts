import { type Clock, isEntiaError } from '@entia/core'
import { type Batch, OwnStamps } from '@entia/core/internal'
import {
  type BatchAnswer,
  type BatchQuery,
  buildProjection,
  type Caller,
  type EngineReplicas,
  EXPIRED_AT_ONCE,
  engineError,
  expiredAt,
  type Feed,
  type FeedQuery,
  type Missing,
  notOnThisEngine,
  oneAfterAnother,
  PLAIN_PAGE,
  REPLICA_ERA,
  ReplicaState,
} from '@entia/engine'
import type { RequestTime } from '../connect/request-time.ts'
import type { CommitLog } from '../live/commit-log.ts'
import type { Mirror } from '../mirror/mirror.ts'
import type { Reads } from '../read/sql-reader.ts'
import type { Dataset } from '../schema/dataset.ts'
import { type bounded, repeated } from './bounded-calls.ts'
import type { LocalRuns } from './local-runs.ts'

export interface StoreReplicasOptions {
  /** Null for a store without one: its replicas cannot follow it. */
  readonly mirror: Pick<Mirror, 'classes' | 'reach'> | null
  readonly log: Pick<CommitLog, 'globalStamp' | 'lastChange'>
  readonly dataset: Dataset
  readonly runs: LocalRuns
  readonly clock: Clock
  readonly read: Reads['readSelection']
  readonly within: ReturnType<typeof bounded>
}

/** A stream waits so often for its mirror, which waits 50 ms each time. */
const MAX_REACHES = 20
/** Batches that one transaction of the database decides. */
const BATCHES_OF_TRANSACTION = 50

/**
 * The replicas of a store over PostgreSQL. Their feeds are those of the mirror, so that each moment
 * is a commit of the database. Batches are decided in the database, with the numbers that say so in
 * the same transaction: any process knows which ones were.
 */
export class StoreReplicas implements EngineReplicas {
  readonly #options: StoreReplicasOptions
  readonly #inOrder = oneAfterAnother()

  constructor(options: StoreReplicasOptions) {
    this.#options = options
  }

  /**
   * Throws notOnThisEngine for shapes that read a dataclass that is not mirrored, and
   * replicasNotReady without contents of the mirror. One round trip.
   */
  async feed(query: FeedQuery, caller: Caller): Promise<Feed> {
    const { mirror, log, dataset, within } = this.#options
    if (mirror === null)
      throw notOnThisEngine('A replica', 'Name the dataclasses in the option mirror.dataClasses.')
    // What the replica has seen in any process, it finds again: the mirror has at least what the
    // database has now. A position above that, and what this process has seen above that, is of
    // commits that were lost.
    const globalStamp = await within(caller, (time) => repeated(time, () => log.globalStamp()))
    dataset.note(globalStamp)
    let contents = await mirror.reach(globalStamp)
    for (let at = 1; contents === null && at < MAX_REACHES; at++)
      contents = await mirror.reach(globalStamp)
    if (contents === null) throw engineError('replicasNotReady', { retryAfterSeconds: 1 })
    const { replicas } = contents.engine
    for (const name of replicas.readsOf(query.shapes, caller))
      if (!mirror.classes.has(name)) throw refusalOf(caller, name)
    return replicas.feed(query, caller)
  }

  /**
   * Each call has a transaction of its own, other batches share one. A request that fails between
   * them may be sent again.
   */
  async decide(query: BatchQuery, caller: Caller): Promise<BatchAnswer> {
    return this.#inOrder(query.replica, () => this.#decide(query, caller))
  }

  async #decide(query: BatchQuery, caller: Caller): Promise<BatchAnswer> {
    let more = 0
    const outcomes: BatchAnswer['outcomes'][number][] = []
    const failures: BatchAnswer['failures'][number][] = []
    let lease: BatchAnswer['lease'] = {}
    let era = ''
    const own = new OwnStamps()
    const adjusted = (batch: Batch): Batch => ({ ...batch, items: own.after(batch.items) })
    for (const given of partsOf(query)) {
      const part = { ...given, batches: given.batches.map(adjusted) }
      // The request may take longer by what its calls may take.
      if (isCall(part)) more += part.callTime.seconds * 1000
      const answer = await this.#decidePart(part, caller, more).catch((error: unknown) => {
        if (outcomes.length > 0 && isEntiaError(error, 'budgetExceeded')) return null
        throw error
      })
      // The others have no room before the outcomes so far arrive.
      if (answer === null) break
      outcomes.push(...answer.outcomes)
      for (const [at, outcome] of answer.outcomes.entries())
        if (outcome.kind === 'applied' && outcome.stamps !== undefined)
          own.add(part.batches[at]!.items, outcome.stamps)
      failures.push(...answer.failures)
      lease = answer.lease
      era = answer.era
      if (answer.outcomes.length < part.batches.length) break
    }
    return { era, outcomes, failures, lease }
  }

  async era(caller: Caller): Promise<string> {
    const { runs, within } = this.#options
    const predicted = notesOf(caller, [REPLICA_ERA])
    if (predicted.length === 0) return ''
    const { value } = await within(caller, (time) =>
      repeated(time, () =>
        runs.read(caller, null, (local, as) => local.replicas!.era(as), { predicted }),
      ),
    )
    return value
  }

  /** A decision loads what it selects: the keys are read before it. */
  async expire(days: number, caller: Caller): Promise<number> {
    const { runs, within, clock, read } = this.#options
    const { names } = caller
    const dataClass = names.catalog.byName.get(ReplicaState.name)
    if (dataClass === undefined) return 0
    const page = await read(
      {
        ...PLAIN_PAGE,
        source: { kind: 'all', dataClass },
        filter: expiredAt(clock.now(), days),
        skip: 0,
        top: EXPIRED_AT_ONCE,
        maxEntities: EXPIRED_AT_ONCE,
        projection: buildProjection(dataClass, {
          names,
          attributes: [dataClass.key.name],
          maxPathDepth: 1,
        }),
      },
      caller,
    )
    const keys = page!.records.flatMap((record) => (record === null ? [] : [String(record.key)]))
    if (keys.length === 0) return 0
    const { value } = await within(caller, (time) =>
      runs.write(
        'what is noted of replicas',
        caller,
        { predicted: notesOf(caller, [...keys, REPLICA_ERA]), written: new Set([dataClass]) },
        (local, as) => local.replicas!.expire(days, as, keys),
        { time },
      ),
    )
    return value
  }

  /** A function that does not end in time is refused in a transaction of its own. */
  async #decidePart(query: BatchQuery, caller: Caller, more: number): Promise<BatchAnswer> {
    const { within } = this.#options
    if (!isCall(query)) return within(caller, (time) => this.#run(query, caller, time), more)
    let isOver = false
    try {
      return await within(
        caller,
        async (time) => {
          const ends = query.callTime.whenOver(() => {
            isOver = true
            time.expire()
          })
          try {
            return await this.#run(query, caller, time, NEVER_OVER)
          } finally {
            ends()
          }
        },
        more,
      )
    } catch (error) {
      if (!isOver) throw error
      return within(caller, (time) => this.#run(query, caller, time, { isOver: true }), more)
    }
  }

  async #run(
    query: BatchQuery,
    caller: Caller,
    time: RequestTime,
    callTime: Partial<BatchQuery['callTime']> = {},
  ): Promise<BatchAnswer> {
    const { runs, log } = this.#options
    const { catalog } = caller.names
    const state = catalog.byName.get(ReplicaState.name)
    const predicted = notesOf(caller, [query.replica, REPLICA_ERA])
    const decided = await runs.write(
      'the batches of a replica',
      caller,
      { predicted, written: new Set(state === undefined ? [] : [state]) },
      (local, as) =>
        local.replicas!.decide({ ...query, callTime: { ...query.callTime, ...callTime } }, as),
      { time },
    )
    const { value } = decided
    // Batches that were decided before: no commit follows that would complete a later moment.
    const isKnown = !time.isStored && value.outcomes.some(({ kind }) => kind === 'applied')
    const globalStamp = isKnown
      ? await repeated(time, () => log.lastChange(ReplicaState.name, query.replica))
      : decided.globalStamp
    return {
      ...value,
      // The database has numbered the commits: the last of them includes the others.
      outcomes: value.outcomes.map((outcome) =>
        outcome.kind === 'applied' ? { ...outcome, globalStamp } : outcome,
      ),
    }
  }
}

/** Entities of `ReplicaState`, to be read with the first round trip. */
function notesOf({ names: { catalog } }: Caller, keys: readonly string[]): readonly Missing[] {
  const dataClass = catalog.byName.get(ReplicaState.name)
  if (dataClass === undefined) return []
  return keys.map((key) => ({ kind: 'entity', dataClass, key }))
}

/** The time of a call is that of its transaction, which must not commit after it. */
const NEVER_OVER: Partial<BatchQuery['callTime']> = { whenOver: () => () => {} }

const isCall = ({ batches }: BatchQuery): boolean => batches[0]?.call !== undefined

/** Queries that are decided one after the other. The last one leases keys. */
function partsOf(query: BatchQuery): readonly BatchQuery[] {
  const groups: BatchQuery['batches'][number][][] = [[]]
  for (const batch of query.batches) {
    const last = groups.at(-1)!
    const hasRoom = last.length < BATCHES_OF_TRANSACTION && last.at(-1)?.call === undefined
    if (last.length === 0 || (hasRoom && batch.call === undefined)) last.push(batch)
    else groups.push([batch])
  }
  return groups.map((batches, at) => ({
    ...query,
    batches,
    lease: at === groups.length - 1 ? query.lease : new Map(),
  }))
}

/** Names the dataclass only if the caller knows it. */
function refusalOf({ names }: Caller, name: string): Error {
  return names.findDataClass(name) === undefined
    ? notOnThisEngine(
        'A shape whose row filter reads a dataclass that is not mirrored',
        'Add the dataclasses of row filters to the option mirror.dataClasses of the store.',
      )
    : notOnThisEngine(
        `A shape that reads "${name}"`,
        `Add "${name}" to the option mirror.dataClasses of the store.`,
      )
}
