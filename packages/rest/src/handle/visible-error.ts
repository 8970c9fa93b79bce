import { type Catalog, EntiaError, type ErrorCode, isEntiaError } from '@entia/core'
import { findAttribute } from './names.ts'

/** What is said of something that is not exposed, by code; `refuses the change` of any other. */
const FAULTS: { readonly [C in ErrorCode]?: string } = {
  notNullViolation: 'cannot be null',
  keyNull: 'cannot be null',
  uniqueViolation: 'must be unique, and its value is already used by another entity',
  relationTargetMissing: 'points to an entity that does not exist',
  removeRestricted: "still refers to the entity (onDelete: 'restrict')",
}

/** They repeat a name from the request: whether it exists, they do not tell. */
const REPEATING: ReadonlySet<ErrorCode> = new Set(['attributeNotFound', 'dataClassNotFound'])

/**
 * Why the engine refused a write, as it may be told outside: an error that would name something hidden keeps its code, and
 * with it its number and status, and gets a neutral message. Every refusal of a write goes through here.
 */
export function withoutHiddenNames(catalog: Catalog, error: EntiaError): EntiaError {
  const hidden = hiddenPart(catalog, error)
  if (hidden !== null)
    return withMessage(error, `${hidden} that is not exposed ${FAULTS[error.code] ?? 'refuses the change'}.`)
  if (isEntiaError(error, 'validationFailed')) {
    const { failures } = error.details
    const told = failures.map((failure) => withoutHiddenNames(catalog, failure))
    if (told.every((failure, at) => failure === failures[at])) return error
    return new EntiaError('validationFailed', { ...error.details, failures: told })
  }
  const { cause } = error
  if (!isEntiaError(cause)) return error
  const told = withoutHiddenNames(catalog, cause)
  // An outer message repeats the inner one, if it speaks of it.
  return told === cause ? error : withMessage(error, error.message.split(cause.message).join(told.message), told)
}

function withMessage(error: EntiaError, message: string, cause?: EntiaError): EntiaError {
  const told = new EntiaError(error.code, error.details, { cause })
  told.message = message
  return told
}

/** What of an error's details is hidden, as a message begins; null when all of them may be named. */
function hiddenPart(catalog: Catalog, error: EntiaError): string | null {
  if (REPEATING.has(error.code)) return null
  const details = new Map<string, unknown>(Object.entries(error.details))
  // `by` is a dataclass and its relation with a dot between them.
  for (const [className, name] of [
    [details.get('dataClass'), details.get('attribute')],
    String(details.get('by') ?? '').split('.'),
  ]) {
    const dataClass = typeof className === 'string' ? catalog.byName.get(className) : undefined
    if (dataClass === undefined) continue
    if (!dataClass.exposed) return 'A dataclass'
    if (typeof name !== 'string' || !dataClass.attributes.has(name)) continue
    if (findAttribute(dataClass, name) === undefined) return 'An attribute'
  }
  return null
}
