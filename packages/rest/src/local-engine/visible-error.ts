import { EntiaError, type ErrorCode, isEntiaError } from '@entia/core'
import type { Names } from '../engine/names.ts'
import { reworded } from '../errors/reworded.ts'

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
