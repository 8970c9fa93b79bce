import { EntiaError, type ErrorDetails, type ErrorFactory } from '@entia/core'
import type { AccessAction, EngineErrorCode, EngineErrorTexts } from './error-details.ts'

const ACCESS_CODES: { readonly [A in AccessAction]: number } = {
  read: 1557,
  update: 1558,
  create: 1559,
  delete: 1560,
  call: 1561,
  describe: 1609,
  lock: 1558,
}

/** Errors of every engine: data, entity sets, functions and permissions. */
const DATA_ERRORS = {
  serverBusy: {
    errCode: 9121,
    message: (d) =>
      `The server has no room for ${d.what} (limit ${d.limit}, option "${d.option}"). Try again in ${d.retryAfterSeconds} seconds.`,
  },
  internalError: { errCode: 9199, message: (d) => `Internal error. ${d.problem}` },
  attributeListInvalid: {
    errCode: 1804,
    message: (d) =>
      `Cannot completely build a list of attributes with "${d.attribute}" for the "${d.dataClass}" dataclass.`,
  },
  expandListInvalid: {
    errCode: 1805,
    message: (d) =>
      `Cannot completely build an expand list with "${d.attribute}" for the "${d.dataClass}" dataclass.`,
  },
  entityCannotBeSaved: {
    errCode: (d) => (d.key === null ? 1534 : 1517),
    message: (d) =>
      `${d.key === null ? `The new entity of the "${d.dataClass}" dataclass` : `The entity# ${d.key} in the "${d.dataClass}" dataclass`} cannot be saved. ${d.problem}`,
  },
  entityCannotBeRemoved: {
    errCode: 1518,
    message: (d) =>
      `The entity# ${d.key} in the "${d.dataClass}" dataclass cannot be deleted. ${d.problem}`,
  },
  recordCannotBeSaved: {
    errCode: 1046,
    message: (d) =>
      `Cannot save record ${d.recordNumber} in table ${d.dataClass} of database ${d.store}.`,
  },
  preconditionFailed: {
    errCode: 9110,
    message: (d) =>
      `Entity# ${d.key} of the "${d.dataClass}" dataclass has another stamp than If-Match asks for.`,
  },
  entitySetOfOtherClass: {
    errCode: 1803,
    message: (d) => `The "${d.id}" entity set does not belong to the "${d.dataClass}" dataclass.`,
  },
  otherCollectionInvalid: {
    errCode: 1820,
    message: (d) =>
      `$otherCollection "${d.id}" is no entity set of the "${d.dataClass}" dataclass: it expired, was released or never created.`,
  },
  functionFailed: {
    errCode: 9010,
    message: (d) =>
      `Function "${d.name}" of ${d.owner.replace(/^The /, 'the ')} failed: ${d.problem}`,
  },
  functionParameterInvalid: {
    errCode: 9111,
    message: (d) => `Parameter ${d.position} of function "${d.name}" cannot be used: ${d.problem}`,
  },
  loginRequired: {
    errCode: 9120,
    message: (d) =>
      d.by === 'host'
        ? `${d.what} needs a user: send the credentials that the application expects.`
        : `${d.what} needs a login: POST to $directory/login first.`,
  },
  accessDenied: {
    errCode: (d) => ACCESS_CODES[d.action],
    message: (d) =>
      d.action === 'call'
        ? `No permission to execute function "${d.name ?? ''}" of the ${d.dataClass === '' ? 'datastore' : `"${d.dataClass}" dataclass`}.`
        : `No permission to ${d.action} entities of the "${d.dataClass}" dataclass.`,
  },
  attributeAccessDenied: {
    errCode: 1608,
    message: (d) =>
      `No permission to ${d.action} the "${d.attribute}" attribute of the "${d.dataClass}" dataclass.`,
  },
  entityCannotBeLoaded: {
    errCode: 1543,
    message: (d) =>
      `Cannot load entity# ${d.key} in the "${d.dataClass}" dataclass${d.problem === undefined ? '' : `: ${d.problem}`}.`,
  },
  keyMalformed: {
    errCode: 1541,
    message: (d) =>
      `The key "${d.key}" is malformed for the "${d.dataClass}" dataclass: ${d.problem}.`,
  },
  keyNotLeased: {
    errCode: 9169,
    message: (d) =>
      `The key ${d.key} of the "${d.dataClass}" dataclass is not leased to this replica. Ask for keys with the option "lease" of replicate, and create the entity again with one of them.`,
  },
  replicaExpired: {
    errCode: 9176,
    message: () =>
      'The server no longer knows this replica, which was away for too long: the transaction may have been applied before. See what the server has, then send it again or drop it.',
  },
  functionInterrupted: {
    errCode: 9170,
    message: (d) =>
      `The server stopped while function "${d.name}" of ${d.owner.replace(/^The /, 'the ')} ran for a replica. See what it has done, then send the call again or drop it.`,
  },
  functionTimedOut: {
    errCode: 9174,
    message: (d) =>
      `Function "${d.name}" of ${d.owner.replace(/^The /, 'the ')} has not ended in ${seconds(d.limit)} (option "replicas.maxCallSeconds"). It may still run: see what it has done, then send the call again or drop it.`,
  },
  loginFailed: { errCode: 1822, message: (d) => `The login is refused: ${d.problem}.` },
  requestAborted: { errCode: 9168, message: () => 'The request was aborted.' },
  requestStopped: {
    errCode: 9171,
    message: () =>
      'An operator of the server has stopped the request. Ask the operator before you send it again.',
  },
} satisfies Partial<EngineErrorTexts>

/** Errors that only engines over another storage throw. No text of a database is part of them. */
const STORAGE_ERRORS = {
  engineUnavailable: {
    errCode: 9123,
    message: (d) =>
      `The storage of the datastore cannot be reached. Try again in ${seconds(d.retryAfterSeconds)}.`,
  },
  replicasNotReady: {
    errCode: 9175,
    message: (d) =>
      `Replicas cannot follow the store now: its mirror is being filled, or is off (metric entia_mirror_off). Try again in ${seconds(d.retryAfterSeconds)}.`,
  },
  commitOutcomeUnknown: {
    errCode: 9128,
    message: (d) =>
      `The storage of the datastore did not answer whether the change is saved. Read the data before you send the change again, in ${seconds(d.retryAfterSeconds)}.`,
  },
  transactionConflict: {
    errCode: 9124,
    message: (d) =>
      `The transaction was rolled back after ${d.attempts} ${d.attempts === 1 ? 'attempt' : 'attempts'}: other transactions changed the same data. Nothing was saved. Try again in ${seconds(d.retryAfterSeconds)}.`,
  },
  notOnThisEngine: {
    errCode: 9125,
    message: (d) => `${d.what} is not available on this engine. ${d.remedy}`,
  },
  databaseDiffers: {
    errCode: 9126,
    message: (d) =>
      `The schema "${d.schema}" of the database does not fit the model. ${d.differences.join(' ')} ${d.remedy}`,
  },
  databaseMigrated: {
    errCode: 9160,
    message: (d) =>
      `The tables of the schema "${d.schema}" were migrated to another model after this process had opened them, and the request does not fit them. Nothing was saved. Restart the process with the new model.`,
  },
  migrationBlocked: {
    errCode: 9177,
    message: (d) =>
      `The migration could not lock the tables of the schema "${d.schema}" within a minute, and changed nothing: transactions of others hold them${d.by.length === 0 ? '' : `, the oldest ones in ${d.by.join(', ')}`}. Wait until they end, or end them with pg_terminate_backend. Then migrate again.`,
  },
} satisfies Partial<EngineErrorTexts>

const seconds = (count: number): string => (count === 1 ? '1 second' : `${count} seconds`)

/** The texts of all codes of this package. */
export const ENGINE_ERRORS: EngineErrorTexts = { ...DATA_ERRORS, ...STORAGE_ERRORS }

/** Creates an error of this package: an `EntiaError` as those of `@entia/core`. */
export const engineError: ErrorFactory<EngineErrorCode> = (code, details, options) =>
  new EntiaError(code, details, options, ENGINE_ERRORS[code])

/** The error for a part that an engine does not have, such as `at(…)`. */
export const notOnThisEngine = (what: string, remedy: string): EntiaError =>
  engineError('notOnThisEngine', { what, remedy })

/** What differs in the copy, beside the message. Without `cause` the copy has none. */
interface Changes {
  readonly details?: ErrorDetails[keyof ErrorDetails]
  readonly cause?: unknown
}

/** The same error with another message. Its code and number stay, and so does its status. */
export function reworded(
  error: EntiaError,
  message: string,
  { details = error.details, cause }: Changes = {},
): EntiaError {
  return new EntiaError(
    error.code,
    details,
    { cause },
    { errCode: error.errCode, message: () => message },
  )
}
