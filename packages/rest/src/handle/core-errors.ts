import { type AnyDataStore, type ClassModel, EntiaError, isEntiaError } from '@entia/core'
import type { CallerStore } from './core-caller.ts'
import type { Names } from './names.ts'
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

/** Puts the protocol's outer errors around the reason why an entity was not saved; `key` is null for a new one. */
export function saveError(
  { store, names }: CallerStore,
  dataClass: ClassModel,
  key: string | null,
  reason: EntiaError,
): EntiaError {
  const told = withoutHiddenNames(names, reason)
  if (isComplete(told)) return told
  return new EntiaError(
    'entityCannotBeSaved',
    { dataClass: dataClass.name, key, problem: told.message },
    { cause: recordError(store, told) },
  )
}

/** The same for a deletion. */
export function removeError(names: Names, dataClass: ClassModel, key: string, reason: EntiaError): EntiaError {
  const told = withoutHiddenNames(names, reason)
  if (isComplete(told)) return told
  return new EntiaError(
    'entityCannotBeRemoved',
    { dataClass: dataClass.name, key, problem: told.message },
    { cause: told },
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

/** What stands in the way of a stored record as it is: another stamp, another session's lock. */
function recordError(store: AnyDataStore, cause: EntiaError): EntiaError {
  if (!isEntiaError(cause, 'stampChanged') && !isEntiaError(cause, 'entityLocked')) return cause
  const { dataClass, recordNumber } = cause.details
  return new EntiaError('recordCannotBeSaved', { dataClass, recordNumber, store: store.name }, { cause })
}
