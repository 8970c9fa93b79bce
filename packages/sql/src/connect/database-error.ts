import { overBudget } from '@entia/core/internal'
import { engineError } from '@entia/engine'

/**
 * What a failure of the database means for the caller:
 * - `conflict`: another transaction was in the way. Decide again.
 * - `unique`: a unique value was taken meanwhile. Decide again.
 * - `constraint`: a foreign key, NOT NULL or CHECK. Decide again; if it remains it is our mistake.
 * - `unavailable`: no connection, shutting down, read-only after a failover, or full. Try again.
 * - `timeout`: the statement took longer than it may, or was cancelled.
 * - `text`: a text that PostgreSQL cannot store.
 * - `tooLarge`: a value or statement above a limit of PostgreSQL.
 * - `migrated`: the tables were migrated, and the statement does not fit them.
 * - `internal`: anything else, our mistake.
 */
export type DatabaseFailure =
  | 'conflict'
  | 'unique'
  | 'constraint'
  | 'unavailable'
  | 'timeout'
  | 'text'
  | 'tooLarge'
  | 'migrated'
  | 'internal'

const MESSAGES: { readonly [F in DatabaseFailure]: string } = {
  conflict: 'Another transaction changed the same data. Try again.',
  unique: 'Another transaction took a unique value.',
  constraint: 'The database refuses a value that the model accepts.',
  unavailable: 'The database cannot be reached at the moment. Try again.',
  timeout: 'The database needed more time than a statement may take.',
  text: 'A text contains characters that PostgreSQL cannot store.',
  tooLarge: 'A value is larger than PostgreSQL can store or index.',
  migrated: 'The tables were migrated to another model.',
  internal: 'The database refused a statement.',
}

/**
 * The one error of adapters. Its message has no text of the database: that is in `cause`, for the
 * log of the host only.
 */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  readonly failure: DatabaseFailure
  /** Five characters; null without an answer of the database. */
  readonly sqlState: string | null
  /** Whether there was a connection. Without one, another attempt at once would fail as well. */
  readonly hadConnection: boolean
  /** The milliseconds that a statement may take, of a `timeout`; null if the pool does not know. */
  limitMilliseconds: number | null = null
  /** The schema that was migrated. */
  schema = ''

  constructor(
    failure: DatabaseFailure,
    sqlState: string | null,
    cause?: unknown,
    hadConnection = true,
    message = MESSAGES[failure],
  ) {
    super(message, { cause })
    this.failure = failure
    this.sqlState = sqlState
    this.hadConnection = hadConnection
  }
}

const STATES: ReadonlyMap<string, DatabaseFailure> = new Map([
  ['23505', 'unique'],
  ['23503', 'constraint'],
  ['23502', 'constraint'],
  ['23514', 'constraint'],
  ['40001', 'conflict'],
  ['40P01', 'conflict'],
  ['EN001', 'conflict'],
  ['55P03', 'conflict'],
  ['57014', 'timeout'],
  ['22001', 'tooLarge'],
  ['22021', 'text'],
  ['22P05', 'text'],
  ['57P01', 'unavailable'],
  ['57P02', 'unavailable'],
  ['57P03', 'unavailable'],
  ['57P05', 'unavailable'],
  // Time limits after which the server ends the connection: of a pause, and of a transaction.
  ['25P03', 'unavailable'],
  ['25P04', 'unavailable'],
  ['25006', 'unavailable'],
])
const CLASSES: ReadonlyMap<string, DatabaseFailure> = new Map([
  ['08', 'unavailable'],
  ['53', 'unavailable'],
  ['54', 'tooLarge'],
])

/** What an operator must know in place of the message of the failure. */
const OWN_MESSAGES: ReadonlyMap<string, string> = new Map([
  ['42501', 'The role of the connection lacks a privilege. The cause names it: grant it.'],
])

/** The `DatabaseError` of what a driver threw. */
export function databaseError(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error
  const state = sqlStateOf(error)
  if (state !== null) {
    const failure = STATES.get(state) ?? CLASSES.get(state.slice(0, 2)) ?? 'internal'
    return new DatabaseError(failure, state, error, true, OWN_MESSAGES.get(state))
  }
  // Without a state the driver lost the connection, unless it was called wrongly.
  const isOurs =
    error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError
  return new DatabaseError(isOurs ? 'internal' : 'unavailable', null, error)
}

/** After how many seconds a caller may try again. */
export const RETRY_AFTER_SECONDS = 1

/** The error that callers get for a failure of the database. Its own text stays in `cause`. */
export function publicError(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error
  switch (error.failure) {
    case 'unavailable':
      return engineError(
        'engineUnavailable',
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
        { cause: error },
      )
    case 'conflict':
    case 'unique':
      return engineError('transactionConflict', {
        attempts: 1,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    case 'migrated':
      return engineError('databaseMigrated', { schema: error.schema }, { cause: error })
    case 'timeout':
      return overBudget(
        'milliseconds of a statement',
        error.limitMilliseconds ?? 0,
        'statementMilliseconds',
      )
    default:
      return error
  }
}

/** The error of a failed attempt to connect. */
export function connectError(error: unknown): DatabaseError {
  const state = sqlStateOf(error)
  const isOfParameter =
    error instanceof Error && error.message.includes('unsupported startup parameter')
  const message = isOfParameter
    ? REFUSED_PARAMETER
    : (CONNECT_MESSAGES.get(state ?? '') ?? CONNECT_MESSAGES.get(state?.slice(0, 2) ?? ''))
  return new DatabaseError('unavailable', state, error, false, message)
}

/** True if the server, the database or the role has all connections that it may have. */
export const hasNoConnection = (error: unknown): boolean => sqlStateOf(error) === '53300'

/** The answer of PgBouncer to a parameter that it does not pass on has no SQLSTATE of its own. */
const REFUSED_PARAMETER =
  'The pooler refuses a parameter of the connection. Give pgPool the option statementMilliseconds: 0.'
const NO_CONNECTION =
  'The server has no connection left. Give the pools of all processes together no more connections (max) than max_connections and the limit of the role allow.'
const REFUSED =
  'The server refuses the connection. Check the name of the database, the role with its privileges, the password, and the options of the address.'

/**
 * By SQLSTATE or its class: a wrong option of the address, a wrong role or password, no such
 * database, and no privilege to connect.
 */
const CONNECT_MESSAGES: ReadonlyMap<string, string> = new Map([
  ['22', REFUSED],
  ['28', REFUSED],
  ['3D', REFUSED],
  ['42', REFUSED],
  ['53300', NO_CONNECTION],
])

/** True for a pooler that gives each statement another connection. */
export const refusesTransactions = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  error.cause instanceof Error &&
  error.cause.message.includes('statement pooling mode')

/** True if a connection is of no use any more, and another one of the pool may be. */
export const isLostConnection = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  error.failure === 'unavailable' &&
  error.hadConnection &&
  error.sqlState?.startsWith('53') !== true

/**
 * What is wrong with a statement that was prepared: `lost` if the connection has another set of
 * names than the pool knows, as behind a pooler that shares connections; `stale` if a migration
 * changed the types of its result. Null for other errors.
 */
export function preparedProblem(error: unknown): 'lost' | 'stale' | null {
  const state = sqlStateOf(error)
  if (state === '26000' || state === '42P05') return 'lost'
  const isStale =
    state === '0A000' && (error as { routine?: unknown }).routine === 'RevalidateCachedQuery'
  return isStale ? 'stale' : null
}

/** The error of a transaction that runs again because a prepared statement was lost or stale. */
export const preparedConflict = (cause: unknown): DatabaseError =>
  new DatabaseError('conflict', sqlStateOf(cause), cause)

/** True if a transaction that only reads can run again at once. */
export const isRepeatable = (error: unknown): boolean =>
  isLostConnection(error) ||
  (error instanceof DatabaseError && preparedProblem(error.cause) !== null)

/**
 * True if the answer to a commit is missing. A database that refuses a statement has not committed;
 * one that ends the connection may have.
 */
export const isLostAnswer = (error: unknown): boolean =>
  isLostConnection(error) && (error as DatabaseError).sqlState !== '25006'

function sqlStateOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null
  const { code } = error
  // The codes of sockets, such as EPIPE, also have five characters; SQLSTATEs begin with a digit,
  // except those of extensions and of our functions.
  return typeof code === 'string' &&
    /^(?:\d[\dA-Z]{4}|EN\d{3}|P0\d{3}|XX\d{3}|HV\d\w\w)$/.test(code)
    ? code
    : null
}
