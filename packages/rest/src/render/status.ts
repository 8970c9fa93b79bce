import { type EntiaError, type ErrorCode, isEntiaError } from '@entia/core'
import { lockMembers } from './lock.ts'

/** `cause`: the status is that of the error inside; 422 when there is none. */
type StatusRule = number | 'cause'

/**
 * The one place that knows HTTP statuses. 404 is for names and keys in the address; the same name in a filter or a body is
 * a malformed request, which the error around it tells apart.
 */
const STATUS: { readonly [C in ErrorCode]: StatusRule } = {
  modelInvalid: 500,
  dataClassNotFound: 404,
  // Bare or inside a failed save it is about a body. In addresses and lists another error is around it.
  attributeNotFound: 400,
  attributeNotApplicable: 400,
  attributeReadOnly: 400,
  attributeNotSortable: 400,
  functionNotFound: 404,
  functionFailed: 500,
  functionRefused: 422,
  // A missing entity or set is 404 as elsewhere; the rest is a malformed body.
  functionParameterInvalid: 'cause',
  promiseReturned: 500,
  filterSyntax: 400,
  filterOperator: 400,
  filterCannotBeAnalysed: 400,
  filterTooLarge: 400,
  placeholderMissing: 400,
  placeholderWrongType: 400,
  formulaNotAllowed: 400,
  orderBySyntax: 400,
  entityNotFound: 404,
  entityCannotBeLoaded: 404,
  // In an address no entity can have it; in a body it is a value of the wrong type.
  keyMalformed: 404,
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
  accessDenied: 403,
  attributeAccessDenied: 403,
  pictureTypeUnknown: 415,
  pictureReferenceUnknown: 400,
  blobReferenceUnknown: 400,
  parameterInvalid: 400,
  parameterTwice: 400,
  bodyMalformed: 400,
  bodyTooLarge: 413,
  urlTooLong: 431,
  verbNotAllowed: 405,
  crossSiteRefused: 403,
  hostRefused: 421,
  hostMissing: 400,
  requestMalformed: 400,
  requestTimeout: 408,
  tooManyRequests: 429,
  serverBusy: 503,
  mediaTypeUnsupported: 415,
  resourceNotFound: 404,
  insertWithKey: 400,
  preconditionFailed: 412,
  internalError: 500,
}

/** What a reader asked for has not changed since it was last told. */
export const NOT_MODIFIED = 304

/** From here on nothing was done. */
export const BAD_REQUEST = 400

/** What may be answered while the body is still being sent. */
export const BODY_REFUSALS: ReadonlySet<StatusRule> = new Set([STATUS.bodyTooLarge, STATUS.serverBusy])

/** Status of a request that an error refused as a whole. */
export function statusOfError(error: EntiaError): number {
  const rule = STATUS[error.code]
  if (rule !== 'cause') return rule
  if (isEntiaError(error.cause, 'keyMalformed') || isEntiaError(error.cause, 'dataClassNotFound')) return 400
  if (isEntiaError(error.cause)) return statusOfError(error.cause)
  return error.code === 'functionParameterInvalid' ? 400 : 422
}

/** Status of an error that stands alone; 422 for one that has its status of another. */
export function usualStatusOf(code: ErrorCode): number {
  const rule = STATUS[code]
  return rule === 'cause' ? 422 : rule
}

/**
 * Status of a batch: of the first failing item when nothing was saved, 207 when some items were saved and others not.
 * `errors` are those of the failing items, in order.
 */
export function statusOfBatch(errors: readonly EntiaError[], isAnythingSaved: boolean): number {
  const [first] = errors
  if (first === undefined) return 200
  return isAnythingSaved ? 207 : statusOfError(first)
}

/** `__STATUS` numbers and texts of a failed save; null where the protocol has none. */
export function saveStatusOf(error: EntiaError): { readonly status: number; readonly statusText: string } | null {
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
