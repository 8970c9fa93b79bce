import { type EntiaError, type ErrorCode, isEntiaError } from '@entia/core'
import { restError } from '../errors/rest-error.ts'
import { lockMembers } from './info.ts'

/** `cause`: the status of the inner error; 422 without one. */
type StatusRule = number | 'cause'

/**
 * The only place that assigns HTTP statuses. 404 is for names and keys in the address. The same
 * name in a filter or a body is a malformed request; the outer error distinguishes the two.
 */
const STATUS: { readonly [C in ErrorCode]: StatusRule } = {
  modelInvalid: 500,
  dataClassNotFound: 404,
  // By itself or inside a failed save it is about a body. For addresses and lists another error
  // wraps it.
  attributeNotFound: 400,
  attributeNotApplicable: 400,
  attributeReadOnly: 400,
  attributeNotSortable: 400,
  functionNotFound: 404,
  functionFailed: 500,
  functionRefused: 422,
  // A missing entity or set is 404; other problems are a malformed body.
  functionParameterInvalid: 'cause',
  promiseReturned: 500,
  filterSyntax: 400,
  filterOperator: 400,
  filterCannotBeAnalysed: 400,
  filterTooLarge: 400,
  placeholderMissing: 400,
  parameterUnused: 400,
  placeholderWrongType: 400,
  formulaNotAllowed: 400,
  orderBySyntax: 400,
  entityNotFound: 404,
  entityCannotBeLoaded: 404,
  // In an address no entity can have such a key; in a body it is an invalid value.
  keyMalformed: 404,
  keyNotLeased: 409,
  replicaExpired: 409,
  functionInterrupted: 409,
  functionTimedOut: 500,
  keyNull: 422,
  keyEmpty: 422,
  keyNotUnique: 409,
  uniqueViolation: 409,
  notNullViolation: 422,
  valueInvalid: 400,
  valueTooSmall: 422,
  valueTooLarge: 422,
  textTooShort: 422,
  textTooLong: 422,
  patternMismatch: 422,
  relationTargetMissing: 422,
  removeRestricted: 409,
  entityLocked: 423,
  stampChanged: 409,
  entityCannotBeSaved: 'cause',
  entityCannotBeRemoved: 'cause',
  validationFailed: 422,
  hookRefused: 422,
  hookFailed: 500,
  hookTooDeep: 500,
  loadRefused: 422,
  sequenceExhausted: 409,
  sequenceWouldEnd: 422,
  selectionMismatch: 400,
  entitySetNotFound: 404,
  tooManySessions: 429,
  historyTrimmed: 400,
  snapshotForeign: 400,
  pastReadOnly: 400,
  entityTooLarge: 413,
  commitTooLarge: 413,
  storeBroken: 500,
  storeClosed: 500,
  notInTransaction: 400,
  budgetExceeded: 400,
  argumentInvalid: 400,
  dumpInvalid: 400,
  journalFailed: 500,
  folderInUse: 500,
  notWriter: 500,
  outcomeUnknown: 500,
  journalRemoved: 500,
  indexInvalid: 400,
  formatUnknown: 400,
  attributeListInvalid: 404,
  expandListInvalid: 404,
  orderByInvalid: 404,
  urlMalformed: 400,
  questionMarkMissing: 400,
  quoteMissing: 400,
  parameterUnknown: 400,
  methodUnknown: 400,
  methodNotApplicable: 400,
  attributeListEmpty: 400,
  computeActionUnknown: 400,
  recordCannotBeSaved: 'cause',
  entitySetOfOtherClass: 404,
  subEntitySetNotApplicable: 400,
  logicOperatorUnknown: 400,
  otherCollectionMissing: 400,
  otherCollectionInvalid: 404,
  functionNotOnGet: 405,
  loginFailed: 401,
  directoryMissing: 404,
  loginRequired: 401,
  identityRefused: 401,
  accessDenied: 403,
  attributeAccessDenied: 403,
  pictureTypeUnknown: 415,
  pictureReferenceUnknown: 400,
  blobReferenceUnknown: 400,
  parameterInvalid: 400,
  parameterTwice: 400,
  bodyMalformed: 400,
  requestAborted: 400,
  // Not 503: clients and proxies would send it again by themselves.
  requestStopped: 409,
  bodyTooLarge: 413,
  urlTooLong: 431,
  verbNotAllowed: 405,
  crossSiteRefused: 403,
  hostRefused: 421,
  hostMissing: 400,
  requestMalformed: 400,
  requestTimeout: 408,
  liveStreamUnknown: 404,
  tooManyRequests: 429,
  serverBusy: 503,
  serverStopping: 503,
  requestNotRunning: 404,
  requestCannotStop: 409,
  mediaTypeUnsupported: 415,
  resourceNotFound: 404,
  insertWithKey: 400,
  preconditionFailed: 412,
  internalError: 500,
  engineUnavailable: 503,
  replicasNotReady: 503,
  commitOutcomeUnknown: 503,
  transactionConflict: 503,
  notOnThisEngine: 501,
  databaseDiffers: 500,
  databaseMigrated: 503,
  migrationBlocked: 503,
}

/** A new entity was saved: in the plain interface, which answers `Location` with it. */
export const CREATED = 201

/** The answer has no body: to OPTIONS, in the plain interface. */
export const NO_CONTENT = 204

/** The content has not changed since the client received it. */
export const NOT_MODIFIED = 304

/** Answers with these statuses have neither a body nor its length. */
export const BODILESS: ReadonlySet<number> = new Set([NO_CONTENT, NOT_MODIFIED])

/** Statuses from here on mean that nothing was done. */
export const BAD_REQUEST = 400

/** Statuses that may be sent while the body is still arriving. */
export const BODY_REFUSALS: ReadonlySet<StatusRule> = new Set([
  STATUS.bodyTooLarge,
  STATUS.serverBusy,
])

/** The status of a request that failed as a whole. */
export function statusOfError(error: EntiaError): number {
  const rule = STATUS[error.code]
  if (rule !== 'cause') return rule
  if (isEntiaError(error.cause, 'keyMalformed') || isEntiaError(error.cause, 'dataClassNotFound'))
    return 400
  if (isEntiaError(error.cause)) return statusOfError(error.cause)
  return error.code === 'functionParameterInvalid' ? 400 : 422
}

/** The status of an error by itself; 422 if it depends on its cause. */
export function usualStatusOf(code: ErrorCode): number {
  const rule = STATUS[code]
  return rule === 'cause' ? 422 : rule
}

/**
 * The status of a batch: that of the first failed item if nothing was saved, 207 if only some items
 * were saved. `errors` are those of the failed items, in order.
 */
export function statusOfBatch(errors: readonly EntiaError[], isAnythingSaved: boolean): number {
  const [first] = errors
  if (first === undefined) return 200
  return isAnythingSaved ? 207 : statusOfError(first)
}

/** The number and text in `__STATUS` of a failed save; null if the protocol has none. */
export function saveStatusOf(
  error: EntiaError,
): { readonly status: number; readonly statusText: string } | null {
  const reason = deepest(error)
  if (isEntiaError(reason, 'entityLocked')) {
    const { holder, recordNumber } = reason.details
    return { status: 3, statusText: 'Already locked', ...lockMembers(holder, recordNumber) }
  }
  switch (reason.code) {
    case 'accessDenied':
    case 'attributeAccessDenied':
      return { status: 1, statusText: 'Permission Error' }
    case 'stampChanged':
      return { status: 2, statusText: 'Stamp has changed' }
    case 'keyNull':
    case 'keyEmpty':
    case 'keyNotUnique':
    case 'uniqueViolation':
    case 'notNullViolation':
    case 'relationTargetMissing':
      return { status: 4, statusText: 'Other error' }
    case 'valueTooSmall':
    case 'valueTooLarge':
    case 'textTooShort':
    case 'textTooLong':
    case 'patternMismatch':
      return { status: 7, statusText: 'Mild Validation Error' }
    case 'hookRefused':
      return { status: 8, statusText: 'Serious Validation Error' }
    default:
      return null
  }
}

function deepest(error: EntiaError): EntiaError {
  if (isEntiaError(error, 'validationFailed') && error.details.failures[0] !== undefined)
    return deepest(error.details.failures[0])
  return isEntiaError(error.cause) ? deepest(error.cause) : error
}

/** One entry of `__ERROR`. */
export interface ErrorEntry {
  readonly message: string
  readonly componentSignature: string
  readonly errCode: number
}

/** Only the protocol's numbers carry its component; Entia's and the application's carry theirs. */
function componentOf(errCode: number): string {
  if (errCode >= 10_000) return 'app'
  return errCode >= 9_000 ? 'entia' : 'dbmg'
}

/** The protocol's list for an error: the deepest cause first, the outermost error last. */
export const errorStack = ({ errors }: EntiaError): readonly ErrorEntry[] =>
  errors.map(({ message, errCode }) => ({
    message,
    componentSignature: componentOf(errCode),
    errCode,
  }))

/** The error to report to the host: the deepest cause, which clients do not see. */
export function originOf(error: unknown): unknown {
  return isEntiaError(error) && error.cause !== undefined ? originOf(error.cause) : error
}

/** The error to show to clients: for unexpected errors, only that one occurred. */
export function publicError(error: unknown): EntiaError {
  if (isEntiaError(error)) return error
  return restError(
    'internalError',
    { problem: 'The request was not carried out.' },
    { cause: error },
  )
}
