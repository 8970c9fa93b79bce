import { describe, expect, test } from 'vitest'
import { coerceInput, Refusal } from '../../src/value/coerce.ts'
import { parseDate } from '../../src/value/date.ts'
import { createMedia, sameMedia } from '../../src/value/media.ts'
import type { Media, StoredValue } from '../../src/value/types.ts'

const refused = (value: StoredValue | Refusal): string => (value instanceof Refusal ? value.found : 'accepted')

describe('an object', () => {
  test('of too many values is refused, and one of just as many is not', () => {
    // A million, the object and its list included.
    const most = Array.from({ length: 999_998 }, () => 0)
    expect(refused(coerceInput('object', false, { most }))).toBe('accepted')
    expect(refused(coerceInput('object', false, { most: [...most, 0] }))).toMatch(/more than 1000000 values/)
  })
  test('leaves out what is undefined, as JSON does', () => {
    expect(coerceInput('object', false, { a: undefined, b: 1 })).toEqual({ b: 1 })
    expect(Object.keys(coerceInput('object', false, { a: undefined }) as object)).toEqual([])
  })
  test('is told from bytes', () => {
    expect(refused(coerceInput('string', false, new Uint8Array(2)))).toBe('bytes')
  })
})

describe('media', () => {
  test('are taken from any that give their bytes, copied', () => {
    const bytes = new Uint8Array([1, 2])
    const media = coerceInput('blob', false, { mediaType: 'text/plain', bytes: () => bytes }) as Media
    bytes[0] = 9
    expect([...media.bytes()]).toEqual([1, 2])
    expect(refused(coerceInput('blob', false, { mediaType: 'text/plain', bytes: () => 'text' }))).not.toBe('accepted')
  })
  test('are the same when their types and all their bytes are', () => {
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
  ])('"%s" is none', (text) => {
    expect(parseDate(text, true)).toBe(null)
    expect(parseDate(text, false)).toBe(null)
  })
  test('behind the time of Greenwich is later there', () => {
    expect(parseDate('2024-02-28T23:30-01:00', false)).toBe(Date.UTC(2024, 1, 29, 0, 30))
    expect(parseDate('2024-02-28T23:30-0100', true)).toBe(Date.UTC(2024, 1, 29) / 86_400_000)
  })
})
