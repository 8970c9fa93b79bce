import type { Catalog } from '@entia/core'
import {
  type Caller,
  type CallQuery,
  type CallResult,
  type Engine,
  type EngineFeatures,
  type Keeping,
  oneMetric,
  type RemoveAnswer,
  type RemoveQuery,
  restError,
  type WriteAnswer,
  type WriteQuery,
} from '@entia/rest/engine'
import type { LiveQueries } from '../follow/live-queries.ts'
import type { SetContext } from '../read/asked-set.ts'
import { type ReadLocally, SqlReader } from '../read/sql-reader.ts'
import type { SqlServerState } from '../state/server-state.ts'
import { sql } from '../text/sql.ts'
import { statementOf } from '../text/statement.ts'
import { publicError } from '../write/sql-decider.ts'
import {
  CarriedSets,
  type CreatedSet,
  setsOfCall,
  setsOfRemoval,
  setsOfSelection,
} from './carried-sets.ts'
import type { LocalRuns } from './local-runs.ts'
import { predictedOfRemoval, predictedOfWrite, writtenOf } from './predicted.ts'
import { readAgain } from './read-again.ts'
import { SqlLocking } from './sql-locking.ts'

/** The parts that an engine over PostgreSQL is made of. */
export interface SqlEngineParts {
  readonly catalog: Catalog
  readonly instanceId: string
  readonly features: EngineFeatures
  readonly context: SetContext
  readonly state: SqlServerState
  readonly runs: LocalRuns
  /** The most entities of a set that a decision loads. */
  readonly maxRows: number
  readonly live: LiveQueries
}

/** The engine of a store over PostgreSQL. Failures of the database become errors for callers. */
export function createSqlEngine(parts: SqlEngineParts): Engine {
  const { context, state, runs } = parts
  const reader = new SqlReader(context, readLocally(parts))
  const locking = new SqlLocking(context.model, state.locks, runs)
  const { sessions, entitySets, uploads } = state
  return guarded({
    catalog: parts.catalog,
    instanceId: parts.instanceId,
    features: parts.features,
    lastCommit: null,
    sessions: {
      open: translated((options) => sessions.open(options)),
      touch: translated((token) => readAgain(() => sessions.touch(token))),
      login: translated((token, user, options) => sessions.login(token, user, options)),
      identified: translated((user, options) => sessions.identified(user, options)),
      close: translated((token) => sessions.close(token)),
      whenEnded: (session, ended) => sessions.whenEnded(session, ended),
    },
    readEntity: (query, caller) => readAgain(() => reader.readEntity(query, caller)),
    readSelection: (query, caller) => readAgain(() => reader.readSelection(query, caller)),
    compute: (query, caller) => readAgain(() => reader.compute(query, caller)),
    distinct: (query, caller) => readAgain(() => reader.distinct(query, caller)),
    group: (query, caller) => readAgain(() => reader.group(query, caller)),
    follow: (query, caller) =>
      parts.live.follow((page, as) => reader.readSelection(page, as), query, caller),
    write: (query, caller) => write(parts, query, caller),
    remove: (query, caller) => remove(parts, query, caller),
    call: (query, caller) => call(parts, query, caller),
    lock: (query, caller, begin) => locking.lock(query, caller, begin),
    unlock: (query, caller) => locking.unlock(query, caller),
    async ping() {
      await context.pool.query(PING)
    },
    async info() {
      const { bytes } = await entitySets.size()
      return {
        cacheSize: bytes,
        usedCache: bytes,
        entitySets: await entitySets.list(),
        sessions: await sessions.list(),
      }
    },
    async metrics() {
      const { count, bytes } = await entitySets.size()
      return [
        oneMetric('gauge', 'entity_sets', 'Entity sets that are kept.', count),
        oneMetric('gauge', 'entity_set_bytes', 'Bytes of entity sets.', bytes),
        oneMetric('gauge', 'sessions', 'Open sessions.', await sessions.size()),
        oneMetric('gauge', 'locks', 'Locks of entities.', await state.locks.size()),
        oneMetric('gauge', 'uploads', 'Uploads that wait for a write.', await uploads.size()),
      ]
    },
    upload: (media, lifetimeSeconds) =>
      uploads.put(media, lifetimeSeconds === null ? {} : { lifetimeSeconds }),
    uploaded: async (id) => (await uploads.get(id)) ?? null,
    async releaseEntitySet(dataClass, id, { session }) {
      const found = await entitySets.peek(id, session)
      if (found !== undefined && found.dataClass !== dataClass.name)
        throw restError('entitySetOfOtherClass', {
          id: id.slice(0, 40),
          dataClass: dataClass.name,
        })
      return entitySets.release(id, session)
    },
    async releaseEntitySets(ids, { session }) {
      await entitySets.releaseAll(ids, session)
    },
  })

  /** Errors of the database become those of the interface. */
  function guarded(engine: Engine): Engine {
    const members = Object.entries(engine).map(([name, member]) => [
      name,
      typeof member === 'function' ? translated(member) : member,
    ])
    return { ...(Object.fromEntries(members) as Engine), sessions: engine.sessions }
  }
}

const PING = statementOf(sql`SELECT 1`)

/** A call whose failures of the database become errors for callers. */
const translated =
  <A extends readonly unknown[], R>(call: (...parameters: A) => R) =>
  async (...parameters: A): Promise<Awaited<R>> => {
    try {
      return await call(...parameters)
    } catch (error) {
      throw publicError(error)
    }
  }

/** Reads by core's own code. The entity sets of a query come along. */
const readLocally =
  ({ context, runs, maxRows }: SqlEngineParts): ReadLocally =>
  async (caller, query, body, first) => {
    const sets = new CarriedSets(context, maxRows)
    if (query !== null && 'source' in query) await sets.load(setsOfSelection(query), caller.session)
    const { value, created } = await runs.read(
      caller,
      query,
      async (local, as, working) => {
        sets.put(working, as.session)
        const keeping = (keep: Keeping | null) => sets.once(keep, working)
        const value = await body(local, as, { working, keeping })
        return { value, created: sets.created(working, as.session) }
      },
      { first, predicted: sets.predicted },
    )
    await sets.keep(created)
    return value
  }

async function write(
  { runs }: SqlEngineParts,
  query: WriteQuery,
  caller: Caller,
): Promise<WriteAnswer> {
  const { value, globalStamp } = await runs.write(
    'a save',
    caller,
    { predicted: predictedOfWrite(query), written: query.refresh ? undefined : writtenOf(query) },
    (local, as) => local.write(query, as),
  )
  return { ...value, globalStamp }
}

async function remove(
  parts: SqlEngineParts,
  query: RemoveQuery,
  caller: Caller,
): Promise<RemoveAnswer> {
  const sets = new CarriedSets(parts.context, parts.maxRows)
  await sets.load(setsOfRemoval(query), caller.session)
  const predicted = [...predictedOfRemoval(query), ...sets.predicted]
  const { value, globalStamp } = await parts.runs.write(
    'a deletion',
    caller,
    { predicted, written: writtenOf(query) },
    (local, as, working) => {
      sets.put(working, as.session)
      return local.remove(query, as)
    },
  )
  return { ...value, globalStamp }
}

async function call(
  parts: SqlEngineParts,
  query: CallQuery,
  caller: Caller,
): Promise<CallResult | null> {
  const sets = new CarriedSets(parts.context, parts.maxRows)
  await sets.load(setsOfCall(query), caller.session)
  const { value, globalStamp } = await parts.runs.write(
    `the function "${query.name}"`,
    caller,
    { predicted: sets.predicted },
    async (local, as, working) => {
      sets.put(working, as.session)
      const result = await local.call({ ...query, keep: sets.once(query.keep, working) }, as)
      return { result, created: sets.created(working, as.session) }
    },
  )
  await sets.keep(value.created satisfies readonly CreatedSet[])
  const { result } = value
  return result === null || result.kind === 'reply' ? result : { ...result, globalStamp }
}
