import { EntiaError, type ErrorCode, isEntiaError } from '@entia/core'
import type { Names } from '../engine/names.ts'
import { reworded } from '../errors/reworded.ts'

/** What is said of something that is not exposed, by code; `refuses the change` of any other. */
const FAULTS: { readonly [C in ErrorCode]?: string } = {
  notNullViolation: 'cannot be null',
  keyNull: 'cannot be null',
  keyEmpty: 'cannot be an empty text',
  uniqueViolation: 'must be unique, and its value is already used by another entity',
  relationTargetMissing: 'points to an entity that does not exist',
  removeRestricted: "still refers to the entity (onDelete: 'restrict')",
}

/** The application's own code failed: what it says is for the host. */
const OWN_CODE_FAILED: ReadonlySet<ErrorCode> = new Set(['hookFailed', 'hookTooDeep', 'promiseReturned'])

/** The failure of the application's code without its words; they stay in the cause, which clients are not shown. */
function withoutWords(error: EntiaError): EntiaError {
  const { cause } = error
  const forHost = cause === undefined || isEntiaError(cause) ? new Error(error.message, { cause }) : cause
  return reworded(error, 'Code of the application failed, and the change was not made.', { cause: forHost })
}

/**
 * Why the engine refused a write, as it may be told outside: an error that would name something hidden keeps its code, and
 * with it its number and status, and gets a neutral message; so does a failure of the application's own code. Every refusal of a write goes through here.
 */
export function withoutHiddenNames(names: Names, error: EntiaError): EntiaError {
  if (OWN_CODE_FAILED.has(error.code)) return withoutWords(error)
  const hidden = hiddenPart(names, error)
  const neutral =
    hidden === null ? null : `${hidden} that is not exposed ${FAULTS[error.code] ?? 'refuses the change'}.`
  if (isEntiaError(error, 'validationFailed')) {
    const failures = error.details.failures.map((failure) => withoutHiddenNames(names, failure))
    const details = { ...error.details, failures }
    return neutral === null ? new EntiaError('validationFailed', details) : reworded(error, neutral, { details })
  }
  if (neutral !== null) return reworded(error, neutral)
  if (!isEntiaError(error.cause)) return error
  const cause = withoutHiddenNames(names, error.cause)
  if (cause === error.cause) return error
  // An outer message may repeat the inner one.
  const message = error.message.split(error.cause.message).join(cause.message)
  return reworded(error, message, { cause })
}

/** What of an error's details is hidden, as a message begins; null when all of them may be named. */
function hiddenPart(names: Names, error: EntiaError): string | null {
  const details = new Map<string, unknown>(Object.entries(error.details))
  // `by` is a dataclass and its relation with a dot between them.
  for (const [className, name] of [
    [details.get('dataClass'), details.get('attribute')],
    String(details.get('by') ?? '').split('.'),
  ]) {
    const dataClass = typeof className === 'string' ? names.catalog.byName.get(className) : undefined
    if (dataClass === undefined) continue
    if (names.findDataClass(dataClass.name) === undefined) return 'A dataclass'
    // "Cannot be found" repeats a name of the request, and does not tell whether it exists.
    if (error.code === 'attributeNotFound' || typeof name !== 'string' || !dataClass.attributes.has(name)) continue
    if (names.find(dataClass, name) === undefined) return 'An attribute'
  }
  return null
}
