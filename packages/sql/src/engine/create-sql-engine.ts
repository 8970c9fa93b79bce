import { type Clock, isEntiaError } from '@entia/core'
import type {
  Caller,
  CallQuery,
  CallResult,
  Engine,
  EngineFeatures,
  EngineObservation,
  EngineOperating,
  MetricFamily,
  RemoveAnswer,
  RemoveQuery,
  WriteAnswer,
  WriteQuery,
} from '@entia/engine'
import type { RequestTime } from '../connect/request-time.ts'
import type { CommitLog } from '../live/commit-log.ts'
import type { LiveQueries, ReadSelection } from '../live/live-queries.ts'
import type { Mirror } from '../mirror/mirror.ts'
import type { MirrorAnswers } from '../mirror/mirror-answers.ts'
import { MirrorReads } from '../mirror/mirror-reads.ts'
import type { SetContext } from '../read/asked-set.ts'
import type { Replicas } from '../read/replicas.ts'
import type { ReadLocally } from '../read/sql-reader.ts'
import type { SqlServerState } from '../server-state/server-state.ts'
import { sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { type Bounds, bounded, boundedReads, repeated, repeating } from './bounded-calls.ts'
import {
  EntitySetTransfer,
  releaseSet,
  setsOfCall,
  setsOfRemoval,
  setsOfSelection,
} from './entity-set-transfer.ts'
import type { LocalRuns } from './local-runs.ts'
import { attemptOfSave, predictedOfRemoval, predictedOfWrite, writtenOf } from './predicted.ts'
import { ReplicaReads } from './replica-reads.ts'
import { sqlLocking } from './sql-locking.ts'
import { StoreReplicas } from './store-replicas.ts'

/** A mirror, and what answers from it. */
interface SqlMirror {
  readonly answers: MirrorAnswers
  readonly figures: Pick<Mirror, 'metrics' | 'classes' | 'reach'>
}

/** The parts that an engine over PostgreSQL is made of. */
export interface SqlEngineParts extends Bounds {
  readonly clock: Clock
  readonly context: SetContext
  readonly state: SqlServerState
  readonly runs: LocalRuns
  /** The most entities of a set that a decision loads. */
  readonly maxRows: number
  readonly live: LiveQueries
  readonly log: CommitLog
  readonly replicas: Replicas
  /** Null without a mirror. */
  readonly mirror: SqlMirror | null
  readonly tallying: EngineObservation['tallying']
  readonly operating: Pick<EngineOperating, 'sizes' | 'storage'>
  readonly metrics: () => Promise<readonly MetricFamily[]>
}

/** The engine of a store over PostgreSQL. Failures of the database become errors for callers. */
export function createSqlEngine(parts: SqlEngineParts): Engine {
  const { context, state, runs } = parts
  const { mirror } = parts
  const reader = new ReplicaReads(context, parts.replicas, readLocally(parts))
  const locking = (time: RequestTime) => sqlLocking(context.model, state.locks, runs, time)
  const { sessions, entitySets, uploads } = state
  const within = bounded(parts)
  const again = repeating(within)
  const database = boundedReads(reader, again)
  const { dataset, filtersOf } = context
  const mirrored = mirror && new MirrorReads({ ...mirror, dataset, filtersOf, within, database })
  const reads = mirrored ?? database
  return {
    catalog: context.model.catalog,
    get instanceId() {
      return context.dataset.id
    },
    features: FEATURES,
    lastCommit: null,
    position: mirror && (() => ({ instanceId: dataset.id, globalStamp: dataset.globalStamp })),
    sessions: {
      open(options) {
        const fresh = sessions.fresh()
        return again(null, () => sessions.open(options, fresh))
      },
      touch: (token) => again(null, () => sessions.touch(token)),
      login(token, user, options) {
        const fresh = sessions.fresh()
        return again(null, () => sessions.login(token, user, options, fresh))
      },
      identified: (user, options) => again(null, () => sessions.identified(user, options)),
      close: (token) => again(null, () => sessions.close(token)),
      whenEnded: (session, ended) => sessions.whenEnded(session, ended),
    },
    replicas: new StoreReplicas({
      mirror: mirror?.figures ?? null,
      log: parts.log,
      dataset,
      runs,
      clock: parts.clock,
      read: (page, as) => database.readSelection(page, as),
      within,
    }),
    observation: {
      conditionOf(query, caller) {
        try {
          return reader.primary.conditionOf(query, caller)
        } catch (error) {
          if (isEntiaError(error)) return null
          throw error
        }
      },
      planOf: (query, caller) => reader.primary.planOf(query, caller),
      tallying: parts.tallying,
    },
    operating: {
      sizes: () => within(null, () => parts.operating.sizes()),
      storage: () => within(null, () => parts.operating.storage()),
      createIndex: null,
    },
    readEntity: (query, caller) => reads.readEntity(query, caller),
    readSelection: (query, caller) => reads.readSelection(query, caller),
    compute: (query, caller) => reads.compute(query, caller),
    distinct: (query, caller) => reads.distinct(query, caller),
    group: (query, caller) => reads.group(query, caller),
    follow: (query, caller) =>
      again(caller, async () => {
        const followed = await mirrored?.follow(query, caller)
        if (followed !== undefined) return followed
        const read: ReadSelection = (page, as) => reader.primary.readSelection(page, as)
        return parts.live.follow(read, query, caller)
      }),
    write: (query, caller) => within(caller, (time) => write(parts, query, caller, time)),
    remove: (query, caller) => within(caller, (time) => remove(parts, query, caller, time)),
    call: (query, caller) => within(caller, (time) => call(parts, query, caller, time)),
    lock: (query, caller, begin) =>
      within(caller, (time) => locking(time).lock(query, caller, begin)),
    unlock: (query, caller) => within(caller, (time) => locking(time).unlock(query, caller)),
    async ping() {
      await again(null, () => context.pool.query(PING))
    },
    info: (caller) =>
      again(caller, async () => {
        const { bytes } = await entitySets.size()
        return {
          cacheSize: bytes,
          usedCache: bytes,
          entitySets: await entitySets.list(),
          sessions: await sessions.list(),
        }
      }),
    metrics: () =>
      within(null, async () => [
        ...(await parts.metrics()),
        ...reader.metrics(),
        ...(mirror?.figures.metrics() ?? []),
      ]),
    upload: (media, lifetimeSeconds, caller) =>
      again(caller, () => uploads.put(media, lifetimeSeconds === null ? {} : { lifetimeSeconds })),
    uploaded: (id, caller) => again(caller, async () => (await uploads.get(id)) ?? null),
    releaseEntitySet: (dataClass, id, caller) =>
      within(caller, (time) => releaseSet(time, entitySets, id, caller.session, dataClass.name)),
    releaseEntitySets: (ids, caller) =>
      again(caller, async () => {
        await entitySets.releaseAll(ids, caller.session)
      }),
  }
}

/** The database tests text and orders, and has no scores. */
const FEATURES: EngineFeatures = { recordOrder: 'creation', live: 'recompute', relevance: false }

const PING = statementOf(sql`SELECT 1`)

/** Reads by core's own code. The entity sets of a query come along. */
const readLocally =
  ({ context, runs, maxRows }: SqlEngineParts): ReadLocally =>
  async (caller, query, body, first) => {
    const sets = new EntitySetTransfer(context, context.filtersOf(caller), maxRows)
    if (query !== null && 'source' in query) await sets.load(setsOfSelection(query), caller.session)
    const { value } = await sets.around(
      null,
      (local, as, working) =>
        body(local, as, { working, keeping: (keep) => sets.once(keep, working) }),
      (run) => runs.read(caller, query, run, { first, predicted: sets.predicted }),
    )
    return value
  }

async function write(
  { runs }: SqlEngineParts,
  query: WriteQuery,
  caller: Caller,
  time: RequestTime,
): Promise<WriteAnswer> {
  const { value, globalStamp } = await runs.write(
    'a save',
    caller,
    { predicted: predictedOfWrite(query), written: query.refresh ? undefined : writtenOf(query) },
    (local, as) => local.write(query, as),
    { time, attempt: attemptOfSave(query) },
  )
  return { ...value, globalStamp }
}

async function remove(
  parts: SqlEngineParts,
  query: RemoveQuery,
  caller: Caller,
  time: RequestTime,
): Promise<RemoveAnswer> {
  const { context, maxRows } = parts
  const sets = new EntitySetTransfer(context, context.filtersOf(caller), maxRows)
  await repeated(time, () => sets.load(setsOfRemoval(query), caller.session))
  const predicted = [...predictedOfRemoval(query), ...sets.predicted]
  const { value, globalStamp } = await parts.runs.write(
    'a deletion',
    caller,
    { predicted, written: writtenOf(query) },
    (local, as, working) => {
      sets.put(working, as.session)
      return local.remove(query, as)
    },
    { time, attempt: query.items?.length === 1 ? 'known' : undefined },
  )
  return { ...value, globalStamp }
}

async function call(
  parts: SqlEngineParts,
  query: CallQuery,
  caller: Caller,
  time: RequestTime,
): Promise<CallResult | null> {
  const { context, maxRows } = parts
  const sets = new EntitySetTransfer(context, context.filtersOf(caller), maxRows)
  await repeated(time, () => sets.load(setsOfCall(query), caller.session))
  const { predicted } = sets
  const { value: result, globalStamp } = await sets.around(
    time,
    (local, as, working) => local.call({ ...query, keep: sets.once(query.keep, working) }, as),
    (run) => parts.runs.write(`the function "${query.name}"`, caller, { predicted }, run, { time }),
  )
  return result === null || result.kind === 'reply' ? result : { ...result, globalStamp }
}
