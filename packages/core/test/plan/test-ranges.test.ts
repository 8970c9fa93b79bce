import { describe, expect, test } from 'vitest'
import type { Predicate, Scalar, Test } from '../../src/filter/predicate.ts'
import type { StorageAttribute } from '../../src/model/catalog.ts'
import {
  above,
  below,
  HIGH,
  type IndexRanges,
  intersectRanges,
  LOW,
  rangesOf,
} from '../../src/plan/key-range.ts'
import { exactSought } from '../../src/plan/physical-plan.ts'
import { matchesWildcard, parseWildcard, type Wildcard } from '../../src/value/pattern-list.ts'
import { employee } from '../filter/staff-catalog.ts'

type Key = string | number | null
const attributeOf = (name: string): StorageAttribute =>
  employee.attributes.get(name) as StorageAttribute

/** Whether a key passes a test, by its definition. */
function passes(asked: Test, key: Key): boolean {
  if (asked.op === 'isNull') return key === null
  if (key === null) return false
  switch (asked.op) {
    case 'isNotNull':
      return true
    case 'in':
      return (
        asked.values.map(keyOf).includes(key) ||
        asked.wildcards.some((one) => matchesWildcard(one, key as string))
      )
    case 'like':
      return matchesWildcard(asked.wildcard, key as string)
    case 'equal':
      return key === keyOf(asked.value)
    case 'notEqual':
      return key !== keyOf(asked.value)
    case 'less':
      return key < keyOf(asked.value)
    case 'lessEqual':
      return key <= keyOf(asked.value)
    case 'greater':
      return key > keyOf(asked.value)
    case 'greaterEqual':
      return key >= keyOf(asked.value)
    default:
      throw new Error('not a test of one key')
  }
}
const keyOf = (value: Scalar): string | number =>
  typeof value === 'boolean' ? Number(value) : value

function holds(asked: IndexRanges, key: Key): boolean {
  if (key === null) return asked.nulls
  if (asked.kind === 'number')
    return asked.ranges.some(({ low, high }) => Number(key) >= low && Number(key) <= high)
  return asked.ranges.some(
    ({ low, high }) => String(key) >= low && (high === null || String(key) < high),
  )
}

/** The expected contents, in order. */
function mustAscend({ ranges, kind }: IndexRanges): void {
  for (let i = 1; i < ranges.length; i++) {
    const [before, low] = [ranges[i - 1].high, ranges[i].low]
    expect(
      before !== null && (kind === 'number' ? before < low : before <= low),
      `${before} before ${low}`,
    ).toBe(true)
  }
}

const COMPARED = ['equal', 'notEqual', 'less', 'lessEqual', 'greater', 'greaterEqual'] as const
const NULLNESS: readonly Test[] = [{ op: 'isNull' }, { op: 'isNotNull' }]
const comparisons = (values: readonly Scalar[]): Test[] =>
  COMPARED.flatMap((op) => values.map((value): Test => ({ op, value, spelling: value })))
const inList = (values: readonly Scalar[], wildcards: readonly Wildcard[] = []): Test => ({
  op: 'in',
  values,
  wildcards,
  spelling: values,
})
const lists = (values: readonly Scalar[]): Test[] => [
  inList([]),
  inList(values),
  inList([...values].reverse()),
  inList([values[1], values[0], values[1]]),
]
const wildcardOf = (pattern: string): Wildcard => parseWildcard(pattern, 'exact') as Wildcard
const like = (pattern: string): Test => ({
  op: 'like',
  wildcard: wildcardOf(pattern),
  spelling: pattern,
})
const begin = (value: string): Test => ({
  op: 'like',
  wildcard: { parts: [value], anchoredStart: true, anchoredEnd: false },
  spelling: value,
  written: 'begin',
})

const NUMBERS = [
  -9007199254740991,
  -10,
  -2.5,
  -1,
  0,
  Number.MIN_VALUE,
  1,
  2,
  9,
  10,
  1e16,
  9007199254740991,
]
const NUMBER_KEYS = [...NUMBERS.flatMap((key) => [below(key), key, above(key)]), LOW, HIGH, null]
const WORDS = ['', 'a', 'ab', 'abc', 'ac', 'b', 'ba', 'é', '\uffff']
const TEXT_KEYS = [
  ...WORDS,
  ...WORDS.map((word) => `${word}\u0000`),
  'a\uffff',
  'a\uffffb',
  'Z',
  null,
]

describe.each([
  { names: ['age', 'salary', 'shift', 'seen', 'hired'], values: NUMBERS, keys: NUMBER_KEYS },
  { names: ['active'], values: [false, true], keys: [0, 1, null] },
  { names: ['lastName', 'email', 'badge'], values: WORDS, keys: TEXT_KEYS },
])('the ranges of $names', ({ names, values, keys }) => {
  const tests: readonly Test[] = [...NULLNESS, ...comparisons(values), ...lists(values)]

  test('hold exactly the keys that pass the test, ascending', () => {
    for (const name of names)
      for (const asked of tests) {
        const ranges = rangesOf(attributeOf(name), asked) as IndexRanges
        mustAscend(ranges)
        const inside = keys.filter((key) => holds(ranges, key))
        expect(inside, JSON.stringify(asked)).toEqual(keys.filter((key) => passes(asked, key)))
        expect(ranges.isExact).toBe(true)
        expect(ranges.kind).toBe(typeof values[0] === 'string' ? 'text' : 'number')
        expect(ranges.isPoints, asked.op).toBe(['isNull', 'equal', 'in'].includes(asked.op))
        if (asked.op === 'isNull') expect(ranges.ranges).toEqual([])
        if (asked.op === 'in') expect(ranges.ranges).toHaveLength(new Set(asked.values).size)
      }
  })

  test('of two tests hold the keys that pass both, and so do those of three', () => {
    const attribute = attributeOf(names[0])
    const some = tests.filter((_, i) => i % 3 === 0 || values.length < 3)
    const of = (parts: readonly Test[]): Predicate => ({
      kind: 'and',
      parts: parts.map((one) => ({ kind: 'compare', attribute, test: one })),
    })
    for (const first of some)
      for (const second of some) {
        const ranges = exactSought(attribute, of([first, second])) as IndexRanges
        mustAscend(ranges)
        const both = keys.filter((key) => passes(first, key) && passes(second, key))
        const said = `${JSON.stringify(first)} and ${JSON.stringify(second)}`
        expect(
          keys.filter((key) => holds(ranges, key)),
          said,
        ).toEqual(both)
        // A test with a single value on either side gives at most that value.
        const isPoint = [first, second].some(({ op }) => ['isNull', 'equal', 'in'].includes(op))
        expect([ranges.isPoints, ranges.isExact], said).toEqual([isPoint, true])
        expect(ranges.kind).toBe(typeof values[0] === 'string' ? 'text' : 'number')
        // Empty ranges are dropped.
        for (const { low, high } of ranges.ranges)
          expect(
            high === null || low < high || (low === high && ranges.kind === 'number'),
            said,
          ).toBe(true)
        const again = exactSought(
          attribute,
          of([first, second, first, { op: 'isNotNull' }]),
        ) as IndexRanges
        expect(
          keys.filter((key) => holds(again, key)),
          said,
        ).toEqual(both.filter((key) => key !== null))
      }
  })
})

describe('the ranges of a pattern', () => {
  const name = attributeOf('lastName')

  test.each(['a', 'ab', '\uffff', 'a\uffff'])(
    'with the prefix %j are one range that holds the texts with it',
    (value) => {
      const ranges = rangesOf(name, begin(value)) as IndexRanges
      expect(TEXT_KEYS.filter((key) => holds(ranges, key))).toEqual(
        TEXT_KEYS.filter((key) => key?.startsWith(value) === true),
      )
      expect([ranges.ranges.length, ranges.isExact, ranges.isPoints, ranges.nulls]).toEqual([
        1,
        true,
        false,
        false,
      ])
    },
  )

  test.each<[pattern: string, isExact: boolean | null]>([
    ['a@', true],
    ['ab*', true],
    ['a@b', false],
    ['a@b@', false],
    ['ab@c', false],
    ['@', null],
    ['@a', null],
    ['@a@', null],
  ])(
    '%s are marked as exact or not (%s), and hold at least the matching texts',
    (pattern, isExact) => {
      const ranges = rangesOf(name, like(pattern))
      expect(ranges?.isExact ?? null).toBe(isExact)
      if (ranges === null) return
      for (const key of TEXT_KEYS) {
        if (isExact) expect(holds(ranges, key), `${key}`).toBe(passes(like(pattern), key))
        else if (passes(like(pattern), key)) expect(holds(ranges, key), `${key}`).toBe(true)
      }
      // The texts in the range begin with the part before the first wildcard.
      const head = pattern.split(/[@*]/)[0]
      expect(TEXT_KEYS.filter((key) => holds(ranges, key))).toEqual(
        TEXT_KEYS.filter((key) => key?.startsWith(head) === true),
      )
      expect([ranges.isPoints, ranges.nulls]).toEqual([false, false])
    },
  )

  test.each<[list: readonly string[], isExact: boolean]>([
    [['a', 'b@'], true],
    [['a@', 'ab', 'ab@', 'abc'], true],
    [['a', 'a@', 'ba'], true],
    [['a@b', 'b'], false],
    [['ab@c', 'a@', 'é@'], false],
    [['ac', 'a@c', 'b@a@'], false],
  ])('of one of %j hold each candidate once, ascending; exact: %s', (list, isExact) => {
    const isPattern = (text: string): boolean => /[@*]/.test(text)
    const asked = inList(
      list.filter((text) => !isPattern(text)),
      list.filter(isPattern).map(wildcardOf),
    )
    const ranges = rangesOf(name, asked) as IndexRanges
    mustAscend(ranges)
    expect([ranges.isExact, ranges.isPoints, ranges.nulls]).toEqual([isExact, false, false])
    const heads = list.map((text) => (isPattern(text) ? text.split(/[@*]/)[0] : null))
    const mayBe = (key: Key): boolean =>
      list.includes(String(key)) ||
      heads.some((head) => head !== null && String(key).startsWith(head))
    expect(TEXT_KEYS.filter((key) => key !== null && holds(ranges, key))).toEqual(
      TEXT_KEYS.filter((key) => key !== null && mayBe(key)),
    )
    expect(TEXT_KEYS.filter((key) => passes(asked, key) && !holds(ranges, key))).toEqual([])
  })

  test('do not exist for !=, for words, and for lists with a pattern without a prefix', () => {
    const unlike: Test = { op: 'notLike', wildcard: wildcardOf('a@'), spelling: 'a@' }
    const word: Test = { op: 'keyword', words: [{ key: 'a', isPrefix: false }], spelling: 'a' }
    for (const asked of [
      unlike,
      word,
      inList(['a'], [wildcardOf('@b')]),
      inList([], ['b@', '@a@'].map(wildcardOf)),
    ])
      expect(rangesOf(name, asked), asked.op).toBe(null)
    for (const asked of [begin('a'), like('a@'), inList([1], [wildcardOf('b@')]), word])
      expect(rangesOf(attributeOf('age'), asked), asked.op).toBe(null)
    for (const type of ['object', 'image', 'blob'] as const)
      for (const asked of NULLNESS)
        expect(rangesOf({ ...attributeOf('photo'), type }, asked), type).toBe(null)
  })

  test('are not exact together if one is not, and then unused', () => {
    const parts = (...tests: readonly Test[]): Predicate => joined('and', tests)
    const joined = (kind: 'and' | 'or', tests: readonly Test[]): Predicate => ({
      kind,
      parts: tests.map((one) => ({ kind: 'compare', attribute: name, test: one })),
    })
    const more: Test = { op: 'greater', value: 'aa', spelling: 'aa' }
    expect(exactSought(name, parts(more, like('a@')))).toMatchObject({ isExact: true })
    for (const asked of [
      parts(more, like('a@b')),
      parts(like('a@b'), more),
      parts(like('@b'), more),
    ])
      expect(exactSought(name, asked)).toBe(null)
    expect(exactSought(name, joined('or', [more, more]))).toBe(null)
    expect(exactSought(name, { kind: 'constant', value: true })).toBe(null)
    const [exact, inexact] = [more, like('a@b')].map((one) => rangesOf(name, one) as IndexRanges)
    expect(intersectRanges(exact, exact).isExact).toBe(true)
    for (const [a, b] of [
      [exact, inexact],
      [inexact, exact],
      [inexact, inexact],
    ])
      expect(intersectRanges(a, b).isExact).toBe(false)
  })
})

test('the doubles beside a number are the nearest ones', () => {
  for (const value of [...NUMBERS, 0.1, -0.1, 1e300, 3, 1 / 3]) {
    expect(below(value)).toBeLessThan(value)
    expect(above(value)).toBeGreaterThan(value)
    // There is no double between: the middle rounds to one of the two.
    expect([below(value), value]).toContain((below(value) + value) / 2)
    expect([value, above(value)]).toContain((above(value) + value) / 2)
  }
})
