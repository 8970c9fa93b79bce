import { type AnyDataStore, type ClassModel, EntiaError, isEntiaError } from '@entia/core'
import { NUMERIC_TYPES } from '../engine/names.ts'
import { restError } from '../errors/rest-error.ts'
import { reworded } from '../errors/reworded.ts'
import type { CallerStore } from './caller-store.ts'
import { withoutHiddenNames } from './visible-error.ts'

/** The entity an item names does not exist, or lies outside the filter. */
export function notFound(dataClass: ClassModel, keyText: string | null): EntiaError {
  return new EntiaError('entityNotFound', { dataClass: dataClass.name, key: keyText ?? '' })
}

/** `If-Match` asks for another stamp. */
export function preconditionError(dataClass: ClassModel, keyText: string | null): EntiaError {
  return restError('preconditionFailed', { dataClass: dataClass.name, key: keyText ?? '' })
}

/** Anything but an EntiaError is a mistake of ours or of the application's: the item fails, and the host is told. */
export function toEntiaError(error: unknown): EntiaError {
  if (isEntiaError(error)) return error
  return restError('internalError', { problem: 'The entity was left as it is.' }, { cause: error })
}

/** Errors about one stored entity, which may be another one than the caller named: what a removal takes along, or a hook writes. */
type EntityError = EntiaError<'entityLocked' | 'removeRestricted' | 'stampChanged' | 'validationFailed'>

const isEntityError = (error: EntiaError): error is EntityError =>
  isEntiaError(error, 'entityLocked') ||
  isEntiaError(error, 'removeRestricted') ||
  isEntiaError(error, 'stampChanged') ||
  isEntiaError(error, 'validationFailed')

/** What is said of an entity that is hidden, by code. */
const OF_HIDDEN: { readonly [C in EntityError['code']]: string } = {
  entityLocked: 'An entity that has to change along is locked by another session.',
  removeRestricted: "An entity that has to go along is still referred to (onDelete: 'restrict').",
  stampChanged: 'An entity that has to change along was saved since.',
  validationFailed: 'An entity that has to change along fails validation.',
}

/** Why a write was refused, as it may be told: of an entity that the caller cannot see, not even its key. */
export function visibleReason(callerStore: CallerStore, reason: EntiaError): EntiaError {
  const error = withoutHiddenNames(callerStore.names, reason)
  return isEntityError(error) && isHidden(callerStore, error.details) ? neutral(error) : error
}

/** `key` is the text of one; null for a new entity. */
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

/** Puts the protocol's outer errors around the reason why an entity was not saved; `key` is null for a new one. */
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

/** The same for a deletion. */
export function removeError(
  callerStore: CallerStore,
  dataClass: ClassModel,
  key: string,
  reason: EntiaError,
): EntiaError {
  const cause = visibleReason(callerStore, reason)
  if (isComplete(cause)) return cause
  return restError('entityCannotBeRemoved', { dataClass: dataClass.name, key, problem: cause.message }, { cause })
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
  return restError('recordCannotBeSaved', { dataClass, recordNumber, store: store.name }, { cause })
}
