import type {
  AnyDataClass,
  ChangesOptions,
  CheckedClasses,
  Clock,
  CommitNotice,
  FunctionDefinition,
  Ids,
  LocalAsyncStore,
  Model,
  ModelOf,
  StoreFunctionOf,
  Untyped,
} from '@entia/core'
import {
  type CatalogOptions,
  checkNames,
  checkObject,
  DEFAULT_FILTER_LIMITS,
  defaultClock,
  defaultIds,
  describeFound,
  type FilterLimits,
  fromZero,
  numbersOf,
  type OptionGroup,
  type OptionGroups,
  refused,
  SERVER_STATE_OPTIONS,
  type ServerStateLimits,
} from '@entia/core/internal'
import type { Served } from '@entia/engine'
import type { SqlPool } from '../connect/port.ts'
import type { HistoryLimits } from '../live/trim-history.ts'
import type { VolatileState } from '../live/wake-ups.ts'
import type { SqlMirror } from '../mirror/mirror.ts'
import { MAX_NAME_BYTES } from '../schema/names.ts'
import type { TableNames } from '../schema/sql-model.ts'

/** How much one read, function or write may load. */
export interface SqlReadingLimits {
  /**
   * The most entities of one dataclass that a condition without SQL, a hook or a function may load
   * at once: 10 000 unless given.
   */
  readonly maxResidualRows: number
}

/** How sessions of other processes are seen. */
export interface SqlSessionOptions {
  /**
   * Milliseconds that a process answers reads from what it knows of a session: 1000 unless given.
   */
  readonly cacheMilliseconds: number
}

type Functions = NonNullable<CatalogOptions['functions']>
type Singletons = NonNullable<CatalogOptions['singletons']>

/** How long a transaction may take, and how much it may load. */
export interface SqlTransactionLimits {
  /** Milliseconds of a body of `transact`: 5000 unless given. It keeps a connection meanwhile. */
  readonly maxMilliseconds: number
  /** The most rows of a `load` in one commit: 50 000 unless given. They are in memory meanwhile. */
  readonly maxLoadRows: number
}

/** How long a request may take. */
export interface SqlRequestLimits {
  /**
   * Milliseconds of one request, with all its statements, attempts and waits for connections:
   * 40 000 unless given. It ends with `engineUnavailable`. A commit whose answer is missing then is
   * looked up for ten more seconds.
   */
  readonly maxMilliseconds: number
}

/** What a process keeps of the database in its memory. */
export interface SqlMirrorOptions {
  /** Names of the dataclasses. */
  readonly dataClasses: readonly string[]
  /** The most entities of all of them: 1 000 000 unless given. */
  readonly maxEntities?: number
}

/** What a store over PostgreSQL is made of. */
export interface SqlStoreOptions<T = readonly AnyDataClass[], F = Functions, S = Singletons>
  extends Partial<ServerStateLimits> {
  readonly name: string
  readonly dataClasses: T
  readonly functions?: F
  readonly singletons?: S
  /** `pgPool(…)` of `@entia/sql/pg`, or `pglitePool(…)` of `@entia/sql/pglite`. */
  readonly database: SqlPool
  /**
   * Pools of standbys that follow `database`: none unless given. Requests read from one that has
   * all that `database` had when the request came; others are answered by `database`.
   */
  readonly replicas?: readonly SqlPool[]
  /** The PostgreSQL schema: the store's name unless given. */
  readonly schema?: string
  /** Names of tables and columns that differ from those of the model. */
  readonly tables?: { readonly [dataClass: string]: TableNames }
  readonly limits?: Partial<FilterLimits>
  readonly reading?: Partial<SqlReadingLimits>
  readonly sharing?: Partial<SqlSessionOptions>
  /** How long `changes({ since })` reaches back: 100 000 commits and 24 hours unless given. */
  readonly history?: Partial<HistoryLimits>
  readonly transactions?: Partial<SqlTransactionLimits>
  /**
   * Keeps dataclasses in the memory of this process, as the database has them: requests that need
   * no others are answered there. None unless given.
   */
  readonly mirror?: SqlMirrorOptions
  /** Tells the other processes of commits, which they otherwise look for every 100 ms. */
  readonly volatileState?: VolatileState
  readonly requests?: Partial<SqlRequestLimits>
  /** The clock of timestamps. Sessions and sets expire by the clock of the database. */
  readonly clock?: Clock
  readonly ids?: Ids
  /** Called with failures that no caller gets, such as those of after-hooks. */
  readonly onError?: (error: unknown) => void
}

/** The options that are groups of numbers. */
interface SqlNumbers extends ServerStateLimits {
  readonly limits: FilterLimits
  readonly reading: SqlReadingLimits
  readonly sharing: SqlSessionOptions
  readonly history: HistoryLimits
  readonly transactions: SqlTransactionLimits
  readonly requests: SqlRequestLimits
}

const fromOne = () => ({ lowest: 1 })

const NUMBERS: OptionGroups<SqlNumbers> = {
  limits: { defaults: DEFAULT_FILTER_LIMITS, rangeOf: fromZero },
  reading: { defaults: { maxResidualRows: 10_000 }, rangeOf: fromOne },
  sharing: { defaults: { cacheMilliseconds: 1000 }, rangeOf: fromZero },
  history: { defaults: { commits: 100_000, hours: 24 }, rangeOf: fromZero },
  transactions: { defaults: { maxMilliseconds: 5000, maxLoadRows: 50_000 }, rangeOf: fromOne },
  requests: { defaults: { maxMilliseconds: 40_000 }, rangeOf: fromOne },
  ...SERVER_STATE_OPTIONS,
}

/** The options without gaps. */
export interface CheckedSqlOptions extends SqlNumbers {
  readonly replicas: readonly SqlPool[]
  readonly schema: string
  readonly mirror: Required<SqlMirrorOptions> | null
  readonly volatileState: Partial<VolatileState>
  readonly clock: Clock
  readonly ids: Ids
  readonly onError: (error: unknown) => void
  /** Called with what turns the mirror off. */
  readonly onMirrorOff: (error: unknown) => void
}

const NAMES = [
  'name',
  'dataClasses',
  'functions',
  'singletons',
  'database',
  'replicas',
  'schema',
  'tables',
  'limits',
  'reading',
  'sharing',
  'history',
  'transactions',
  'mirror',
  'volatileState',
  'requests',
  'sessions',
  'locks',
  'entitySets',
  'uploads',
  'clock',
  'ids',
  'onError',
]

/** Throws `argumentInvalid` for unknown options and wrong values. */
export function checkSqlOptions(options: SqlStoreOptions): CheckedSqlOptions {
  checkNames(options, NAMES)
  const { schema = options.name } = options
  if (typeof schema !== 'string' || schema === '' || schema.includes('\0'))
    throw refused('The option schema', 'the name of a schema', String(schema))
  if (Buffer.byteLength(schema) > MAX_NAME_BYTES)
    throw refused(
      'The option schema',
      `a name of at most ${MAX_NAME_BYTES} bytes, to which PostgreSQL cuts longer ones`,
      `${Buffer.byteLength(schema)} bytes`,
    )
  const { database, replicas = [] } = options
  if (!isPool(database))
    throw refused('The option database', 'a pool, such as pgPool(…)', typeof database)
  if (!Array.isArray(replicas) || !replicas.every(isPool))
    throw refused('The option replicas', 'an array of pools, such as [pgPool(…)]', typeof replicas)
  const { volatileState = null } = options
  if (volatileState !== null && typeof volatileState?.close !== 'function')
    throw refused('The option volatileState', 'such as valkeyState(…)', typeof volatileState)
  const given: { readonly [name: string]: unknown } = { ...options }
  const numbers = Object.entries<OptionGroup<object>>(NUMBERS).map(([name, group]) => [
    name,
    numbersOf(name, group.defaults, given[name] as object | undefined, group.rangeOf),
  ])
  return {
    ...(Object.fromEntries(numbers) as SqlNumbers),
    replicas,
    schema,
    mirror: options.mirror === undefined ? null : checkMirror(options.mirror),
    volatileState: volatileState ?? {},
    clock: options.clock ?? defaultClock,
    ids: options.ids ?? defaultIds,
    onError: options.onError ?? reportError,
    onMirrorOff: options.onError ?? warnOf,
  }
}

function checkMirror(given: SqlMirrorOptions): Required<SqlMirrorOptions> {
  checkObject('The option mirror', given)
  const { dataClasses, ...numbers } = given
  const isList =
    Array.isArray(dataClasses) &&
    dataClasses.length > 0 &&
    dataClasses.every((name) => typeof name === 'string')
  if (!isList)
    throw refused(
      'The option mirror.dataClasses',
      'an array of names of dataclasses',
      describeFound(dataClasses),
    )
  const { maxEntities } = numbersOf('mirror', { maxEntities: 1_000_000 }, numbers, fromOne)
  return { dataClasses: [...new Set(dataClasses)], maxEntities }
}

/** Without `onError` a failure of an after-hook ends the process, as an unhandled one in memory. */
const reportError = (error: unknown): void => void Promise.reject(error)

/** The database answers what the mirror no longer does: no reason to end the process. */
const warnOf = (error: unknown): void =>
  process.emitWarning(`The mirror is off: ${error instanceof Error ? error.message : error}`)

const isPool = (given: unknown): given is SqlPool =>
  typeof given === 'object' && given !== null && 'connect' in given

/** What a store over PostgreSQL has besides the members of asynchronous stores. */
export interface SqlStoreMembers extends Served {
  /** One id per dataset and epoch, the same in all processes: 32 hexadecimal digits. */
  readonly id: string
  /**
   * The commits after a global stamp, in order, then each new one of any process: none is repeated
   * or skipped. Ends with `close`. Of images and BLOBs a change has `{ mediaType, size }`. Rejects
   * with `argumentInvalid` for a stamp that never was, `historyTrimmed` for commits that are no
   * longer kept, and `engineUnavailable`: begin again after the last commit that you have.
   */
  changes(options: ChangesOptions): AsyncIterable<CommitNotice>
  /** What the process keeps of the database in its memory; null without the option `mirror`. */
  readonly mirror: SqlMirror | null
  /** Ends streams and iterations, and closes the pools. */
  close(): Promise<void>
}

/**
 * A store whose data are in PostgreSQL, as one user of the application: it sees everything.
 * `createRestHandler` serves it as it serves one in memory.
 */
export type SqlStore<M extends Model = Untyped, F = Untyped, S = Untyped> = SqlStoreMembers &
  LocalAsyncStore<M, F, S>

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
  /**
   * Options of the type `SqlStoreOptions` no longer tell their dataclasses. Write `const options =
   * {…} satisfies SqlStoreOptions`, which checks them and keeps their types.
   */
  (options: SqlStoreOptions): Promise<SqlStore>
}
