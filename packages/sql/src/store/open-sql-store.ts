import { setTimeout as wait } from 'node:timers/promises'
import type {
  AnyDataClass,
  AsyncStore,
  CheckedClasses,
  CommitNotice,
  FunctionDefinition,
  LocalAsyncMembers,
  LocalAsyncStore,
  Model,
  ModelOf,
  StoreFunctionOf,
  Untyped,
} from '@entia/core'
import { buildCatalog, createNameRules, WorkingPool } from '@entia/core/kit'
import {
  DEFAULT_HOST,
  ENGINE,
  type Engine,
  type EngineOptions,
  type Every,
  Names,
  type NextSlice,
  type Served,
} from '@entia/rest/engine'
import { asyncUser } from '../async/sql-async.ts'
import type { AsyncPort } from '../async/sql-user.ts'
import type { SqlPool } from '../connect/port.ts'
import { createSqlEngine } from '../engine/create-sql-engine.ts'
import { LocalRuns } from '../engine/local-runs.ts'
import { CommitLog } from '../follow/commit-log.ts'
import { CommitPoller, type Pause } from '../follow/commit-poller.ts'
import { type CommitsOptions, followCommits } from '../follow/follow-commits.ts'
import { LiveQueries } from '../follow/live-queries.ts'
import { trimHistory } from '../follow/trim-history.ts'
import { callerFilters, ownFilters } from '../read/caller-filters.ts'
import { KnownCounts } from '../read/known-counts.ts'
import { checkDatabase, type MigrateOptions, migrate } from '../schema/migrate.ts'
import { type SqlModel, sqlModelOf } from '../schema/sql-model.ts'
import { SqlServerState } from '../state/server-state.ts'
import { databaseTime, type StatePort, type StateTime } from '../state/state-port.ts'
import { createStateTables, stateTables } from '../state/tables.ts'
import { SqlName, sql } from '../text/sql.ts'
import { statementOf } from '../text/statement.ts'
import { expectFunction } from '../write/expect-function.ts'
import { SqlDecider } from '../write/sql-decider.ts'
import { notInDecisions } from '../write/working-refusals.ts'
import { Housekeeping } from './housekeeping.ts'
import { type CheckedSqlOptions, checkSqlOptions, type SqlStoreOptions } from './sql-options.ts'

/** What a store over PostgreSQL has besides the members of asynchronous stores. */
export interface SqlStoreMembers extends Served {
  /** One id per dataset: the same for all processes that serve it. 32 hexadecimal digits. */
  readonly id: string
  /**
   * The commits after a global stamp, in order, then each new one of any process: none is repeated
   * or skipped. Ends with `close`. Of images and BLOBs a change has `{ mediaType, size }`. Rejects
   * with `argumentInvalid` for a stamp that never was, `historyTrimmed` for commits that are no
   * longer kept, and `engineUnavailable`: begin again after the last commit that you have.
   */
  changes(options: CommitsOptions): AsyncIterable<CommitNotice>
  /** Ends streams and iterations, and closes the pool. */
  close(): Promise<void>
}

/**
 * A store whose data are in PostgreSQL, as one user of the application: it sees everything.
 * `createRestHandler` serves it as it serves one in memory.
 */
export type SqlStore<M extends Model = Untyped, F = Untyped, S = Untyped> = SqlStoreMembers &
  Omit<LocalAsyncMembers<M, F, S>, 'changes' | 'close'> &
  Pick<LocalAsyncStore<M, F, S>, 'transact'> &
  AsyncStore<M, F, S>

type StoreFunctions<T extends readonly AnyDataClass[]> = {
  readonly [name: string]: StoreFunctionOf<ModelOf<T>>
}
/** The types of all dataclasses together are inferred from their definitions. */
export interface OpenSqlStore {
  <
    const T extends readonly AnyDataClass[],
    const F extends { readonly [name: string]: FunctionDefinition } = Record<never, never>,
    const S extends {
      readonly [name: string]: { readonly [name: string]: FunctionDefinition }
    } = Record<never, never>,
  >(
    options: SqlStoreOptions<
      T & CheckedClasses<T>,
      F & StoreFunctions<NoInfer<T>>,
      S & { readonly [name: string]: StoreFunctions<NoInfer<T>> }
    >,
  ): Promise<SqlStore<ModelOf<T>, F, S>>
  /** Options of the type `SqlStoreOptions` no longer tell their dataclasses. */
  (options: SqlStoreOptions): Promise<SqlStore>
}

/**
 * Opens the store of a database. Throws `argumentInvalid`, `modelInvalid`, and `databaseDiffers` for
 * a database that does not fit the model: `migrateDatabase` makes it fit. Cost: four round trips.
 */
export const openSqlStore: OpenSqlStore = async (options: SqlStoreOptions): Promise<Untyped> => {
  const checked = checkSqlOptions(options)
  const model = sqlModelOf(buildCatalog({ ...options }), tableOptions(options, checked))
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
  await checkModel(model, pool, checked)
  const question = sql`SELECT instance, replace(gen_random_uuid()::text, '-', '') FROM ${new SqlName(model.schema, 'entia_store')}`
  const { rows } = await pool.query(statementOf(question))
  const id = String(rows[0]![0])
  const processId = String(rows[0]![1])
  const { clock, ids, limits, reading, sharing, transactions, onError } = checked
  const port: StatePort = {
    pool,
    tables: stateTables(model.schema),
    time,
    clock,
    ids,
    cacheMilliseconds: sharing.cacheMilliseconds,
  }
  const state = new SqlServerState(port, checked)
  const decider = new SqlDecider({
    pool,
    model,
    state: port,
    globalStamp: checked.globalStamp,
    processId,
    working: new WorkingPool(catalog, { clock, ids, id, limits, refuse: notInDecisions }),
    maxRows: reading.maxResidualRows,
    wait: async (milliseconds) => wait(milliseconds),
    monotonic: () => clock.monotonic(),
    onError,
  })
  const closing = new AbortController()
  const log = new CommitLog(pool, model)
  const poller = new CommitPoller({ log, pause, onError })
  const rules = createNameRules(limits)
  const context = {
    pool,
    model,
    rules,
    instanceId: id,
    monotonic: () => clock.monotonic(),
    counts: new KnownCounts(model, checked.globalStamp === 'exact'),
    filtersOf: callerFilters(rules, catalog),
    sets: state.entitySets,
    state: port,
  }
  const live = new LiveQueries({
    log,
    poller,
    instanceId: id,
    filtersOf: context.filtersOf,
    maxRows: reading.maxResidualRows,
    checkSessions: () => state.sessions.checkWatched(),
  })
  const housekeeping = new Housekeeping({
    every,
    sweeps: [() => state.sweep(), () => trimHistory(pool, model, checked.history)],
    onError,
  })
  const runs = (nextSlice: NextSlice): LocalRuns =>
    new LocalRuns(decider, nextSlice, (session) =>
      session === null ? null : state.sessions.idOf(session),
    )
  const engine = ({ host }: EngineOptions): Engine =>
    createSqlEngine({
      catalog,
      instanceId: id,
      features: { recordOrder: 'creation', globalStamp: stampFeature(checked), live: 'recompute' },
      context,
      state,
      runs: runs(host.nextSlice),
      maxRows: reading.maxResidualRows,
      live,
    })
  const asyncPort: AsyncPort = {
    context,
    filters: ownFilters(rules, catalog),
    names: new Names(catalog, null),
    state,
    runs: runs(DEFAULT_HOST.nextSlice),
    maxRows: reading.maxResidualRows,
    maxTransactionMilliseconds: transactions.maxMilliseconds,
    after: (milliseconds, signal, done) =>
      wait(milliseconds, undefined, { signal, ref: false }).then(done, () => {}),
  }
  // Its dataclasses have the names of the model.
  const user: Untyped = asyncUser(asyncPort, null)
  return {
    ...user,
    catalog,
    id,
    [ENGINE]: engine,
    changes: (options) => followCommits({ log, poller, closed: closing.signal }, options),
    async close() {
      closing.abort()
      live.close()
      await Promise.all([poller.close(), housekeeping.close()])
      await pool.close()
    },
  }
}

/** Keeps the process alive: there is somebody who waits for commits. */
const untilTime: Pause = async (milliseconds, signal) => {
  await wait(milliseconds, undefined, { signal }).catch(() => {})
}

/** Throws `databaseDiffers` for a database that does not fit the tables. */
export const checkModel = (
  model: SqlModel,
  pool: SqlPool,
  { globalStamp }: Pick<CheckedSqlOptions, 'globalStamp'>,
): Promise<void> => checkDatabase(pool, model, { globalStamp, unicode: UNICODE })

/** How a database is made to fit. */
export interface MigrateDatabaseOptions {
  /** Old names by new ones: `{ 'Employee.surname': 'lastName' }`, `{ Person: 'Employee' }`. */
  readonly renamed?: MigrateOptions['renamed'] | undefined
  /** Drops the tables and columns that the model no longer has. */
  readonly drop?: boolean | undefined
  /** Answers the steps without taking them. */
  readonly dryRun?: boolean | undefined
}

/**
 * Makes a database fit the model of a store, and answers what was done, or with `dryRun` what would
 * be: nothing the second time. Throws `databaseDiffers` for what cannot be done.
 */
export function migrateDatabase(
  options: SqlStoreOptions,
  { renamed, drop, dryRun }: MigrateDatabaseOptions = {},
): Promise<readonly string[]> {
  const checked = checkSqlOptions(options)
  const model = sqlModelOf(buildCatalog({ ...options }), tableOptions(options, checked))
  return migrateModel(model, options.database, checked, { renamed, drop, dryRun })
}

/** The same for tables that are worked out already. */
export function migrateModel(
  model: SqlModel,
  pool: SqlPool,
  { globalStamp, ids }: Pick<CheckedSqlOptions, 'globalStamp' | 'ids'>,
  { renamed, drop, dryRun }: MigrateDatabaseOptions = {},
): Promise<readonly string[]> {
  return migrate(pool, model, {
    globalStamp,
    newInstance: () => ids.uuid().replaceAll('-', '').toUpperCase(),
    unicode: UNICODE,
    furtherTables: [
      ...createStateTables(stateTables(model.schema)).map((piece) => statementOf(piece).text),
      expectFunction(model.schema),
    ],
    ...(renamed === undefined ? {} : { renamed }),
    ...(drop === undefined ? {} : { drop }),
    ...(dryRun === undefined ? {} : { dryRun }),
  })
}

/** The version of Unicode that this process folds texts with. */
export const UNICODE = process.versions.unicode ?? 'unknown'

const tableOptions = ({ tables }: SqlStoreOptions, { schema }: CheckedSqlOptions) =>
  tables === undefined ? { schema } : { schema, tables }

const stampFeature = ({ globalStamp }: CheckedSqlOptions) =>
  globalStamp === 'exact' ? 'dense' : 'rising'
