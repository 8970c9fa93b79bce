import { type AnyDataStore, type ClassModel, EntiaError, isEntiaError } from '@entia/core'
import { NUMERIC_TYPES } from '../engine/names.ts'
import { restError } from '../errors/rest-error.ts'
import { reworded } from '../errors/reworded.ts'
import type { CallerStore } from './caller-store.ts'
import { withoutHiddenNames } from './visible-error.ts'

/** The error for an entity that does not exist or that the filter does not select. */
export function notFound(dataClass: ClassModel, keyText: string | null): EntiaError {
  return new EntiaError('entityNotFound', { dataClass: dataClass.name, key: keyText ?? '' })
}

/** The error for an entity that does not meet `If-Match`. */
export function preconditionError(dataClass: ClassModel, keyText: string | null): EntiaError {
  return restError('preconditionFailed', { dataClass: dataClass.name, key: keyText ?? '' })
}

/**
 * Other errors than EntiaError are defects of Entia or of the application: the item fails, and the
 * host is notified.
 */
export function toEntiaError(error: unknown): EntiaError {
  if (isEntiaError(error)) return error
  return restError('internalError', { problem: 'The entity is unchanged.' }, { cause: error })
}

/**
 * Errors about one stored entity. It may differ from the entity that the caller named: one that a
 * deletion would remove as well, or one that a hook writes.
 */
type EntityError = EntiaError<
  'entityLocked' | 'removeRestricted' | 'stampChanged' | 'validationFailed'
>

const isEntityError = (error: EntiaError): error is EntityError =>
  isEntiaError(error, 'entityLocked') ||
  isEntiaError(error, 'removeRestricted') ||
  isEntiaError(error, 'stampChanged') ||
  isEntiaError(error, 'validationFailed')

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
  return isEntityError(error) && isHidden(callerStore, error.details) ? neutral(error) : error
}

/** `key` is the key as text; null for a new entity. */
function isHidden(
  { names, view }: CallerStore,
  { dataClass: name, key }: { readonly dataClass: string; readonly key: string | null },
): boolean {
  const dataClass = names.findDataClass(name)
  if (!view.restrictsRows || dataClass === undefined || key === null) return false
  return !view.dataClass(name).has(NUMERIC_TYPES.has(dataClass.key.type) ? Number(key) : key)
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
  return restError('entityCannotBeSaved', details, { cause: recordError(callerStore.store, cause) })
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
  return restError(
    'entityCannotBeRemoved',
    { dataClass: dataClass.name, key, problem: cause.message },
    { cause },
  )
}

function isComplete(reason: EntiaError): boolean {
  return (
    isEntiaError(reason, 'entityNotFound') ||
    isEntiaError(reason, 'preconditionFailed') ||
    isEntiaError(reason, 'entityCannotBeSaved') ||
    isEntiaError(reason, 'entityCannotBeRemoved')
  )
}

/**
 * Wraps errors about the state of a stored record: a changed stamp, or a lock of another session.
 */
function recordError(store: AnyDataStore, cause: EntiaError): EntiaError {
  if (!isEntiaError(cause, 'stampChanged') && !isEntiaError(cause, 'entityLocked')) return cause
  const { dataClass, recordNumber } = cause.details
  return restError('recordCannotBeSaved', { dataClass, recordNumber, store: store.name }, { cause })
}
