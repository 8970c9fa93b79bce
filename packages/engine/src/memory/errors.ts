import {
  type AnyDataStore,
  type ClassModel,
  EntiaError,
  type ErrorCode,
  type ErrorDetails,
  isEntiaError,
} from '@entia/core'
import { engineError, reworded } from '../errors/engine-error.ts'
import { type Names, NUMERIC_TYPES } from '../interface/names.ts'
import type { CallerStore } from './caller-store.ts'

/**
 * How messages describe a problem with something that is not exposed, by code. Other codes say
 * `refuses the change`.
 */
const FAULTS: { readonly [C in ErrorCode]?: string } = {
  notNullViolation: 'cannot be null',
  keyNull: 'cannot be null',
  keyEmpty: 'cannot be an empty text',
  uniqueViolation: 'must be unique, and its value is already used by another entity',
  relationTargetMissing: 'points to an entity that does not exist',
  removeRestricted: "still refers to the entity (onDelete: 'restrict')",
}

/** Failures of the application's code. Their messages are for the host. */
const OWN_CODE_FAILED: ReadonlySet<ErrorCode> = new Set([
  'hookFailed',
  'hookTooDeep',
  'promiseReturned',
])

/**
 * Replaces the message of an application failure; the original stays in the cause, which clients do
 * not see.
 */
function withoutWords(error: EntiaError): EntiaError {
  const { cause } = error
  const forHost =
    cause === undefined || isEntiaError(cause) ? new Error(error.message, { cause }) : cause
  return reworded(error, 'Code of the application failed, and the change was not made.', {
    cause: forHost,
  })
}

/**
 * The reason of a refused write, without names that are hidden and without messages of the
 * application's code. Such an error keeps its code, number and status, and gets a neutral message.
 * Every refusal of a write passes through here.
 */
export function withoutHiddenNames(names: Names, error: EntiaError): EntiaError {
  if (OWN_CODE_FAILED.has(error.code)) return withoutWords(error)
  const hidden = hiddenPart(names, error)
  const neutral =
    hidden === null
      ? null
      : `${hidden} that is not exposed ${FAULTS[error.code] ?? 'refuses the change'}.`
  if (isEntiaError(error, 'validationFailed')) {
    const failures = error.details.failures.map((failure) => withoutHiddenNames(names, failure))
    const details = { ...error.details, failures }
    return neutral === null
      ? new EntiaError('validationFailed', details)
      : reworded(error, neutral, { details })
  }
  if (neutral !== null) return reworded(error, neutral)
  if (!isEntiaError(error.cause)) return error
  const cause = withoutHiddenNames(names, error.cause)
  if (cause === error.cause) return error
  // The outer message may contain the inner one.
  const message = error.message.split(error.cause.message).join(cause.message)
  return reworded(error, message, { cause })
}

/**
 * The hidden part of an error's details, as the start of a message; null if everything may be
 * named.
 */
function hiddenPart(names: Names, error: EntiaError): string | null {
  const details = new Map<string, unknown>(Object.entries(error.details))
  // `by` is `Dataclass.relation`.
  for (const [className, name] of [
    [details.get('dataClass'), details.get('attribute')],
    String(details.get('by') ?? '').split('.'),
  ]) {
    const dataClass =
      typeof className === 'string' ? names.catalog.byName.get(className) : undefined
    if (dataClass === undefined) continue
    if (names.findDataClass(dataClass.name) === undefined) return 'A dataclass'
    // This error only repeats a name of the request, and does not reveal whether it exists.
    if (
      error.code === 'attributeNotFound' ||
      typeof name !== 'string' ||
      !dataClass.attributes.has(name)
    )
      continue
    if (names.find(dataClass, name) === undefined) return 'An attribute'
  }
  return null
}

/** The error for an entity that does not exist or that the filter does not select. */
export function notFound(dataClass: ClassModel, keyText: string | null): EntiaError {
  return new EntiaError('entityNotFound', { dataClass: dataClass.name, key: keyText ?? '' })
}

/** The error for an entity that does not meet `If-Match`. */
export function preconditionError(dataClass: ClassModel, keyText: string | null): EntiaError {
  return engineError('preconditionFailed', { dataClass: dataClass.name, key: keyText ?? '' })
}

/**
 * Other errors than EntiaError are defects of Entia or of the application: the item fails, and the
 * host is notified.
 */
export function toEntiaError(error: unknown): EntiaError {
  if (isEntiaError(error)) return error
  return engineError('internalError', { problem: 'The entity is unchanged.' }, { cause: error })
}

/**
 * Errors about one stored entity. It may differ from the entity that the caller named: one that a
 * deletion would remove as well, or one that a hook writes.
 */
type EntityError = EntiaError<
  'entityLocked' | 'removeRestricted' | 'stampChanged' | 'validationFailed'
>

const isEntityError = (error: EntiaError): error is EntityError =>
  Object.hasOwn(OF_HIDDEN, error.code)

/** Messages for hidden entities, by code. */
const OF_HIDDEN: { readonly [C in EntityError['code']]: string } = {
  entityLocked: 'A dependent entity is locked by another session.',
  removeRestricted: "A dependent entity is still referred to (onDelete: 'restrict').",
  stampChanged: 'The stamp of a dependent entity has changed.',
  validationFailed: 'A dependent entity fails validation.',
}

/**
 * The reason of a refused write without anything hidden: neither the key of a hidden entity nor
 * names that are not exposed.
 */
export function visibleReason(callerStore: CallerStore, reason: EntiaError): EntiaError {
  const error = withoutHiddenNames(callerStore.names, reason)
  if (isEntityError(error) && isHidden(callerStore, error.details)) return neutral(error)
  if (!isEntiaError(error, 'removeRestricted') || seesReferrer(callerStore, error.details))
    return error
  const details = { ...error.details, by: '' }
  return reworded(error, "Something hidden still refers to the entity (onDelete: 'restrict').", {
    details,
  })
}

/** True if a visible entity refers to the one that cannot be removed. */
function seesReferrer(
  { names, view }: CallerStore,
  { dataClass, key, by }: ErrorDetails['removeRestricted'],
): boolean {
  const [owner = '', relation = ''] = by.split('.')
  const referring = names.findDataClass(owner)
  // A name that is hidden is not in the message any more.
  if (referring === undefined || names.find(referring, relation) === undefined) return true
  return (
    view.dataClass(owner).query(`${relation} === :1`, [keyOfText(names, dataClass, key)]).count > 0
  )
}

const keyOfText = (names: Names, dataClass: string, key: string): string | number =>
  NUMERIC_TYPES.has(names.dataClass(dataClass).key.type) ? Number(key) : key

/** `key` is the key as text; null for a new entity. */
function isHidden(
  { names, view }: CallerStore,
  { dataClass: name, key }: { readonly dataClass: string; readonly key: string | null },
): boolean {
  const dataClass = names.findDataClass(name)
  if (!view.restrictsRows || dataClass === undefined || key === null) return false
  return !view.dataClass(name).has(keyOfText(names, name, key))
}

function neutral(error: EntityError): EntiaError {
  const hidden = { key: '', ...('recordNumber' in error.details ? { recordNumber: 0 } : {}) }
  const failures = isEntiaError(error, 'validationFailed') ? { failures: [] } : {}
  const details = { ...error.details, ...hidden, ...failures } as typeof error.details
  return reworded(error, OF_HIDDEN[error.code], { details })
}

/**
 * Wraps the reason of a failed save in the protocol's outer errors. `key` is null for a new entity.
 */
export function saveError(
  callerStore: CallerStore,
  dataClass: ClassModel,
  key: string | null,
  reason: EntiaError,
): EntiaError {
  const cause = visibleReason(callerStore, reason)
  if (isComplete(cause)) return cause
  const details = { dataClass: dataClass.name, key, problem: cause.message }
  return engineError('entityCannotBeSaved', details, {
    cause: recordError(callerStore.store, cause),
  })
}

/** Wraps the reason of a failed deletion. */
export function removeError(
  callerStore: CallerStore,
  dataClass: ClassModel,
  key: string,
  reason: EntiaError,
): EntiaError {
  const cause = visibleReason(callerStore, reason)
  if (isComplete(cause)) return cause
  const details = { dataClass: dataClass.name, key, problem: cause.message }
  return engineError('entityCannotBeRemoved', details, { cause })
}

const isComplete = ({ code }: EntiaError): boolean =>
  code === 'entityNotFound' ||
  code === 'preconditionFailed' ||
  code === 'entityCannotBeSaved' ||
  code === 'entityCannotBeRemoved'

/**
 * Wraps errors about the state of a stored record: a changed stamp, or a lock of another session.
 */
function recordError(store: AnyDataStore, cause: EntiaError): EntiaError {
  if (!isEntiaError(cause, 'stampChanged') && !isEntiaError(cause, 'entityLocked')) return cause
  const { dataClass, recordNumber } = cause.details
  const details = { dataClass, recordNumber, store: store.name }
  return engineError('recordCannotBeSaved', details, { cause })
}

/**
 * Errors about data or the caller, which clients receive unchanged. Every other error of the store
 * (a misspelt name, a filter that does not parse) is a defect of the function.
 */
const ABOUT_THE_CALL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'functionRefused',
  'functionParameterInvalid',
  'entityNotFound',
  'entityCannotBeLoaded',
  'keyMalformed',
  'keyNull',
  'keyEmpty',
  'keyNotUnique',
  'uniqueViolation',
  'notNullViolation',
  'valueInvalid',
  'valueTooSmall',
  'valueTooLarge',
  'textTooShort',
  'textTooLong',
  'patternMismatch',
  'relationTargetMissing',
  'removeRestricted',
  'entityLocked',
  'stampChanged',
  'validationFailed',
  'entityCannotBeSaved',
  'entityCannotBeRemoved',
  'recordCannotBeSaved',
  'hookRefused',
  'sequenceExhausted',
  'sequenceWouldEnd',
  'loadRefused',
  'entitySetNotFound',
  'tooManySessions',
  'loginFailed',
  'loginRequired',
  'accessDenied',
])

/** The application's error numbers start here. */
const FIRST_OWN_NUMBER = 10_000

interface CalledFunction {
  readonly owner: string
  readonly name: string
}

/**
 * The error that a call answers if its function threw. Clients see no details of errors that are
 * not meant for them.
 */
export function thrownByFunction(
  called: CalledFunction,
  callerStore: CallerStore,
  thrown: unknown,
): EntiaError {
  const isMeant =
    isEntiaError(thrown) &&
    ABOUT_THE_CALL.has(thrown.code) &&
    (thrown.code !== 'functionRefused' ||
      (Number.isInteger(thrown.errCode) &&
        thrown.errCode >= FIRST_OWN_NUMBER &&
        typeof thrown.message === 'string'))
  return isMeant
    ? visibleReason(callerStore, thrown)
    : failed(called, 'it threw an error.', forHost(thrown))
}

/** The error for a result that cannot be rendered; `reason` is reported to the host only. */
export function resultRefused({ owner, name }: CalledFunction, reason: unknown): EntiaError {
  return failed({ owner, name }, 'it ran, but its result cannot be shown.', forHost(reason))
}

function failed({ owner, name }: CalledFunction, problem: string, cause: unknown): EntiaError {
  return engineError('functionFailed', { owner, name, problem }, { cause })
}

/** Wraps EntiaErrors, since error answers list every EntiaError in the chain of causes. */
function forHost(thrown: unknown): unknown {
  if (thrown === undefined) return new Error('The function threw undefined.')
  return isEntiaError(thrown) ? new Error(thrown.message, { cause: thrown }) : thrown
}
