import { assertNever } from '../errors.ts'
import type { ExactTest, Scalar, Test } from '../filter/predicate.ts'
import { textKey } from '../value/compare.ts'
import {
  matchesKeyword,
  matchesWildcard,
  patternList,
  type Wildcard,
  wildcardPrefix,
} from '../value/pattern-list.ts'
import { lengthUnits, type TimeSlices } from './time-slices.ts'

/** The results of a test for null and for other values. */
interface CompiledTest {
  readonly onNull: boolean
  readonly onValue: (value: Scalar, spelling?: string) => boolean
}

type ValueTest = CompiledTest['onValue']

/**
 * A test as a function of one value that is not null: a comparison key for text, a stored value
 * otherwise (booleans as booleans). It defines every comparison: typed loops and index ranges are
 * derived from the same test and must agree with it. Keyword and exact tests read `spelling`. In
 * a sliced read, a time slice may end between two patterns of a list.
 */
export const compileTest = (test: Test, slices: TimeSlices | null = null): CompiledTest => ({
  onNull: test.op === 'isNull',
  onValue: valueTest(test, slices),
})

function valueTest(test: Test, slices: TimeSlices | null): ValueTest {
  switch (test.op) {
    case 'isNull':
      return () => false
    case 'isNotNull':
      return () => true
    case 'equal': {
      const { value } = test
      return (found) => found === value
    }
    case 'notEqual': {
      const { value } = test
      return (found) => found !== value
    }
    case 'less': {
      const { value } = test
      return (found) => found < value
    }
    case 'lessEqual': {
      const { value } = test
      return (found) => found <= value
    }
    case 'greater': {
      const { value } = test
      return (found) => found > value
    }
    case 'greaterEqual': {
      const { value } = test
      return (found) => found >= value
    }
    case 'like': {
      const { wildcard } = test
      const prefix = wildcardPrefix(wildcard)
      if (prefix !== null) return (found) => typeof found === 'string' && found.startsWith(prefix)
      return onTexts(slices, false, (text) => matchesWildcard(wildcard, text))
    }
    case 'notLike': {
      const { wildcard } = test
      return onTexts(slices, true, (text) => !matchesWildcard(wildcard, text))
    }
    case 'exact':
    case 'notExact': {
      const isOne = exactMatcher(test, slices)
      const wanted = test.op === 'exact'
      return (found, spelling) => isOne(found, spelling) === wanted
    }
    case 'keyword': {
      const { words } = test
      const collation = test.isExact ? 'exact' : 'folded'
      const isFound = onTexts(slices, false, (text) => matchesKeyword(words, text, collation))
      return (_found, spelling) => spelling !== undefined && isFound(spelling)
    }
    case 'in': {
      const values = new Set(test.values)
      const { wildcards } = test
      if (wildcards.length === 0) return (found) => values.has(found)
      const matches = matcher(wildcards, slices)
      return (found) => values.has(found) || (typeof found === 'string' && matches(found))
    }
    default:
      return assertNever(test)
  }
}

/**
 * A test of texts, and its result for other values. Long texts are counted, since a block of them
 * may exceed a time slice.
 */
function onTexts(
  slices: TimeSlices | null,
  isOther: boolean,
  isText: (text: string) => boolean,
): ValueTest {
  if (slices === null) return (found) => (typeof found === 'string' ? isText(found) : isOther)
  return (found) => {
    if (typeof found !== 'string') return isOther
    const units = lengthUnits(found)
    if (units > 4) slices.spend(0, units)
    return isText(found)
  }
}

/** True for a value that equals one of a list; of texts, the spelling counts. */
function exactMatcher({ values: list, patterns }: ExactTest, slices: TimeSlices | null): ValueTest {
  const values = new Set(list)
  const matches = matcher(patterns, slices)
  return (found, spelling) => {
    if (typeof found !== 'string') return values.has(found)
    if (spelling === undefined) return false
    return values.has(spelling) || (patterns.length > 0 && matches(textKey(spelling, 'exact')))
  }
}

/** True for a text that matches one of the patterns. */
function matcher(
  wildcards: readonly Wildcard[],
  slices: TimeSlices | null,
): (text: string) => boolean {
  if (slices !== null && wildcards.length > 1) return slicedMatcher(slices, wildcards)
  const list = patternList(wildcards)
  return (text) => list.some(text, (wildcard) => matchesWildcard(wildcard, text))
}

/** Patterns that are tried between two looks at the clock. */
const GROUP = 16

/**
 * The same in a sliced read: a time slice may end after any few patterns, and the next one
 * continues with the same text.
 */
function slicedMatcher(
  slices: TimeSlices,
  wildcards: readonly Wildcard[],
): (text: string) => boolean {
  const list = patternList(wildcards)
  const last = slices.once(['tried', wildcards], () => ({ text: '', tried: 0 }))
  return (text) => {
    const known = last.tried > 0 && last.text === text ? last.tried : 0
    let counted = known
    let at = 0
    const count = (): void => {
      // The visit of the text is counted already.
      const visits = at - counted - (counted === 0 ? 1 : 0)
      const units = (at - counted) * lengthUnits(text)
      counted = at
      slices.spend(visits, units)
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
