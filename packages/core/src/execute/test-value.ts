import { assertNever } from '../errors.ts'
import type { Scalar, Test } from '../filter/predicate.ts'
import { matchesKeyword } from '../value/keywords.ts'
import { matchesWildcard } from '../value/wildcard.ts'

/**
 * A test as a function of one value that is not null: a comparison key for text, a stored value otherwise (booleans as booleans).
 * This is the one meaning of every comparison; typed loops and index ranges are derived from the same test and must agree with it.
 * `spellingOf` is asked by keyword tests, which look at words rather than at the key.
 */
export function compileTest(test: Test): {
  readonly onNull: boolean
  readonly onValue: (value: Scalar, spelling?: string) => boolean
} {
  switch (test.op) {
    case 'isNull':
      return { onNull: true, onValue: () => false }
    case 'isNotNull':
      return { onNull: false, onValue: () => true }
    case 'equal': {
      const { value } = test
      return { onNull: false, onValue: (found) => found === value }
    }
    case 'notEqual': {
      const { value } = test
      return { onNull: false, onValue: (found) => found !== value }
    }
    case 'less': {
      const { value } = test
      return { onNull: false, onValue: (found) => found < value }
    }
    case 'lessEqual': {
      const { value } = test
      return { onNull: false, onValue: (found) => found <= value }
    }
    case 'greater': {
      const { value } = test
      return { onNull: false, onValue: (found) => found > value }
    }
    case 'greaterEqual': {
      const { value } = test
      return { onNull: false, onValue: (found) => found >= value }
    }
    case 'begin': {
      const { value } = test
      return { onNull: false, onValue: (found) => typeof found === 'string' && found.startsWith(value) }
    }
    case 'like': {
      const { wildcard } = test
      return { onNull: false, onValue: (found) => typeof found === 'string' && matchesWildcard(wildcard, found) }
    }
    case 'notLike': {
      const { wildcard } = test
      return { onNull: false, onValue: (found) => typeof found !== 'string' || !matchesWildcard(wildcard, found) }
    }
    case 'keyword': {
      const { words } = test
      return { onNull: false, onValue: (_found, spelling) => spelling !== undefined && matchesKeyword(words, spelling) }
    }
    case 'in': {
      const values = new Set(test.values)
      const { wildcards } = test
      return {
        onNull: false,
        onValue: (found) =>
          values.has(found) ||
          (typeof found === 'string' && wildcards.some((wildcard) => matchesWildcard(wildcard, found))),
      }
    }
    default:
      return assertNever(test)
  }
}
