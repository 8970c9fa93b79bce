import { type AnyDataStore, type ClassModel, EntiaError, isEntiaError } from '@entia/core'
import type { CallerStore } from './caller-store.ts'
import { withoutHiddenNames } from './visible-error.ts'

/** The entity an item names does not exist, or lies outside the filter. */
export function notFound(dataClass: ClassModel, keyText: string | null): EntiaError {
  return new EntiaError('entityNotFound', { dataClass: dataClass.name, key: keyText ?? '' })
}

/** `If-Match` asks for another stamp. */
export function preconditionError(dataClass: ClassModel, keyText: string | null): EntiaError {
  return new EntiaError('preconditionFailed', { dataClass: dataClass.name, key: keyText ?? '' })
}

/** Anything but an EntiaError is a mistake of ours or of the application's: the item fails, and the host is told. */
export function toEntiaError(error: unknown): EntiaError {
  if (isEntiaError(error)) return error
  return new EntiaError('internalError', { problem: 'The entity was left as it is.' }, { cause: error })
}

/** Why a write was refused, as it may be told: of an entity that the caller cannot see, not even its key. */
export function told({ names, view }: CallerStore, reason: EntiaError): EntiaError {
  const error = withoutHiddenNames(names, reason)
  const isLock = isEntiaError(error, 'entityLocked')
  if (!view.restrictsRows || (!isLock && !isEntiaError(error, 'removeRestricted'))) return error
  const { dataClass, key } = error.details
  const isShown = names.findDataClass(dataClass) === undefined || view.dataClass(dataClass).has(key)
  if (isShown) return error
  const details = { ...error.details, key: '', ...(isLock ? { recordNumber: 0 } : {}) }
  const neutral = new EntiaError(error.code, details as typeof error.details)
  neutral.message = isLock
    ? 'An entity that has to change along is locked by another session.'
    : "An entity that has to go along is still referred to (onDelete: 'restrict')."
  return neutral
}

/** Puts the protocol's outer errors around the reason why an entity was not saved; `key` is null for a new one. */
export function saveError(
  seen: CallerStore,
  dataClass: ClassModel,
  key: string | null,
  reason: EntiaError,
): EntiaError {
  const cause = told(seen, reason)
  if (isComplete(cause)) return cause
  const details = { dataClass: dataClass.name, key, problem: cause.message }
  return new EntiaError('entityCannotBeSaved', details, { cause: recordError(seen.store, cause) })
}

/** The same for a deletion. */
export function removeError(seen: CallerStore, dataClass: ClassModel, key: string, reason: EntiaError): EntiaError {
  const cause = told(seen, reason)
  if (isComplete(cause)) return cause
  return new EntiaError('entityCannotBeRemoved', { dataClass: dataClass.name, key, problem: cause.message }, { cause })
}

function isComplete(reason: EntiaError): boolean {
  return (
    isEntiaError(reason, 'entityNotFound') ||
    isEntiaError(reason, 'preconditionFailed') ||
    isEntiaError(reason, 'entityCannotBeSaved') ||
    isEntiaError(reason, 'entityCannotBeRemoved')
  )
}

/** What stands in the way of a stored record as it is: another stamp, another session's lock. */
function recordError(store: AnyDataStore, cause: EntiaError): EntiaError {
  if (!isEntiaError(cause, 'stampChanged') && !isEntiaError(cause, 'entityLocked')) return cause
  const { dataClass, recordNumber } = cause.details
  return new EntiaError('recordCannotBeSaved', { dataClass, recordNumber, store: store.name }, { cause })
}
