import { assertNever } from '../errors.ts'
import type { Scalar, Test } from '../filter/predicate.ts'
import { matchesKeyword } from '../value/keywords.ts'
import { patternList } from '../value/pattern-list.ts'
import { matchesWildcard, type Wildcard } from '../value/wildcard.ts'
import { lengthUnits, type Turns } from './turns.ts'

/** What a test says of null, and of any other value. */
interface CompiledTest {
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
      if (wildcards.length === 0) return { onNull: false, onValue: (found) => values.has(found) }
      const matches = turns === null || wildcards.length < 2 ? matcher(wildcards) : matcherInTurns(turns, wildcards)
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

/** True for a text that fits one of the patterns. */
function matcher(wildcards: readonly Wildcard[]): (text: string) => boolean {
  const list = patternList(wildcards)
  return (text) => list.some(text, (wildcard) => matchesWildcard(wildcard, text))
}

/** Patterns that are tried before the clock may be looked at. */
const GROUP = 16

/** The same where a turn may end with any few patterns; a text with which one ended is gone on with where it was left. */
function matcherInTurns(turns: Turns, wildcards: readonly Wildcard[]): (text: string) => boolean {
  const list = patternList(wildcards)
  const last = turns.once(['tried', wildcards], () => ({ text: '', tried: 0 }))
  return (text) => {
    const known = last.tried > 0 && last.text === text ? last.tried : 0
    let counted = known
    let at = 0
    const count = (): void => {
      // Looking at the text is counted once already.
      const visits = at - counted - (counted === 0 ? 1 : 0)
      const units = (at - counted) * lengthUnits(text)
      counted = at
      turns.spend(visits, units)
    }
    const isFound = list.some(text, (wildcard) => {
      if (at++ < known) return false
      if (matchesWildcard(wildcard, text)) return true
      if (at - counted < GROUP) return false
      last.text = text
      last.tried = at
      count()
      return false
    })
    if (at > counted) count()
    return isFound
  }
}
