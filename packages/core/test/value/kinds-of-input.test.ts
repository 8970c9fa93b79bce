import { describe, expect, test } from 'vitest'
import { coerceInput, coerceLiteral, Refusal } from '../../src/value/coerce.ts'
import { present } from '../../src/value/compare.ts'
import { type AttributeType, createMedia } from '../../src/value/types.ts'

const UUID = '0123456789ABCDEF0123456789ABCDEF'
const media = createMedia('text/plain', new Uint8Array([1, 2]))

/** One input of every kind, and some that resemble another kind. */
const INPUTS: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  zero: 0,
  whole: 7,
  'beyond 32 bits': 2 ** 31,
  'beyond 53 bits': 2 ** 53,
  fraction: 1.5,
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  bigint: 7n,
  'empty text': '',
  text: 'a text',
  'text of digits': '90000',
  'text of a clock': '00:01:30',
  'text of a date': '2024-01-31',
  'text of a UUID': UUID,
  symbol: Symbol('x'),
  function: () => 7,
  'empty list': [],
  'list of a number': [7],
  'list of a UUID': [UUID],
  'list of a date': ['2024-01-31'],
  'empty object': {},
  'object with a number for a value': { valueOf: 7 },
  'Number object': new Number(7),
  'String object': new String(UUID),
  Date: new Date(86_400_000),
  'invalid Date': new Date(Number.NaN),
  bytes: new Uint8Array([1, 2]),
  'two bytes in a buffer': new Uint8Array([1, 2]).buffer,
  media,
  'media given': { mediaType: 'text/plain', bytes: new Uint8Array([1, 2]) },
  'media whose type is a list': { mediaType: ['text/plain'], bytes: new Uint8Array([1, 2]) },
  'media without a type': { bytes: new Uint8Array([1, 2]) },
  'media whose type is null': { mediaType: null, bytes: new Uint8Array([1, 2]) },
  'media without bytes': { mediaType: 'text/plain' },
  'media of text': { mediaType: 'text/plain', bytes: 'ab' },
}

const numbers = { zero: 0, whole: 7 }
const finite = { ...numbers, 'beyond 32 bits': 2 ** 31, 'beyond 53 bits': 2 ** 53, fraction: 1.5 }
const bytes = [1, 2]

/** The stored value of each accepted input by type. All other inputs are refused. */
const TAKEN: { readonly [T in AttributeType]: Readonly<Record<string, unknown>> } = {
  bool: { true: true, false: false },
  long: numbers,
  long64: { ...numbers, 'beyond 32 bits': 2 ** 31 },
  number: finite,
  duration: { ...finite, 'text of digits': 90_000, 'text of a clock': 90_000 },
  string: Object.fromEntries(
    Object.entries(INPUTS).filter(([, input]) => typeof input === 'string'),
  ),
  uuid: { 'text of a UUID': UUID },
  date: {
    ...numbers,
    'beyond 32 bits': 2 ** 31,
    'text of a date': Date.UTC(2024, 0, 31),
    Date: 86_400_000,
  },
  object: {
    'empty list': [],
    'list of a number': [7],
    'list of a UUID': [UUID],
    'list of a date': ['2024-01-31'],
    'empty object': {},
    'object with a number for a value': { valueOf: 7 },
    'media without bytes': { mediaType: 'text/plain' },
    'media of text': { mediaType: 'text/plain', bytes: 'ab' },
  },
  image: { bytes, media: bytes, 'media given': bytes },
  blob: { bytes, media: bytes, 'media given': bytes },
}

/** The words that an error must contain, by type. */
const ASKED_FOR: { readonly [T in AttributeType]: RegExp } = {
  bool: /true or false/,
  long: /whole number from -2147483648 to 2147483647/,
  long64: /whole number from -9007199254740991 to 9007199254740991/,
  number: /finite number/,
  string: /text/,
  uuid: /UUID of 32 hexadecimal digits/,
  date: /Date, ISO 8601 text or epoch milliseconds/,
  duration: /milliseconds or "hh:mm:ss"/,
  object: /JSON/,
  image: /image.*bytes.*mediaType/,
  blob: /BLOB.*bytes.*mediaType/,
}

const TYPES = Object.keys(TAKEN) as AttributeType[]
const isOfMediaType = (type: AttributeType): boolean => type === 'image' || type === 'blob'

describe.each(TYPES)('an attribute of type %s', (type) => {
  const taken = new Map(Object.entries(TAKEN[type]))

  test('takes these inputs', () => {
    for (const [name, expected] of taken) {
      const value = coerceInput(type, false, INPUTS[name])
      expect(value instanceof Refusal, name).toBe(false)
      const plain = isOfMediaType(type) ? Array.from((value as typeof media).bytes()) : value
      expect(plain, name).toEqual(expected)
    }
  })

  test('refuses all others, and names the valid inputs', () => {
    for (const [name, input] of Object.entries(INPUTS)) {
      if (taken.has(name)) continue
      const refusal = coerceInput(type, false, input)
      expect(refusal instanceof Refusal, name).toBe(true)
      const isWrongMediaType = isOfMediaType(type) && /whose type/.test(name)
      expect((refusal as Refusal).expected, name).toMatch(
        isWrongMediaType ? /media type such as/ : ASKED_FOR[type],
      )
      expect((refusal as Refusal).found, name).not.toBe('')
    }
  })
})

test('media with a wrong type are refused for their type', () => {
  const found = (mediaType: unknown) =>
    coerceInput('blob', false, { mediaType, bytes: new Uint8Array(1) })
  for (const [mediaType, words] of [
    [null, 'null'],
    [undefined, 'undefined'],
    [['text/plain'], 'an array'],
    [7n, 'a bigint'],
    ['text plain', 'the text "text plain"'],
  ] as const)
    expect(found(mediaType)).toEqual(new Refusal('a media type such as "image/png"', words))
})

describe('a UUID', () => {
  const hyphened = '01234567-89ab-cdef-0123-456789abcdef'

  test('is written with all hyphens or with none, in any case', () => {
    for (const text of [UUID, UUID.toLowerCase(), hyphened, hyphened.toUpperCase()]) {
      expect(coerceInput('uuid', false, text)).toBe(UUID)
      expect(coerceLiteral('uuid', false, text)).toBe(UUID)
    }
  })

  test.each([
    `${UUID}0`,
    `0${UUID}`,
    `x${UUID}`,
    `${UUID}x`,
    `${UUID}\n`,
    `{${UUID}}`,
    UUID.slice(1),
    `${UUID.slice(1)}G`,
    `${hyphened}0`,
    ` ${hyphened}`,
    hyphened.replace('-', ''),
    hyphened.replace('-cdef-', 'cdef--'),
    '',
  ])('"%s" is not one', (text) => {
    for (const refusal of [coerceInput('uuid', false, text), coerceLiteral('uuid', false, text)])
      expect(refusal instanceof Refusal && refusal.expected).toMatch(
        /UUID of 32 hexadecimal digits/,
      )
  })
})

describe('a wrong literal names the valid ones', () => {
  test.each<[type: AttributeType, words: RegExp]>([
    ['bool', /true or false/],
    ['long', /a number/],
    ['long64', /a number/],
    ['number', /a number/],
    ['uuid', /UUID of 32 hexadecimal digits/],
    ['date', /such as 2024-01-31 or 2024-01-31T12:00:00Z/],
    ['duration', /milliseconds or "hh:mm:ss"/],
    ['object', /one of its properties/],
    ['image', /^null$/],
    ['blob', /^null$/],
  ])('%s', (type, words) => {
    const refusal = coerceLiteral(type, false, 'some other text')
    expect(refusal).toBeInstanceOf(Refusal)
    expect((refusal as Refusal).expected).toMatch(words)
    expect((refusal as Refusal).found).toBe('the text "some other text"')
  })

  test('the dates of the examples are dates', () => {
    for (const text of ['2024-01-31', '2024-01-31T12:00:00Z'])
      expect(coerceLiteral('date', false, text)).toBe(Date.parse(text))
  })
})

test('a date is returned as text, a day without a time, and everything else as stored', () => {
  const noon = Date.UTC(2024, 0, 31, 12)
  expect(present('date', false, noon)).toBe('2024-01-31T12:00:00.000Z')
  expect(present('date', true, 0)).toBe('1970-01-01')
  expect(present('date', false, 0)).toBe('1970-01-01T00:00:00.000Z')
  for (const dateOnly of [false, true]) {
    for (const type of TYPES) expect(present(type, dateOnly, null)).toBeNull()
    for (const type of ['long', 'long64', 'number', 'duration'] as const)
      expect(present(type, dateOnly, 7)).toBe(7)
    expect(present('bool', dateOnly, false)).toBe(false)
    expect(present('string', dateOnly, '7')).toBe('7')
    expect(present('blob', dateOnly, media)).toBe(media)
  }
})
