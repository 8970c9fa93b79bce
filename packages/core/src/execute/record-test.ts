import { assertNever } from '../errors.ts'
import type { Predicate } from '../filter/predicate.ts'
import type { StorageAttribute } from '../model/catalog.ts'
import { textKey } from '../value/text-key.ts'
import type { StoredValue } from '../value/types.ts'
import { compileJsonMatch } from './json-match.ts'
import { compileTest } from './test-value.ts'

/** Reads a stored value of one record, of now or of before, by the ordinal of its column. */
export type ReadValue = (ordinal: number) => StoredValue

/** True for a record, which must exist, whose values satisfy a predicate. */
export type RecordTest = (read: ReadValue) => boolean

/**
 * A predicate as a function of the values of one record; null where it asks more than the record's own stored values: related
 * entities, computed attributes. It depends on no column's layout, so that it may be kept as long as the predicate.
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
      return (read) => {
        const value = read(attribute.ordinal)
        if (value === null) return onNull
        return typeof value === 'string'
          ? onValue(comparisonKey(value, attribute), value)
          : onValue(value as number | boolean)
      }
    }
    case 'property': {
      const { attribute, match } = predicate
      const matches = compileJsonMatch(match, attribute.collation, null)
      return (read) => matches(read(attribute.ordinal))
    }
    case 'not': {
      const part = recordTest(predicate.part)
      return part === null ? null : (read) => !part(read)
    }
    case 'and':
    case 'or': {
      const parts = predicate.parts.map(recordTest)
      if (!parts.every((part) => part !== null)) return null
      return predicate.kind === 'and'
        ? (read) => parts.every((part) => part(read))
        : (read) => parts.some((part) => part(read))
    }
    case 'computed':
    case 'related':
      return null
    default:
      return assertNever(predicate)
  }
}

const comparisonKey = (text: string, { collation }: StorageAttribute): string => textKey(text, collation)
