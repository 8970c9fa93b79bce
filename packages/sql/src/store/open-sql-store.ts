import { setTimeout as wait } from 'node:timers/promises'
import type { Untyped } from '@entia/core'
import { createNameRules, type Predicate } from '@entia/core/internal'
import {
  DEFAULT_HOST,
  ENGINE,
  type Engine,
  type EngineOptions,
  type Every,
  Names,
  type NextSlice,
  WorkingPool,
} from '@entia/engine'
import { asyncUser } from '../async/sql-async.ts'
import type { AsyncPort } from '../async/sql-user.ts'
import type { SqlPool } from '../connect/port.ts'
import { hostAfter, RequestTime } from '../connect/request-time.ts'
import { createSqlEngine } from '../engine/create-sql-engine.ts'
import { LocalRuns } from '../engine/local-runs.ts'
import { CommitLog } from '../live/commit-log.ts'
import { CommitPoller, type Pause } from '../live/commit-poller.ts'
import { followCommits } from '../live/follow-commits.ts'
import { LiveQueries } from '../live/live-queries.ts'
import { trimHistory } from '../live/trim-history.ts'
import { databaseSizes } from '../measure/database-sizes.ts'
import { StoreMeasures } from '../measure/store-measures.ts'
import { openMirror } from '../mirror/open-mirror.ts'
import { Bookmarks } from '../read/bookmarks.ts'
import { callerFilters, ownFilters } from '../read/caller-filters.ts'
import { KnownCounts } from '../read/known-counts.ts'
import { Replicas } from '../read/replicas.ts'
import { StatementCache } from '../read/statement-cache.ts'
import { readDataset } from '../schema/dataset.ts'
import { storeRow } from '../schema/entia-tables.ts'
import { explainingPool, ModelVersion } from '../schema/model-version.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import { SqlServerState } from '../server-state/server-state.ts'
import { databaseTime, type StatePort, type StateTime } from '../server-state/state-port.ts'
import { stateTables } from '../server-state/tables.ts'
import { isTranslatable } from '../translate/predicate-sql.ts'
import { RecentRows } from '../write/recent-rows.ts'
import { SqlDecider } from '../write/sql-decider.ts'
import { notInDecisions } from '../write/working-refusals.ts'
import { Housekeeping } from './housekeeping.ts'
import { checkModel, tablesOf } from './migrate-database.ts'
import {
  type CheckedSqlOptions,
  checkSqlOptions,
  type OpenSqlStore,
  type SqlStore,
  type SqlStoreOptions,
} from './sql-options.ts'

/**
 * Opens the store of a database. Throws `argumentInvalid`, `modelInvalid`, and `databaseDiffers`
 * for a database that does not fit the model: `migrateDatabase` makes it fit. Cost: four round
 * trips.
 *
 * @example
 * ```ts
 * import { migrateDatabase } from '@entia/sql'
 * import { pglitePool } from '@entia/sql/pglite'
 * const options = { name: 'hr', dataClasses, database: pglitePool() }
 * await migrateDatabase(options)
 * const db = await openSqlStore(options)
 * const acme = await db.Company.insert({ name: 'Acme' })
 * acme.key // → 1
 * await db.close()
 * ```
 */
export const openSqlStore: OpenSqlStore = async (options: SqlStoreOptions): Promise<Untyped> => {
  const checked = checkSqlOptions(options)
  const model = tablesOf(options, checked)
  return openModel(model, options.database, checked)
}

/** The same for tables that are worked out already. The clock and the timers are for tests. */
export async function openModel(
  model: SqlModel,
  pool: SqlPool,
  checked: CheckedSqlOptions,
  time: StateTime = databaseTime,
  pause: Pause = untilTime,
  every: Every = DEFAULT_HOST.every,
): Promise<SqlStore> {
  const { catalog } = model
  await checkModel(model, pool)
  const { dataset, processId, migrations, writer } = await readDataset(pool, model.schema)
  const version = new ModelVersion(pool, model.schema, migrations)
  const { clock, ids, limits, reading, requests, sharing, transactions, onError } = checked
  const monotonic = (): number => clock.monotonic()
  const measures = new StoreMeasures(explainingPool(pool, version), monotonic)
  const port: StatePort = {
    pool: measures.poolFor('state'),
    tables: stateTables(model.schema),
    time,
    clock,
    ids,
    cacheMilliseconds: sharing.cacheMilliseconds,
  }
  const { volatileState } = checked
  const state = new SqlServerState(port, checked)
  const answers = (comparison: Predicate): boolean => isTranslatable(model, comparison)
  const workingPool = dataset.perEpoch(
    (id) => new WorkingPool(catalog, { clock, ids, id, limits, answers, refuse: notInDecisions }),
  )
  const recent = dataset.perEpoch(() => new RecentRows(model, dataset.epoch))
  const decider = new SqlDecider({
    pool: measures.poolFor('decide'),
    shared: measures.sharedPoolFor('decide'),
    figures: measures.figures.decisions,
    model,
    state: port,
    processId,
    version,
    get working() {
      return workingPool()
    },
    get recent() {
      return recent()
    },
    dataset,
    writer,
    maxRows: reading.maxResidualRows,
    wait: async (milliseconds) => wait(milliseconds),
    monotonic,
    random: Math.random,
    onCommit: (globalStamp) => {
      dataset.note(globalStamp)
      volatileState.wakeUps?.publish(globalStamp)
    },
    after: hostAfter,
    maxMilliseconds: requests.maxMilliseconds,
    onError,
  })
  const closing = new AbortController()
  const log = new CommitLog(measures.poolFor('follow'), model)
  const poller = new CommitPoller({ log, pause, wakeUps: volatileState.wakeUps, onError })
  const rules = createNameRules(limits)
  const counts = new KnownCounts(model)
  const context = {
    pool: measures.poolFor('read'),
    shared: measures.sharedPoolFor('read'),
    model,
    rules,
    dataset,
    monotonic,
    after: hostAfter,
    counts,
    bookmarks: new Bookmarks(model, counts),
    pieces: new StatementCache(),
    storeRow: storeRow(model.schema),
    filtersOf: callerFilters(rules, catalog),
    sets: state.entitySets,
  }
  const replicas = new Replicas({
    primary: context.pool,
    replicas: checked.replicas,
    model,
    instance: dataset.instance,
    monotonic,
  })
  const live = new LiveQueries({
    log,
    poller,
    dataset,
    filtersOf: context.filtersOf,
    maxRows: reading.maxResidualRows,
    checkSessions: () => state.sessions.checkWatched(),
  })
  const mirror = await openMirror(checked.mirror, {
    pool: measures.poolFor('follow'),
    model,
    dataset,
    limits,
    clock,
    poller,
    wakeUps: volatileState.wakeUps,
    checkSessions: () => state.sessions.checkWatched(),
    pause,
    after: hostAfter,
    nextSlice: DEFAULT_HOST.nextSlice,
    onError: checked.onMirrorOff,
  })
  const housekeeping = new Housekeeping({
    every,
    sweeps: [
      () => state.sweep(),
      () => trimHistory(measures.poolFor('housekeeping'), model, checked.history),
    ],
    onError,
  })
  const runs = (nextSlice: NextSlice): LocalRuns =>
    new LocalRuns(decider, nextSlice, (session) =>
      session === null ? null : state.sessions.idOf(session),
    )
  const sampling = measures.sampling({ model, state })
  const metrics = measures.metrics(
    { model, counts: counts.figures, followed: () => poller.followed },
    sampling,
  )
  const sizePool = measures.poolFor('housekeeping')
  const requestTime = (more = 0): RequestTime =>
    new RequestTime(hostAfter, requests.maxMilliseconds + more)
  const engine = ({ host }: EngineOptions): Engine =>
    createSqlEngine({
      clock,
      context,
      state,
      runs: runs(host.nextSlice),
      maxRows: reading.maxResidualRows,
      live,
      log,
      replicas,
      mirror,
      timeFor: (waited) => requestTime(-waited),
      metrics,
      tallying: measures.tallying,
      operating: {
        sizes: () => databaseSizes(sizePool, model, sampling),
        storage: async () => ({
          kind: 'postgresql',
          database: (await sampling.take())?.database ?? null,
        }),
      },
      stoppable: measures.stoppable,
    })
  const asyncPort: AsyncPort = {
    context,
    filters: ownFilters(rules, catalog),
    names: new Names(catalog, null),
    state,
    runs: runs(DEFAULT_HOST.nextSlice),
    mirror: mirror?.answers ?? null,
    maxRows: reading.maxResidualRows,
    maxConnections: pool.state?.().max ?? Number.POSITIVE_INFINITY,
    transactions,
    requestTime,
    after: (milliseconds, signal, done) =>
      wait(milliseconds, undefined, { signal, ref: false }).then(done, () => {}),
  }
  // Its dataclasses have the names of the model.
  const user: Untyped = asyncUser(asyncPort, null)
  return {
    ...user,
    catalog,
    get id() {
      return dataset.id
    },
    [ENGINE]: engine,
    mirror: mirror?.figures ?? null,
    changes: (options) => followCommits({ log, poller, dataset, closed: closing.signal }, options),
    async close() {
      closing.abort()
      live.close()
      await Promise.all([poller.close(), housekeeping.close(), mirror?.figures.close()])
      await volatileState.close?.()
      await Promise.all([pool, ...checked.replicas].map((each) => each.close()))
    },
  }
}

/** Keeps the process alive: there is somebody who waits for commits. */
const untilTime: Pause = async (milliseconds, signal) => {
  await wait(milliseconds, undefined, { signal }).catch(() => {})
}
