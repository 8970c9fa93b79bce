import { describe, expect, test } from 'vitest'
import { coerceInput, coerceLiteral, Refusal } from '../../src/value/coerce.ts'
import { parseDate } from '../../src/value/date.ts'
import {
  createMedia,
  isMediaType,
  type Media,
  mediaTypeOf,
  type StoredValue,
  sameMedia,
} from '../../src/value/types.ts'

const refused = (value: StoredValue | Refusal): string =>
  value instanceof Refusal ? value.found : 'accepted'

describe('an object', () => {
  test('with too many values is refused, and one with exactly as many is not', () => {
    // A million, the object and its list included.
    const most = Array.from({ length: 999_998 }, () => 0)
    expect(refused(coerceInput('object', false, { most }))).toBe('accepted')
    expect(refused(coerceInput('object', false, { most: [...most, 0] }))).toMatch(
      /more than 1000000 values/,
    )
  })
  test('leaves out undefined properties, like JSON', () => {
    expect(coerceInput('object', false, { a: undefined, b: 1 })).toEqual({ b: 1 })
    expect(Object.keys(coerceInput('object', false, { a: undefined }) as object)).toEqual([])
  })
  test('differs from bytes', () => {
    expect(refused(coerceInput('string', false, new Uint8Array(2)))).toBe('bytes')
  })
})

describe('media', () => {
  test('are copied from any object that gives its bytes', () => {
    const bytes = new Uint8Array([1, 2])
    const media = coerceInput('blob', false, {
      mediaType: 'text/plain',
      bytes: () => bytes,
    }) as Media
    bytes[0] = 9
    expect([...media.bytes()]).toEqual([1, 2])
    expect(
      refused(coerceInput('blob', false, { mediaType: 'text/plain', bytes: () => 'text' })),
    ).not.toBe('accepted')
  })
  test('are the same with the same type and bytes', () => {
    const media = (type: string, ...bytes: number[]) => createMedia(type, new Uint8Array(bytes))
    const one = media('text/plain', 1, 2)
    expect(sameMedia(one, one)).toBe(true)
    expect(sameMedia(one, media('text/plain', 1, 2))).toBe(true)
    expect(sameMedia(one, media('text/plain', 1, 3))).toBe(false)
    expect(sameMedia(one, media('text/plain', 1))).toBe(false)
    expect(sameMedia(one, media('text/html', 1, 2))).toBe(false)
    const foreign = { mediaType: 'text/plain', size: 2, bytes: () => new Uint8Array([1, 2]) }
    expect(sameMedia(one, foreign)).toBe(false)
  })
})

describe('a date', () => {
  test.each([
    '20x4-02-29',
    'x024-02-29',
    '2024-x2-29',
    '2024-02-2x',
    '2024-02-:9',
    '2024-02-29T10:00+24:00',
    '2024-02-29T10:00+02:60',
  ])('"%s" is not one', (text) => {
    expect(parseDate(text, true)).toBe(null)
    expect(parseDate(text, false)).toBe(null)
  })
  test('in a zone behind UTC is later in UTC', () => {
    expect(parseDate('2024-02-28T23:30-01:00', false)).toBe(Date.UTC(2024, 1, 29, 0, 30))
    expect(parseDate('2024-02-28T23:30-0100', true)).toBe(Date.UTC(2024, 1, 29) / 86_400_000)
  })
})

describe('the description of a wrong value', () => {
  test.each<[given: unknown, found: string]>([
    [[], 'an array'],
    [{}, 'an object'],
    [null, 'accepted'],
    [new Date(Number.NaN), 'an invalid Date'],
    [new Date(0), 'a Date'],
    [7, 'the number 7'],
    [Number.NaN, 'a number that is NaN'],
    [7n, 'a bigint'],
    [true, 'the boolean true'],
    [Symbol('x'), 'a symbol'],
    [() => 1, 'a function'],
  ])('exists for %s', (given, found) => {
    expect(refused(coerceInput('string', false, given))).toBe(found)
  })
  test('of text has one line, at most 40 characters and no lone surrogates', () => {
    const shown = (text: string) => refused(coerceInput('number', false, text))
    expect(shown('a\nb')).toBe('the text "a\ufffdb"')
    expect(shown('\ud800x\u{1f600}')).toBe('the text "\ufffdx\u{1f600}"')
    expect(shown('y'.repeat(40))).toBe(`the text "${'y'.repeat(40)}"`)
    expect(shown('y'.repeat(41))).toBe(`the text "${'y'.repeat(39)}…"`)
  })
  test('of literals has the valid ones', () => {
    for (const type of ['long', 'long64', 'number'] as const) {
      const refusal = coerceLiteral(type, false, 'x')
      expect(refusal instanceof Refusal && refusal.expected).toBe('a number')
    }
  })
})

test('an object without a prototype is an object', () => {
  const bare = Object.assign(Object.create(null) as object, { a: 1 })
  expect(coerceInput('object', false, bare)).toEqual({ a: 1 })
})

test('a media type is two words with a slash, and that of bytes comes from their beginning', () => {
  for (const wrong of [
    ' text/plain',
    'text/plain ',
    'text',
    'text/',
    '/plain',
    'text/plain; charset=x',
    'a/b/c',
    '',
  ])
    expect(isMediaType(wrong)).toBe(false)
  for (const right of ['text/plain', 'image/svg+xml', `${'a'.repeat(64)}/b`])
    expect(isMediaType(right)).toBe(true)
  expect(isMediaType(`${'a'.repeat(65)}/b`)).toBe(false)
  const typeOf = (...bytes: number[]) => mediaTypeOf(new Uint8Array(bytes))
  expect(typeOf(0xff, 0xd8, 0xff, 1)).toBe('image/jpeg')
  expect(typeOf(0x47, 0x49, 0x46, 0x38)).toBe('image/gif')
  expect(typeOf(0x52, 0x49, 0x46, 0x46, 1, 2, 3, 4, 0x57, 0x45, 0x42, 0x50)).toBe('image/webp')
  expect(typeOf(0x52, 0x49, 0x46, 0x46, 1, 2, 3, 4, 0x57, 0x45, 0x42)).toBe(
    'application/octet-stream',
  )
  expect(typeOf(0xff, 0xd8)).toBe('application/octet-stream')
})

test.each([
  'x1!2!2024',
  '1!2!2024x',
  '111!2!2024',
  '!!2024-02-29!!x',
  'x!!2024-02-29!!',
  'x2024-02-29T10:00',
  '2024-02-29T10:00Zx',
])('"%s" is more than a date', (text) => {
  expect(parseDate(text, false)).toBe(null)
})
