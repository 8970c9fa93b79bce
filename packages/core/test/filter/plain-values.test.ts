import { describe, expect, test } from 'vitest'
import { prepareFilter } from '../../src/filter/bind-filter.ts'
import { isPlainText, plainKey, plainNumber } from '../../src/filter/convert-value.ts'
import { textKey } from '../../src/value/compare.ts'
import type { AttributeType } from '../../src/value/types.ts'
import { thing } from './kinds-catalog.ts'

const NUMBERS = [
  0,
  -0,
  1,
  -7,
  20.5,
  2 ** 31,
  2 ** 53,
  2 ** 60,
  1e300,
  -1e300,
  8.64e15,
  8.64e15 + 1,
  0.1,
]
const OTHERS = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  '',
  'x',
  '7',
  '1970-01-03',
  '2024-02-30',
  true,
  false,
]
const STRANGE = [null, undefined, {}, [], [7], 7n, new Date(5), Symbol.iterator, () => 7]
const GIVEN = [
  ...NUMBERS,
  ...OTHERS,
  '1970-01-01T00:00:01Z',
  '00:01:00',
  '@',
  '3!1!1970',
  ...STRANGE,
]

/** The value that binding compares with; NaN if it is refused or any value matches. */
function byBinding(attribute: string, given: unknown): number {
  try {
    const { predicate } = prepareFilter(`${attribute} = :1`, thing).bind([given])
    return predicate.kind === 'compare' && predicate.test.op === 'equal'
      ? Number(predicate.test.value)
      : Number.NaN
  } catch {
    return Number.NaN
  }
}

describe('a plain number', () => {
  test.each<[string, AttributeType, boolean, (given: unknown) => boolean]>([
    ['count', 'long', false, (given) => typeof given === 'number'],
    ['large', 'long64', false, (given) => typeof given === 'number'],
    ['amount', 'number', false, (given) => typeof given === 'number'],
    ['span', 'duration', false, (given) => typeof given === 'number'],
    ['flag', 'bool', false, (given) => typeof given === 'boolean'],
    ['day', 'date', true, (given) => typeof given === 'number' || typeof given === 'string'],
    ['moment', 'date', false, (given) => typeof given === 'number' || typeof given === 'string'],
  ])('of %s equals its bound form', (name, type, dateOnly, isPlain) => {
    for (const given of GIVEN) {
      const expected = isPlain(given) ? byBinding(name, given) : Number.NaN
      expect([given, plainNumber(type, dateOnly, given)]).toEqual([given, expected])
    }
    expect(
      GIVEN.filter((given) => !Number.isNaN(plainNumber(type, dateOnly, given))).length,
    ).toBeGreaterThan(1)
  })

  test('does not exist for other types', () => {
    for (const type of ['string', 'uuid', 'object', 'image', 'blob'] as const)
      for (const given of GIVEN) expect(plainNumber(type, false, given)).toBeNaN()
  })

  test('is never -0', () => {
    for (const type of ['long', 'long64', 'number', 'duration'] as const)
      expect(plainNumber(type, false, -0)).toBe(0)
  })
})

describe('a plain text', () => {
  const texts = [
    ...Array.from({ length: 300 }, (_, unit) => String.fromCharCode(unit)),
    ...[
      '',
      'abc',
      'A b',
      'a@',
      '@a',
      'a*b',
      'aé',
      '名前',
      '\ud800',
      '😀',
      'x'.repeat(50),
      `${'x'.repeat(50)}*`,
    ],
  ]
  test('has only ASCII characters and no wildcards', () => {
    for (const text of texts) {
      const isPlain = text !== '' && [...text].every((c) => c <= '\u007f' && c !== '@' && c !== '*')
      expect([text, isPlainText(text)]).toEqual([text, isPlain])
    }
    for (const given of GIVEN) if (typeof given !== 'string') expect(isPlainText(given)).toBe(false)
    for (const given of [['a'], { length: 1, charCodeAt: () => 65 }])
      expect(isPlainText(given)).toBe(false)
  })

  test('has the key of any text', () => {
    for (const text of texts.filter(isPlainText))
      for (const collation of ['folded', 'exact'] as const)
        expect(plainKey(text, collation)).toBe(textKey(text, collation))
  })
})
