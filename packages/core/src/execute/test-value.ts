import { assertNever } from '../errors.ts'
import type { Scalar, Test } from '../filter/predicate.ts'
import { matchesKeyword } from '../value/keywords.ts'
import { matchesWildcard, type Wildcard } from '../value/wildcard.ts'
import { lengthUnits, type Turns } from './turns.ts'

/** What a test says of null, and of any other value. */
export interface CompiledTest {
  readonly onNull: boolean
  readonly onValue: (value: Scalar, spelling?: string) => boolean
}

/**
 * A test as a function of one value that is not null: a comparison key for text, a stored value otherwise (booleans as booleans).
 * This is the one meaning of every comparison; typed loops and index ranges are derived from the same test and must agree with it.
 * `spelling` is what keyword tests look at, rather than the key. Where a read is carried out in turns, one may end between two
 * patterns of a list.
 */
export function compileTest(test: Test, turns: Turns | null = null): CompiledTest {
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
      return onTexts(turns, false, (text) => matchesWildcard(wildcard, text))
    }
    case 'notLike': {
      const { wildcard } = test
      return onTexts(turns, true, (text) => !matchesWildcard(wildcard, text))
    }
    case 'keyword': {
      const { words } = test
      const { onValue } = onTexts(turns, false, (text) => matchesKeyword(words, text))
      return { onNull: false, onValue: (_found, spelling) => spelling !== undefined && onValue(spelling) }
    }
    case 'in': {
      const values = new Set(test.values)
      const { wildcards } = test
      const matches =
        turns === null || wildcards.length < 2
          ? (text: string): boolean => wildcards.some((wildcard) => matchesWildcard(wildcard, text))
          : matcherInTurns(turns, wildcards)
      return { onNull: false, onValue: (found) => values.has(found) || (typeof found === 'string' && matches(found)) }
    }
    default:
      return assertNever(test)
  }
}

/** A test of texts, with what it says of other values. Of long ones a block may take longer than a turn: they are counted. */
function onTexts(turns: Turns | null, isOther: boolean, isText: (text: string) => boolean): CompiledTest {
  if (turns === null)
    return { onNull: false, onValue: (found) => (typeof found === 'string' ? isText(found) : isOther) }
  return {
    onNull: false,
    onValue: (found) => {
      if (typeof found !== 'string') return isOther
      const units = lengthUnits(found)
      if (units > 4) turns.spend(0, units)
      return isText(found)
    },
  }
}

/** Patterns that are tried before the clock may be looked at. */
const GROUP = 16

/** True for a text that fits one of the patterns. A text with which a turn ended is gone on with where it was left. */
function matcherInTurns(turns: Turns, wildcards: readonly Wildcard[]): (text: string) => boolean {
  const last = turns.once(['tried', wildcards], () => ({ text: '', tried: 0 }))
  return (text) => {
    let at = last.tried > 0 && last.text === text ? last.tried : 0
    while (at < wildcards.length) {
      const from = at
      const end = Math.min(at + GROUP, wildcards.length)
      while (at < end && !matchesWildcard(wildcards[at], text)) at++
      const isFound = at < end
      if (!isFound) {
        last.text = text
        last.tried = at
      }
      const tried = at - from + (isFound ? 1 : 0)
      // Looking at the text is counted once already.
      turns.spend(from === 0 ? tried - 1 : tried, tried * lengthUnits(text))
      if (isFound) return true
    }
    return false
  }
}
