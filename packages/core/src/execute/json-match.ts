import { assertNever } from '../errors.ts'
import { TESTS } from '../filter/operators.ts'
import type { JsonMatch, Scalar, Test } from '../filter/predicate.ts'
import { propertyAt } from '../value/json.ts'
import { textKey } from '../value/text-key.ts'
import type { Collation, Json } from '../value/types.ts'
import { compileTest } from './test-value.ts'
import type { TimeSlices } from './time-slices.ts'

/** A match inside an object attribute as a function of its JSON value (null for none). */
export function compileJsonMatch(
  match: JsonMatch,
  collation: Collation,
  slices: TimeSlices | null,
): (json: unknown) => boolean {
  switch (match.kind) {
    case 'value': {
      const test = compileJsonTest(match.test, collation, slices)
      return (json) => test(propertyAt(json as Json, match.path))
    }
    case 'length': {
      const test = compileJsonTest(match.test, collation, slices)
      return (json) => {
        const value = propertyAt(json as Json, match.path)
        return test(Array.isArray(value) ? value.length : propertyAt(value ?? null, ['length']))
      }
    }
    case 'some':
    case 'none': {
      const all = match.all.map((inner) => compileJsonMatch(inner, collation, slices))
      const isSome = match.kind === 'some'
      return (json) => {
        const value = propertyAt(json as Json, match.path)
        if (!Array.isArray(value)) return false
        return value.some((element) => all.every((test) => test(element))) === isSome
      }
    }
    default:
      return assertNever(match)
  }
}

/**
 * A JSON value of another type than the test's value differs from it, and is neither less nor
 * greater.
 */
function compileJsonTest(
  test: Test,
  collation: Collation,
  slices: TimeSlices | null,
): (value: unknown) => boolean {
  const { onNull, onValue } = compileTest(test, slices)
  const expected = 'value' in test ? typeof test.value : null
  const takesOthers = 'takesOtherTypes' in TESTS[test.op]
  return (value) => {
    if (value === null || value === undefined) return onNull
    if (typeof value === 'object') return takesOthers
    if (expected !== null && expected !== typeof value) return takesOthers
    return typeof value === 'string'
      ? onValue(textKey(value, collation), value)
      : onValue(value as Scalar)
  }
}
