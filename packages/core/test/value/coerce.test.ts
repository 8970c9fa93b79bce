import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { coerceInput, coerceLiteral, Refusal } from '../../src/value/coerce.ts'
import { compareScalars, present, sameValue } from '../../src/value/compare.ts'
import { formatDate } from '../../src/value/date.ts'
import { propertyAt } from '../../src/value/json.ts'
import {
  type AttributeType,
  createMedia,
  type Json,
  type Media,
  type StoredValue,
} from '../../src/value/types.ts'

const TYPES: readonly AttributeType[] = [
  'bool',
  'long',
  'long64',
  'number',
  'string',
  'uuid',
  'date',
  'duration',
  'object',
  'image',
  'blob',
]
const accepted = (value: StoredValue | Refusal): StoredValue => {
  expect(value).not.toBeInstanceOf(Refusal)
  return value as StoredValue
}
const json = fc
  .jsonValue({ maxDepth: 4 })
  .map((value) => ({ value }))
  .filter((value) => !/"(?:__proto__|constructor|prototype)"/.test(JSON.stringify(value)))

describe('input of the API', () => {
  test('null and undefined are null for every type', () => {
    for (const type of TYPES)
      for (const none of [null, undefined]) expect(coerceInput(type, false, none)).toBeNull()
  })

  test('an object is stored like JSON, deep-frozen, and shares nothing with the input', () => {
    fc.assert(
      fc.property(json, (given) => {
        const text = JSON.stringify(given)
        const kept = accepted(coerceInput('object', false, given))
        expect(JSON.stringify(kept)).toBe(text)
        expectIsolated(kept, given)
      }),
    )
  })

  test('a stored value is an input of itself', () => {
    fc.assert(
      fc.property(json, (given) => {
        const kept = accepted(coerceInput('object', false, given))
        expect(sameValue(kept, accepted(coerceInput('object', false, structuredClone(kept))))).toBe(
          true,
        )
        expect(sameValue(kept, accepted(coerceInput('object', false, { ...given, more: 1 })))).toBe(
          false,
        )
      }),
    )
  })

  test('bytes are copied in and copied out', () => {
    const given = Buffer.from([1, 2, 3])
    const media = accepted(
      coerceInput('blob', false, { mediaType: 'text/plain', bytes: given }),
    ) as Media
    given[0] = 9
    media.bytes()[1] = 9
    expect([...media.bytes()]).toEqual([1, 2, 3])
    expect([media.mediaType, media.size]).toEqual(['text/plain', 3])
    expect(coerceInput('image', false, media)).toBe(media)
    expect(sameValue(media, createMedia('text/plain', new Uint8Array([1, 2, 3])))).toBe(true)
    expect(sameValue(media, createMedia('text/plain', new Uint8Array([1, 2, 4])))).toBe(false)
  })

  test('the first bytes give the type of bytes', () => {
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0])
    expect((coerceInput('image', false, png) as Media).mediaType).toBe('image/png')
    expect((coerceInput('blob', false, new Uint8Array(2)) as Media).mediaType).toBe(
      'application/octet-stream',
    )
  })

  test('a date is given as Date, text or epoch milliseconds, and returned as text', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), fc.boolean(), (date, dateOnly) => {
        const kept = accepted(coerceInput('date', dateOnly, date))
        expect(coerceInput('date', dateOnly, date.getTime())).toBe(kept)
        expect(coerceInput('date', dateOnly, date.toISOString())).toBe(kept)
        expect(present('date', dateOnly, kept)).toBe(formatDate(kept as number, dateOnly))
      }),
    )
  })

  test('a UUID is one value in every spelling', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        const kept = coerceInput('uuid', false, uuid)
        expect(kept).toMatch(/^[0-9A-F]{32}$/)
        expect(coerceInput('uuid', false, uuid.toUpperCase())).toBe(kept)
        expect(coerceInput('uuid', false, uuid.replaceAll('-', ''))).toBe(kept)
      }),
    )
  })

  test('minus zero is zero, inside objects too', () => {
    for (const type of ['long', 'long64', 'number', 'duration', 'date'] as const)
      expect(Object.is(coerceInput(type, false, -0), 0)).toBe(true)
    expect(JSON.stringify(coerceInput('object', false, { a: -0 }))).toBe('{"a":0}')
    expect(Object.is((coerceInput('object', false, { a: -0 }) as { a: number }).a, 0)).toBe(true)
  })

  const nested = (depth: number): object => {
    let value: object = {}
    for (let i = 1; i < depth; i++) value = { a: value }
    return value
  }
  const wide = (keys: number) =>
    Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, i]))
  const cycle: { self?: object } = {}
  cycle.self = cycle

  test('limits hold exactly', () => {
    accepted(coerceInput('object', false, nested(64)))
    expect(coerceInput('object', false, nested(65))).toBeInstanceOf(Refusal)
    accepted(coerceInput('object', false, wide(1000)))
    expect(coerceInput('object', false, wide(1001))).toBeInstanceOf(Refusal)
    accepted(coerceInput('long', false, 2 ** 31 - 1))
    accepted(coerceInput('long', false, -(2 ** 31)))
    accepted(coerceInput('long64', false, -(2 ** 53 - 1)))
  })

  test.each<[AttributeType, unknown]>([
    ['bool', 'true'],
    ['bool', 1],
    ['long', 1.5],
    ['long', 2 ** 31],
    ['long', '7'],
    ['long64', 2 ** 53],
    ['long64', 7n],
    ['number', Number.NaN],
    ['number', Number.POSITIVE_INFINITY],
    ['number', '1'],
    ['string', 7],
    ['string', 'lone \ud800'],
    ['uuid', 'abc'],
    ['date', 'yesterday'],
    ['date', new Date(Number.NaN)],
    ['date', 1.5],
    ['date', 9e15],
    ['duration', 'long'],
    ['object', 'text'],
    ['object', new Date()],
    ['object', new Map()],
    ['object', { a: Number.NaN }],
    ['object', { a: () => 1 }],
    ['object', { a: [undefined] }],
    ['object', { a: 'lone \udc00' }],
    ['object', { '\ud800': 1 }],
    ['object', JSON.parse('{"a":{"__proto__":{"polluted":1}}}')],
    ['object', { constructor: 1 }],
    ['object', cycle],
    ['image', 'bytes'],
    ['blob', [1, 2, 3]],
    ['blob', { mediaType: 'text/plain\r\nx: y', bytes: new Uint8Array() }],
    ['blob', { mediaType: 'text/plain', bytes: 'text' }],
  ])('%s refuses %o in words', (type, input) => {
    const refusal = coerceInput(type, false, input)
    expect(refusal).toBeInstanceOf(Refusal)
    expect((refusal as Refusal).expected).not.toBe('')
    expect((refusal as Refusal).found).not.toBe('')
  })
})

describe('literals of filters', () => {
  test.each<[AttributeType, string, unknown]>([
    ['bool', 'true', true],
    ['long', '20', 20],
    ['long', '-20.5', -20.5],
    ['number', '1e3', 1000],
    ['string', '20', '20'],
    ['date', '2024-01-31', Date.UTC(2024, 0, 31)],
    ['date', '!!2024-01-31!!', Date.UTC(2024, 0, 31)],
    ['date', '31!1!2024', Date.UTC(2024, 0, 31)],
    ['duration', '01:00:00', 3_600_000],
    ['uuid', '01234567-89ab-cdef-0123-456789abcdef', '0123456789ABCDEF0123456789ABCDEF'],
  ])('%s reads %s', (type, text, value) => {
    expect(coerceLiteral(type, false, text)).toBe(value)
  })

  test.each<[AttributeType, string]>([
    ['bool', 'TRUES'],
    ['bool', '1'],
    ['long', '20x'],
    ['long', ''],
    ['long', ' 20'],
    ['long', '0x10'],
    ['number', 'Infinity'],
    ['number', `1${'0'.repeat(400)}`],
    ['number', 'NaN'],
    ['date', '1706659200000'],
    ['object', '{}'],
    ['image', 'x'],
  ])('%s refuses %s', (type, text) => {
    expect(coerceLiteral(type, false, text)).toBeInstanceOf(Refusal)
  })
})

describe('reading into objects', () => {
  test('reaches own properties and elements, never a prototype', () => {
    const value = coerceInput('object', false, { a: [{ b: 1 }] }) as Json
    expect(propertyAt(value, ['a', '0', 'b'])).toBe(1)
    for (const path of [
      ['__proto__'],
      ['constructor', 'name'],
      ['a', 'length'],
      ['a', 'map'],
      ['a', '0', 'toString'],
    ])
      expect(propertyAt(value, path)).toBeUndefined()
  })
})

describe('the order of scalars', () => {
  const scalar = fc.oneof(
    fc.constantFrom(null, true, false, '', 'a', 'b', 0, 1, -1),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  )
  test('is total', () => {
    fc.assert(
      fc.property(scalar, scalar, scalar, (a, b, c) => {
        expect(Math.sign(compareScalars(a, b)) + Math.sign(compareScalars(b, a))).toBe(0)
        expect(compareScalars(a, b) === 0).toBe(a === b)
        if (compareScalars(a, b) <= 0 && compareScalars(b, c) <= 0)
          expect(compareScalars(a, c)).toBeLessThanOrEqual(0)
      }),
    )
  })

  test('is null, booleans, text, numbers', () => {
    const mixed = [3, 'b', true, null, -1, 'a', false]
    expect(mixed.sort(compareScalars)).toEqual([null, false, true, 'a', 'b', -1, 3])
  })
})

/** Every stored object is frozen and is not one of the given objects. */
function expectIsolated(kept: unknown, given: unknown): void {
  const mine = new Set<unknown>()
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    mine.add(value)
    Object.values(value).forEach(collect)
  }
  collect(given)
  const check = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    expect(Object.isFrozen(value)).toBe(true)
    expect(mine.has(value)).toBe(false)
    Object.values(value).forEach(check)
  }
  check(kept)
}
