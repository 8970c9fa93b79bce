import { assertNever } from '../errors.ts'
import { TESTS } from '../filter/operators.ts'
import type { JsonMatch, Predicate, Scalar, Test } from '../filter/predicate.ts'
import type { ToManyAttribute, ToOneAttribute } from '../model/catalog.ts'
import { textKey } from '../value/compare.ts'
import { propertyAt } from '../value/json.ts'
import type { Collation, Json, StoredValue } from '../value/types.ts'
import { compileTest } from './test-value.ts'
import type { TimeSlices } from './time-slices.ts'

/** A match inside an object attribute as a function of its JSON value (null for none). */
export function compileJsonMatch(
  match: JsonMatch,
  collation: Collation,
  slices: TimeSlices | null,
): (json: unknown) => boolean {
  switch (match.kind) {
    case 'value':
    case 'length': {
      const test = compileJsonTest(match.test, collation, slices)
      if (match.kind === 'value') return (json) => test(propertyAt(json as Json, match.path))
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

/** One record at some moment, now or before. */
export interface RecordView {
  /** The stored value of a column, by its ordinal. */
  read(ordinal: number): StoredValue
  /** The related record of a to-one relation at that moment; null for none. */
  follow(relation: ToOneAttribute): RecordView | null
  /** True if a record that a to-many relation leads to at that moment passes the test. */
  some(relation: ToManyAttribute, test: RecordTest): boolean
}

/** True for a record that satisfies a predicate at its moment. */
export type RecordTest = (record: RecordView) => boolean

/**
 * A predicate as a function of one record; null for predicates with computed attributes. It reads
 * stored values of the record and of those that its relations lead to: for a to-many relation one
 * after the other, up to the first that passes. It does not depend on the layout of a column, so it
 * lives as long as the predicate.
 */
export function recordTest(predicate: Predicate): RecordTest | null {
  switch (predicate.kind) {
    case 'constant': {
      const { value } = predicate
      return () => value
    }
    case 'compare': {
      const { attribute, test } = predicate
      const { onNull, onValue } = compileTest(test)
      return (record) => {
        const value = record.read(attribute.ordinal)
        if (value === null) return onNull
        return typeof value === 'string'
          ? onValue(textKey(value, attribute.collation), value)
          : onValue(value as number | boolean)
      }
    }
    case 'property': {
      const { attribute, match } = predicate
      const matches = compileJsonMatch(match, attribute.collation, null)
      return (record) => matches(record.read(attribute.ordinal))
    }
    case 'not': {
      const part = recordTest(predicate.part)
      return part === null ? null : (record) => !part(record)
    }
    case 'and':
    case 'or': {
      const parts = predicate.parts.map(recordTest)
      if (!parts.every((part) => part !== null)) return null
      const isAll = predicate.kind === 'and'
      return (record) => {
        for (let i = 0; i < parts.length; i++) if (parts[i](record) !== isAll) return !isAll
        return isAll
      }
    }
    case 'related': {
      const { relation, whenMissing } = predicate
      const part = recordTest(predicate.part)
      if (part === null) return null
      if (relation.kind === 'relatedEntities') return (record) => record.some(relation, part)
      return (record) => {
        const target = record.follow(relation)
        return target === null ? whenMissing : part(target)
      }
    }
    case 'computed':
      return null
    default:
      return assertNever(predicate)
  }
}
