import { describe, expect, test } from 'vitest'
import {
  absent,
  aDateTime,
  beginning,
  contains,
  deferred,
  list,
  only,
  other,
  problemOf,
} from '../src/conformance/expect.ts'
import { escapeUrl } from '../src/conformance/message.ts'

const fill = (text: string) => text.replace('{kept}', 'filled')
const holds = (expected: unknown, actual: unknown) => problemOf(expected, actual, '', fill) === null

describe('an expectation matches', () => {
  test.each<readonly [string, unknown, unknown, unknown]>([
    ['a value', 1, 1, '1'],
    ['null', null, null, undefined],
    ['a text with kept values', 'a {kept}', 'a filled', 'a {kept}'],
    ['members, with others allowed', { a: 1 }, { b: 2, a: 1 }, { b: 2 }],
    ['nested members', { a: { b: null } }, { a: { b: null, c: 1 } }, { a: { b: 0 } }],
    ['elements, all of them', [1, 2], [1, 2], [1, 2, 3]],
    ['an object, but not an array', {}, {}, []],
    ['a missing member', { a: absent }, { b: 1 }, { a: null }],
    ['only these members', only({ a: 1, b: 2 }), { a: 1, b: 2 }, { a: 1, b: 2, c: 3 }],
    ['in this order', only({ a: 1, b: 2 }), { a: 1, b: 2 }, { b: 2, a: 1 }],
    ['a part of a text', contains('{kept}!'), 'is filled!', 'is filled'],
    ['an element', contains({ a: 1 }), [{ a: 2 }, { a: 1 }], [{ a: 2 }]],
    ['equal elements', list(2, { a: 1 }), [{ a: 1 }, { a: 1 }], [{ a: 1 }, { a: 2 }]],
    ['first elements', beginning(3, [1]), [1, 2, 3], [1, 2]],
    ['anything else', other('{kept}'), 'x', 'filled'],
    ['a date-time', aDateTime, '2024-01-31T12:30:15.250Z', '2024-01-31'],
    [
      'a deferred form',
      deferred('/x'),
      { __deferred: { uri: '/x' } },
      { __deferred: { uri: '/x', image: true } },
    ],
  ])('%s', (_, expected, right, wrong) => {
    expect([holds(expected, right), holds(expected, wrong)]).toEqual([true, false])
  })

  test('a problem names the place, the expectation and the actual value', () => {
    expect(problemOf({ a: [{ b: 1 }] }, { a: [{ b: 2 }] }, '', fill)).toBe(
      'a[0].b should be 1, but is 2',
    )
    expect(problemOf({ a: { c: 1 } }, { a: { b: 2 } }, '', fill)).toBe('a.c is missing; found b')
    expect(problemOf({ toString: 1 }, {}, '', fill)).toBe('toString is missing; found no members')
  })
})

test('a readable address is escaped exactly once', () => {
  expect(escapeUrl(`/rest/A[1]('k')?$filter="a < 'é' # b%20=%201"&$params={"x":[1]}`)).toBe(
    "/rest/A[1]('k')?$filter=%22a%20%3C%20'%C3%A9'%20%23%20b%20=%201%22&$params=%7B%22x%22:[1]%7D",
  )
  expect(escapeUrl('/rest/A?$filter="a % b"')).toBe('/rest/A?$filter=%22a%20%25%20b%22')
})
