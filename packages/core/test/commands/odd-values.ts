import { isMedia } from '../../src/value/types.ts'

/**
 * The dataclass `Oddity`: its attributes have the names of members of entities, selections, tables
 * or objects, and its values are the extremes of their types. The model stores a value as its
 * position in the list of its attribute, as text: `'0'` is the first. The lists are in ascending
 * order, so the model compares positions.
 */
interface OddAttribute {
  /** The inputs of writes, in ascending order. */
  readonly given: readonly unknown[]
  /** The values of entities, where they differ from the input. */
  readonly shown?: readonly unknown[]
  /** False if filters compare the attribute with null only. */
  readonly isComparable: boolean
}

const LARGE = 2 ** 53 - 1
const EARLIEST = new Date(-8.64e15)
const LATEST = new Date(8.64e15)
const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 31) % 256)
/** The maximum number of levels of an object value. */
const deep = (levels: number): object => (levels === 1 ? {} : { a: deep(levels - 1) })
/** Member names of objects as properties: names that reach a prototype are refused. */
const named = {
  // biome-ignore lint/suspicious/noThenProperty: a name that every promise has
  then: 1,
  toJSON: 'x',
  hasOwnProperty: null,
  __entity: [],
  length: -1,
  '"': "'",
  '': { '\u2028': 5e-324 },
}

export const ODD: { readonly [name: string]: OddAttribute } = {
  key: {
    given: [
      '',
      ' ',
      '"\'"\\',
      "'or 1=1--",
      'O\'Neil "\'"',
      '\uffff',
      `\u{1f600}${'\u{1f4a9}'.repeat(200)}`,
      '\u{1f600}\u{10ffff}',
    ],
    isComparable: true,
  },
  stamp: { given: [-(2 ** 31), -1, 0, 1, 2 ** 31 - 1], isComparable: true },
  timestamp: {
    given: [EARLIEST, new Date(-1), 0, '9999-12-31T23:59:59.999Z', LATEST],
    shown: [EARLIEST, new Date(-1), new Date(0), new Date('9999-12-31T23:59:59.999Z'), LATEST].map(
      (date) => date.toISOString(),
    ),
    isComparable: true,
  },
  dataClass: {
    given: [
      -Number.MAX_VALUE,
      -LARGE - 1,
      -Number.EPSILON,
      -5e-324,
      -0,
      5e-324,
      2.2250738585072014e-308,
      0.1,
      1e21,
      Number.MAX_VALUE,
    ],
    isComparable: true,
  },
  // biome-ignore lint/suspicious/noThenProperty: a name that every promise has
  then: {
    given: [-LARGE, -(2 ** 32), 0, 2 ** 31, 2 ** 32 + 1, LARGE - 1, LARGE],
    isComparable: true,
  },
  toString: {
    given: [-Number.MAX_VALUE, -1, -5e-324, 0, 0.5, 86_400_000, Number.MAX_VALUE],
    isComparable: true,
  },
  valueOf: { given: [false, true], isComparable: true },
  length: {
    given: [
      '00000000000000000000000000000000',
      '00112233-4455-6677-8899-aabbccddeeff',
      'f'.repeat(32),
    ],
    shown: ['0'.repeat(32), '00112233445566778899AABBCCDDEEFF', 'F'.repeat(32)],
    isComparable: true,
  },
  first: {
    given: [EARLIEST, '0001-01-01', '1970-01-01', '2024-02-29', LATEST],
    shown: ['-271821-04-20', '0001-01-01', '1970-01-01', '2024-02-29', '+275760-09-13'],
    isComparable: true,
  },
  toJSON: {
    given: [{}, [], deep(64), named, { n: [-0, 5e-324, Number.MAX_VALUE, -LARGE] }],
    isComparable: false,
  },
  hasOwnProperty: {
    given: [
      bytes(0),
      bytes(1),
      { mediaType: 'text/plain', bytes: bytes(0) },
      { mediaType: 'text/plain', bytes: bytes(300) },
    ],
    isComparable: false,
  },
}
export const ODD_NAMES = Object.keys(ODD)
/** Keys at both ends; the first leaves room for two more. */
export const ODD_KEYS = [-LARGE, 0, LARGE - 2, LARGE]
export const LAST_ODD_KEY = LARGE

const SHOWN = new Map(
  Object.entries(ODD).map(([name, { given, shown }]) => [
    name,
    (shown ?? given).map((value) => textOf(value)),
  ]),
)

/** The input for a position. */
export const givenOf = (name: string, place: unknown): unknown =>
  typeof place === 'string' && Object.hasOwn(ODD, name) ? ODD[name].given[Number(place)] : place

/**
 * The position of a value of an entity, or a text that the model cannot have if the list lacks the
 * value.
 */
export function placeOf(name: string, shown: unknown): unknown {
  if (shown === null || !Object.hasOwn(ODD, name)) return shown
  const text = textOf(shown)
  const place = SHOWN.get(name)?.indexOf(text) ?? -1
  return place < 0 ? text : `${place}`
}

function textOf(value: unknown): string {
  if (isMedia(value)) return mediaText(value.mediaType, value.bytes())
  if (value instanceof Uint8Array) return mediaText('application/octet-stream', value)
  if (typeof value === 'object' && value !== null && 'mediaType' in value)
    return mediaText(String(value.mediaType), (value as unknown as { bytes: Uint8Array }).bytes)
  return JSON.stringify(value)
}
function mediaText(type: string, bytes: Uint8Array): string {
  return `${type} ${Buffer.from(bytes).toString('base64')}`
}
