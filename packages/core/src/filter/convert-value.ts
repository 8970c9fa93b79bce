import type { EntiaError } from '../errors.ts'
import { describeFound, Refusal } from '../value/check-options.ts'
import { coerceInput, coerceLiteral, parseBoolean } from '../value/coerce.ts'
import { formatDate } from '../value/date.ts'
import type { AttributeType, Collation } from '../value/types.ts'
import { type BindContext, cannotBeAnalysed } from './context.ts'
import { filterError } from './filter-errors.ts'
import type { Scalar } from './predicate.ts'
import type { PlaceholderSyntax, ScalarSyntax } from './syntax.ts'

/**
 * The target of a comparison. `json` is a property of an object attribute: its type is that of the
 * value.
 */
export interface Comparable {
  /** For messages. */
  readonly name: string
  readonly type: AttributeType | 'json'
  readonly dateOnly: boolean
  readonly collation: Collation
  /** A sentence that refusals add; null for none. */
  readonly remedy: (() => string) | null
}

/** The stored form of a value that is not compared as text. */
export function convert(
  context: BindContext,
  target: Comparable,
  source: ScalarSyntax,
  given: unknown,
): number | boolean {
  const found = typeof given === 'string' ? literalOf(target, given) : valueGiven(target, given)
  if (typeof found === 'number' || typeof found === 'boolean') return found
  const problem =
    found instanceof Refusal
      ? refusedBy(target, found)
      : `${described(target)} cannot be compared with ${describeFound(given)}.${remedyOf(target)}`
  throw source.kind === 'placeholder'
    ? wrongType(context, source, problem)
    : cannotBeAnalysed(context, source.at, problem)
}

function literalOf(target: Comparable, text: string): Scalar | Refusal {
  return target.type === 'json'
    ? jsonLiteral(text)
    : coerceLiteral(target.type, target.dateOnly, text)
}

/** Given values other than text are not converted, except dates. */
function valueGiven({ type, dateOnly }: Comparable, given: unknown): unknown {
  switch (type) {
    case 'json':
      return typeof given === 'boolean' || (typeof given === 'number' && Number.isFinite(given))
        ? given
        : undefined
    case 'long':
    case 'long64':
      // A whole-number attribute can be compared with 20.5.
      return coerceInput('number', dateOnly, given)
    case 'object':
    case 'image':
    case 'blob':
      return undefined
    default:
      return coerceInput(type, dateOnly, given)
  }
}

/** A text without quotes beside a property: a number, a boolean or itself. */
export function jsonLiteral(text: string): Scalar {
  const boolean = parseBoolean(text)
  if (boolean !== null) return boolean
  const number = coerceLiteral('number', false, text)
  return number instanceof Refusal ? text : number
}

/** The form in plans: text as written, other values unchanged, dates never as numbers. */
export function spellingOf(
  target: Comparable,
  given: unknown,
  converted: number | boolean,
): Scalar {
  if (target.type === 'date' && typeof converted === 'number')
    return typeof given === 'string' ? given : formatDate(converted, target.dateOnly)
  return converted
}

export function described({ name }: Comparable): string {
  return `"${name}"`
}

export function refusedBy(target: Comparable, { expected, found }: Refusal): string {
  return `${described(target)} is compared with ${expected}, not with ${found}.${remedyOf(target)}`
}

function remedyOf({ remedy }: Comparable): string {
  return remedy === null ? '' : ` ${remedy()}`
}

export function wrongType(
  context: BindContext,
  source: PlaceholderSyntax,
  problem: string,
): EntiaError {
  const cause = filterError('placeholderWrongType', { placeholder: `:${source.name}`, problem })
  return cannotBeAnalysed(context, source.at, cause.message, cause)
}
