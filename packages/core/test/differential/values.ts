import { foldedKey } from './folding.ts'
import type { ValueType } from './schema.ts'

/** The values that SQLite compares. */
export type Key = string | number | null

/**
 * A value of a filter: its comparison key, and the ways to write or give it. Texts are not yet
 * folded.
 */
export interface Asked {
  readonly value: string | number | boolean
  readonly written: readonly string[]
  readonly given: readonly unknown[]
}

/**
 * Texts that fold to each other, have common prefixes, contain signs of either language, look like
 * values of other types, or order by code point.
 */
// biome-ignore format: a table
const TEXTS: readonly string[] = [
  '', 'a', 'A', 'b', 'ab', 'aB', 'AB', 'a b', 'b a', 'ba', 'e', 'E', '\u00e9', 'e\u0301', '\u00c9', '\u00e9a', 'eA', 'u', 'u\u0308', '\u00dc',
  "O'Neil", 'o"neil', 'Zo\u00e9 7', 'zoe 7 ab', '@', '*', '%', '_', '?', 'a@b', 'a*c', 'a%b', 'a_b', 'a?b', '[a]', '[', ']', '^a', '\\', 'a\\b',
  '\\u0061', 'null', 'true', '20', '2024-02-29', ' ', ' a', 'a ', 'a,b', '(a)', ':1', 'a\tb', 'a\nb', '-', "'", "''",
  'Stra\u00dfe', 'STRASSE', '\u1e9e', 'ss', 's', '\u03a3\u03b1\u03c2', '\u03c3\u0391\u03c3', '\ufb01n', 'Fin', 'f', '\u212a', 'k', '\u212b', '\u00d8', '\u00f8', 'o',
  '\u{1f600}', '\u{1f600}a', '\uff5e', '\uff5ea', 'and', 'or', 'not',
  '"', '""', '\'"', '"\'"', '""""', '\'\'\'\'', 'a"b"c', 'it\'s "so"', `"'`.repeat(60), '\u2028', '\uffff', '\u{10ffff}', '\u{1f600}'.repeat(90), 'a'.repeat(1500),
]

/** Wildcards at every position, beside signs that are special in GLOB, and alone. */
// biome-ignore format: a table
const PATTERNS: readonly string[] = [
  '@', '*', '@@', '*@', 'a@', '@a', '@A@', 'a*b', '@b', '\u00e9@', '@e\u0301', 'E@a', "o@l", '*neil', 'z@7', '@ 7 @', 'a@b@', '@\\@', '@[@', '[*', '@]',
  '@?@', '?@', '@%@', '_*', '@^@', 'str@', 's@', '@\u00df@', '@\u03c2', '\u03c3@', 'fi*', '@n', '\u{1f600}*', '@\uff5e@', '@\u0301', 'e@\u0301', '@@@a', ' @', '@ ', '2@',
  // Prefix and suffix of the pattern must not overlap in the text.
  'a@a', 'ab@b', 'ss@s', 's@s', 'e@e', 'a@a@a',
]

// biome-ignore format: a table
const KEYWORDS: readonly string[] = [
  'a', 'A', 'ab', 'a b', 'b a', 'a@', 'A*', 'neil', 'o neil', "O'Neil", 'zo@ 7', '7 zoe', '7', 'ZO\u00c9', 'stra\u00dfe', 'STR@', 'strasse', '\u03c3\u03b1\u03c3', '\u03a3@',
  'fin', 'fi*', '', '@', '%', ' ', '@a', 'a @', 'a@ b*', 'a-b', '20', '2024', 'e\u0301', '\u{1f600}', '\u{1f600}a', 'a a a', 'x',
]

// biome-ignore format: a table
const BEGINNINGS: readonly string[] = [
  '', 'a', 'A', 'ab', 'a@', '*', '@', '%', '_', '?', '[', '\u00e9', 'e', 'e\u0301', "o'", 'O"', 'z', 'zo\u00e9 ', 'str', 'stras', '\u00df', '\u03c3', 'f', 'fi', '\u{1f600}',
  '\uff5e', ' ', 'a ', '\\', '\\u', '2', '\u0301', 'null', '-',
]

export const UUIDS: readonly string[] = [
  '00112233445566778899AABBCCDDEEFF',
  '00112233445566778899AABBCCDDEE00',
  '0011FF00000000000000000000000000',
  'FF000000000000000000000000000000',
  'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF',
]
const UUID_PATTERNS = [
  '@',
  '*',
  '0011@',
  '@ff',
  'ff*',
  '00112233-4455@',
  '@0',
  '0@f',
  '@ee@',
  '*FF*00',
]
const UUID_ENDS = [
  '',
  'ff',
  'eeff',
  'CC-DDEEFF',
  'f',
  '00112233445566778899aabbccddeeff',
  '0',
  '@ff',
]
const UUID_BEGINNINGS = [
  '',
  '0011',
  '00112233-44',
  'f',
  'FF',
  '00112233445566778899aabbccddeeff',
  '1',
  '0011@',
]

const LONGS = [-2147483648, -2147483647, 2147483647, -3, -1, 0, 1, 2, 3, 7, 20]
const LONG64S = [
  -9007199254740991, 9007199254740991, 9007199254740990, 2147483648, -2147483649, 4294967296, 0, 1,
  5,
]
// biome-ignore format: a table
const NUMBERS = [
  0, -0, 0.1, 0.2, 0.30000000000000004, 1e308, -1e308, 1.7976931348623157e308, 5e-324, -5e-324, -1.5, 2.5, 10, 1e16, 9007199254740991, 9007199254740992,
  2147483647, 2147483648, 1e-7,
]
const DURATIONS = [
  0, 1, 0.5, 60_000, 3_600_000, 86_400_000, 129_600_250, -60_000, 2147483648, 5e-324,
  1.7976931348623157e308, -1.7976931348623157e308,
]

/** Instants with other spellings of the same one. */
const INSTANTS: readonly (readonly [iso: string, ...others: readonly string[]])[] = [
  ['1969-12-31T23:59:59.999Z', '1970-01-01T00:59:59.999+01:00', '1969-12-31T23:59:59.999'],
  [
    '1970-01-01T00:00:00.000Z',
    '1970-01-01',
    '!!1970-01-01!!',
    '1!1!1970',
    '1969-12-31T19:00:00-0500',
  ],
  [
    '2024-02-29T00:00:00.000Z',
    '2024-02-29',
    '!!2024-02-29!!',
    '29!2!2024',
    '2024-02-29T00:00',
    '2024-02-29t00:00:00z',
  ],
  [
    '2024-02-29T12:30:00.250Z',
    '2024-02-29T12:30:00.25Z',
    '2024-02-29 12:30:00.250',
    '2024-02-29T12:30:00.250999Z',
  ],
  ['2025-01-01T00:00:00.000Z', '2025-01-01', '01!01!2025', '2024-12-31T23:30:00-00:30'],
  ['1900-03-01T00:00:00.000Z', '1900-03-01', '1!3!1900'],
  ['0001-01-01T00:00:00.000Z', '0001-01-01', '1!1!0001'],
  ['9999-12-31T23:59:59.999Z'],
  ['+010000-01-01T00:00:00.000Z', '+010000-01-01'],
  ['-000044-03-15T00:00:00.000Z', '-000044-03-15'],
  // The first and the last date.
  ['+275760-09-13T00:00:00.000Z'],
  ['-271821-04-20T00:00:00.000Z'],
]
/** Days; other values are cut to their day in UTC. */
const DAYS: readonly (readonly [iso: string, ...others: readonly string[]])[] = [
  ['1969-12-31', '1969-12-31T23:59:59.999Z', '!!1969-12-31!!', '31!12!1969'],
  ['1970-01-01', '1970-01-01T12:00:00Z', '1!1!1970'],
  ['2024-02-28', '2024-02-29T00:30:00+01:00', '28!2!2024'],
  ['2024-02-29', '2024-02-29T23:59:59Z', '!!2024-02-29!!', '29!02!2024'],
  ['2025-01-01', '2024-12-31T23:30:00-01:00'],
  ['1582-10-10', '10!10!1582'],
  ['0001-01-01'],
  ['9999-12-31'],
  ['+010000-01-01'],
  ['-000044-03-15'],
  ['+275760-09-13'],
  ['-271821-04-20'],
]

/** The values of rows. */
export const ROW_VALUES: { readonly [T in ValueType]: readonly unknown[] } = {
  text: TEXTS,
  exactText: TEXTS,
  uuid: UUIDS,
  long: LONGS,
  long64: LONG64S,
  number: NUMBERS,
  bool: [true, false],
  instant: INSTANTS.map(([iso]) => iso),
  day: DAYS.map(([iso]) => iso),
  duration: DURATIONS,
}

/** A value of a row in the form that SQLite stores and orders. */
export function keyOf(type: ValueType, value: unknown): Key {
  if (value === null || value === undefined) return null
  switch (type) {
    case 'text':
      return foldedKey(String(value))
    case 'exactText':
      return String(value)
    case 'uuid':
      return String(value).replaceAll('-', '').toUpperCase()
    case 'instant':
    case 'day':
      return Date.parse(String(value))
    default:
      return Number(value)
  }
}

const asText = (texts: readonly string[]): readonly Asked[] =>
  texts.map((text) => ({ value: text, written: [text], given: [text] }))

const asNumbers = (numbers: readonly number[]): readonly Asked[] =>
  numbers.map((number) => ({
    value: number,
    written: Object.is(number, -0)
      ? ['-0', '-0.0']
      : [`${number}`, number > 0 && number < 1e9 ? `+${number}` : `${number}`],
    given: [number, number, `${number}`],
  }))

const asDates = (dates: typeof INSTANTS): readonly Asked[] =>
  dates.map(([iso, ...others]) => ({
    value: iso,
    written: [iso, iso, ...others],
    given: [iso, ...others, Date.parse(iso), new Date(Date.parse(iso))],
  }))

const lowered = (text: string): string => text.toLowerCase()
const dashed = (text: string): string =>
  [
    text.slice(0, 8),
    text.slice(8, 12),
    text.slice(12, 16),
    text.slice(16, 20),
    text.slice(20),
  ].join('-')

/** The values of a filter for a type, for every operator that takes a value. */
export const ASKED: { readonly [T in ValueType]: readonly Asked[] } = {
  text: asText(TEXTS),
  exactText: asText(TEXTS),
  uuid: UUIDS.map((text) => {
    const spellings = [text, dashed(text), lowered(text), lowered(dashed(text))]
    return { value: text, written: spellings, given: spellings }
  }),
  long: asNumbers([...LONGS, -0, 2.5, -0.5, 6.999999, 1e10, 2147483648, -2147483649, 1e308, 0.1]),
  long64: asNumbers([...LONG64S, -0, 0.5, 9007199254740992, -9007199254740992, 1e300]),
  number: asNumbers(NUMBERS),
  bool: [true, false].map((value) => ({
    value,
    written: [`${value}`],
    given: [value, `${value}`],
  })),
  instant: asDates(INSTANTS),
  day: [
    ...asDates(DAYS),
    {
      value: '2024-02-29',
      written: ['2024-02-29'],
      given: [Date.UTC(2024, 1, 29, 18), new Date(Date.UTC(2024, 1, 29, 1))],
    },
    { value: '1969-12-31', written: ['1969-12-31'], given: [-1, new Date(-1)] },
  ],
  duration: [
    ...asNumbers([...DURATIONS, 59_999.5]),
    { value: 60_000, written: ['00:01:00', '0:01:00'], given: ['00:01:00'] },
    { value: 3_600_000, written: ['01:00:00', '1:00:00.000'], given: ['01:00:00'] },
    { value: 129_600_250, written: ['36:00:00.250', '36:00:00.25'], given: ['36:00:00.25'] },
    { value: -60_000, written: ['-00:01:00'], given: ['-00:01:00'] },
  ],
}

/** Patterns for operators with wildcards. For types other than texts, only the lone wildcard. */
export const ASKED_PATTERNS: { readonly [T in ValueType]: readonly Asked[] } = {
  text: asText(PATTERNS),
  exactText: asText(PATTERNS),
  uuid: asText(UUID_PATTERNS),
  ...(Object.fromEntries(
    (['long', 'long64', 'number', 'bool', 'instant', 'day', 'duration'] as const).map((type) => [
      type,
      asText(['@', '*', '@*']),
    ]),
  ) as { readonly [T in Exclude<ValueType, 'text' | 'exactText' | 'uuid'>]: readonly Asked[] }),
}

export const ASKED_BEGINNINGS: { readonly [T in 'text' | 'exactText' | 'uuid']: readonly Asked[] } =
  {
    text: asText(BEGINNINGS),
    exactText: asText(BEGINNINGS),
    uuid: asText(UUID_BEGINNINGS),
  }
/** The texts of beginnings are ends of some values too: they are short, and values repeat them. */
export const ASKED_ENDS: typeof ASKED_BEGINNINGS = {
  ...ASKED_BEGINNINGS,
  uuid: asText(UUID_ENDS),
}
export const ASKED_KEYWORDS: readonly Asked[] = asText(KEYWORDS)

/** Values inside objects, and the values of filters for them. */
export const JSON_SCALARS: readonly unknown[] = [
  null,
  0,
  1,
  2.5,
  -1.5,
  1e15,
  true,
  false,
  '',
  'a',
  'A b',
  '\u00c9',
  'e',
  '1',
  'true',
  '@',
  "O'Neil",
  '\u{1f600}',
  '\uff5e',
]
export const ASKED_JSON: readonly Asked[] = [
  ...[0, 1, 2.5, -1.5, 1e15, 3].map((value) => ({ value, written: [`${value}`], given: [value] })),
  ...[true, false].map((value) => ({ value, written: [`${value}`], given: [value] })),
]
export const ASKED_JSON_TEXTS: readonly Asked[] = asText([
  '',
  'a',
  'A',
  'a b',
  '\u00e9',
  'E',
  '1',
  'true',
  "o'neil",
  '\u{1f600}',
  '\uff5e',
  '[',
  '\\',
])
export const ASKED_JSON_PATTERNS: readonly Asked[] = asText([
  '@',
  '*',
  'a@',
  '@B',
  '\u00e9@',
  '@1',
  '@e@',
  "*'*",
  't@',
])
