import { describe, expect, test } from 'vitest'
import {
  cellText,
  fieldOf,
  inputText,
  ownAddress,
  parseInput,
  problemsOf,
} from '../src/page/field-value.ts'
import { filterErrorOf, splitAt } from '../src/page/filter-error.ts'
import { filtersFrom, withNewest } from '../src/page/filter-history.ts'
import type { Attribute } from '../src/page/model.ts'
import {
  countdownText,
  type KeptSet,
  labelOf,
  lifetime,
  secondsLeft,
  setIdIn,
  setsFrom,
} from '../src/page/shelf-state.ts'

const attribute = (type: string, more: Partial<Attribute> = {}): Attribute => ({
  name: 'a',
  kind: 'storage',
  type,
  target: null,
  foreignKey: null,
  inverse: null,
  dateOnly: false,
  words: false,
  indexed: false,
  unique: false,
  notNull: false,
  readOnly: false,
  isKey: false,
  autoSequence: false,
  ...more,
})

describe('a refused filter', () => {
  test('is marked at the position in the message', () => {
    const messages = [
      'The "dely" attribute cannot be found.',
      'The filter cannot be analysed at character 7: No.\n  a b c d\n        ^',
    ]
    expect(filterErrorOf(messages)).toEqual({
      message: 'The filter cannot be analysed at character 7: No.',
      at: 6,
    })
    expect(splitAt('delay >> 400', 6)).toEqual(['delay ', '>>', ' 400'])
    expect(splitAt('dely.x > 4', 0)).toEqual(['', 'dely.x', ' > 4'])
    expect(splitAt('delay >', 7)).toEqual(['delay >', '', ''])
  })

  test('without a position shows only the message', () => {
    expect(filterErrorOf(['Too long.'])).toEqual({ message: 'Too long.', at: null })
  })
})

describe('a value', () => {
  test('is formatted as text', () => {
    expect(cellText('!!2021-03-01!!', attribute('date', { dateOnly: true }))).toBe('2021-03-01')
    expect(cellText('2001-01-01T16:17:00.000Z', attribute('date'))).toBe('2001-01-01 16:17:00')
    expect([
      cellText(null, undefined),
      cellText(false, undefined),
      cellText({ a: 1 }, undefined),
    ]).toEqual(['', 'false', '{"a":1}'])
  })

  test.each([
    ['long', '12', { value: 12 }],
    ['long', '1.5', { problem: 'This is not a whole number.' }],
    ['number', '1e3', { value: 1000 }],
    ['number', ' ', { problem: 'This is not a number.' }],
    ['long64', '9007199254740993', { value: '9007199254740993' }],
    ['bool', 'false', { value: false }],
    ['object', '{"a":[1]}', { value: { a: [1] } }],
    ['duration', '1500', { value: 1500 }],
    ['duration', '00:30:00', { value: '00:30:00' }],
    ['string', '', { value: '' }],
    ['string', null, { value: null }],
    ['date', '', { value: null }],
  ])('of type %s is parsed from "%s"', (type, text, parsed) => {
    expect(parseInput(text, attribute(type))).toEqual(parsed)
  })

  test('of invalid JSON is reported', () => {
    expect(parseInput('{', attribute('object'))).toHaveProperty('problem')
  })

  test('of a relation is edited as its key', () => {
    const related = attribute('Company', { kind: 'relatedEntity', target: 'Company' })
    expect(inputText({ __deferred: { uri: '/rest/Company[1]', __KEY: '1' } }, related)).toBe('1')
    expect(inputText(null, related)).toBeNull()
  })

  test('loads media from this server only', () => {
    expect(ownAddress('/rest/A[1]/photo?$version=1', '/rest')).toBe('/rest/A[1]/photo?$version=1')
    expect([
      ownAddress('//evil/rest/', '/rest'),
      ownAddress('https://a/rest/', '/rest'),
      ownAddress('/restless/', '/rest'),
    ]).toEqual([null, null, null])
  })
})

test('each refused attribute has its first message', () => {
  const messages = [
    '"a" cannot be null.',
    '"b" is too long.',
    '"a" cannot be null. "b" is too long.',
  ]
  expect([...problemsOf(messages, ['a', 'b'])]).toEqual([
    ['a', '"a" cannot be null.'],
    ['b', '"b" is too long.'],
  ])
})

test('a message belongs to the first attribute it names', () => {
  expect(fieldOf('The value of "latitude" cannot be greater than 90.', ['name', 'latitude'])).toBe(
    'latitude',
  )
  expect(fieldOf('Still referred to by "Flight.origin".', ['origin'])).toBe('origin')
  expect(fieldOf('The entity# 1 in the "Airport" dataclass.', ['name'])).toBeNull()
})

test('the history holds each filter once, newest first', () => {
  expect(withNewest(['a', 'b'], 'b')).toEqual(['b', 'a'])
  expect(
    withNewest(
      Array.from({ length: 30 }, (_, at) => String(at)),
      'new',
    ),
  ).toHaveLength(30)
  expect([filtersFrom('["a",1]'), filtersFrom('{'), filtersFrom(null)]).toEqual([['a'], [], []])
})

describe('an entity set', () => {
  const set: KeptSet = {
    id: 'AB12',
    dataClass: 'A',
    label: 'late',
    count: 1,
    usedAt: 1_000_000,
    isGone: false,
  }

  test('counts down from its last use, and expires if the server reports it', () => {
    expect(secondsLeft(set, 1_000_000)).toBe(lifetime)
    expect(secondsLeft(set, 1_000_000 + 1500)).toBe(lifetime - 1)
    expect(secondsLeft(set, 1_000_000 + lifetime * 1000)).toBe(0)
    expect(secondsLeft({ ...set, isGone: true }, 1_000_000)).toBe(0)
    expect([7200, 245, 9, 0].map(countdownText)).toEqual(['2:00:00', '4:05', '0:09', 'gone'])
  })

  test('is recognised by its address', () => {
    expect(setIdIn('Flight/$entityset/8F0E')).toBe('8F0E')
    expect(setIdIn('$entityset/$release')).toBeNull()
  })

  test('combined from two has both names', () => {
    expect(labelOf('late', 'AND', 'far')).toBe('late ∩ far')
    expect(labelOf('late ∩ far', 'EXCEPT', 'x')).toBe('(late ∩ far) ∖ x')
  })

  test('with an invalid record is skipped', () => {
    expect(setsFrom(JSON.stringify([set, { id: 1 }, null]))).toEqual([set])
    expect([setsFrom(null), setsFrom('{'), setsFrom('7')]).toEqual([[], [], []])
  })
})
