import type { EntiaError } from '../errors.ts'
import { describeFound, Refusal } from '../value/check-options.ts'
import { coerceInput, coerceLiteral, parseBoolean } from '../value/coerce.ts'
import { textKey } from '../value/compare.ts'
import { dateFromEpoch, formatDate, parseDate } from '../value/date.ts'
import { isWildcard } from '../value/pattern-list.ts'
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
  cause?: EntiaError,
): EntiaError {
  const error = filterError(
    'placeholderWrongType',
    { placeholder: `:${source.name}`, problem },
    cause && { cause },
  )
  return cannotBeAnalysed(context, source.at, error.message, error)
}

// Most given values have the attribute's own type and need no conversion. These functions recognise
// them without an allocation. All other values go to `bindTest`, which handles every spelling and
// every error.

/**
 * The comparable form of a given number, boolean (0 or 1) or date; NaN for all other values. Cost:
 * O(1), or reading a date.
 */
export function plainNumber(type: AttributeType, dateOnly: boolean, given: unknown): number {
  switch (type) {
    case 'long':
    case 'long64':
    case 'number':
    case 'duration':
      return typeof given === 'number' && Number.isFinite(given) ? given + 0 : Number.NaN
    case 'bool':
      return given === true ? 1 : given === false ? 0 : Number.NaN
    case 'date':
      if (typeof given === 'string') return parseDate(given, dateOnly) ?? Number.NaN
      return typeof given === 'number' ? (dateFromEpoch(given, dateOnly) ?? Number.NaN) : Number.NaN
    default:
      return Number.NaN
  }
}

/** True for a text of ASCII characters without wildcards: folding changes its capitals only. */
export function isPlainText(given: unknown): given is string {
  if (typeof given !== 'string' || given.length === 0) return false
  for (let i = 0; i < given.length; i++) {
    const unit = given.charCodeAt(i)
    if (unit > 127 || isWildcard(unit)) return false
  }
  return true
}

/** The comparison key of a plain text. */
export const plainKey = (text: string, collation: Collation): string =>
  collation === 'folded' ? textKey(text, collation) : text
