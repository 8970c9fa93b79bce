import type { Random } from '../../../core/test/differential/random.ts'

/** The types of drawn attributes. `exact` is a string, `day` a date without a time. */
export type Type =
  | 'long'
  | 'long64'
  | 'number'
  | 'string'
  | 'exact'
  | 'uuid'
  | 'date'
  | 'day'
  | 'duration'
  | 'bool'
  | 'object'

/** Texts whose foldings, orders, wildcards or quotes are special. */
const TEXTS = [
  ...['', ' ', 'a', 'A', 'á', 'ä', 'ß', 'ss', 'SS', 'ﬁ', 'fi', 'İ', 'i', 'ı', 'e\u0301', 'é'],
  ...['\u0301', 'Z', 'Å', '\u212b', '😀', '@', '*', 'a@', 'a*b', '%', '_', '\\', '"', "'", 'a\nb'],
  ...['x'.repeat(300), '\u00a0', '\u200b', 'null', 'true', '1', '01', '10', '9', 'two words'],
  ...['Two-Words', 'b', 'B', 'boom', 'ﷺ', '한', 'ǆ', 'Σ', 'ς', '\ufeff', '\uffff', '𝒜', '$1', '--'],
]
const UUIDS = [
  '0123456789ABCDEF0123456789ABCDEF',
  'ffffffff-0000-1111-2222-333333333333',
  '00000000000000000000000000000001',
  'abcdefabcdefabcdefabcdefabcdefab',
]
const WHOLE = [0, 1, -1, 2, 3, 7, 100, -0]

export const POOLS: { readonly [T in Type]: readonly unknown[] } = {
  long: [...WHOLE, 2147483647, -2147483648],
  long64: [...WHOLE, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2147483648, 1e15],
  number: [...WHOLE, 0.1, 0.2, 0.3, 1e308, -1e308, 5e-324, Number.MAX_VALUE, 1e21, 1 / 3, 1e-7],
  string: TEXTS,
  exact: TEXTS,
  uuid: UUIDS,
  date: [
    ...['2024-01-31T08:05:09.250Z', '1969-12-31T23:59:59.999Z', '0000-01-01T00:00:00Z', 0, -1],
    ...['-000001-01-01T00:00:00Z', '+010000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'],
    ...['-271821-04-20T00:00:00.000Z', '+275760-09-13T00:00:00.000Z', '2020-12-31', '2024-12-30'],
  ],
  day: [
    ...['2024-02-29', '0000-01-01', '0001-01-01', '9999-12-31', '-000001-12-31', '+010000-01-01'],
    ...['1970-01-01', '1969-12-31', '2021-01-03', '+275760-09-13', '-271821-04-20'],
  ],
  duration: [0, -0, 1, -1, 90500, '01:02:03', 1e15, 0.5, '100:00:00', -3600000],
  bool: [true, false],
  object: [
    ...[{}, [], { a: 1 }, { a: 'É' }, { a: null }, { a: { b: 2 } }, { 'a.b': 1 }, { a: -0 }],
    ...[{ a: [1, 'x', { c: null }] }, [1, 2, 'x'], { length: 3 }, { a: ['x', 'X', 'é'] }],
    ...[{ a: [{ b: 1 }, { b: 2, c: 'y' }] }, { a: 5e-324 }, { a: 1e308 }, { a: true }],
  ],
}
/** What no attribute of the type takes. */
const INVALID: { readonly [T in Type]: readonly unknown[] } = {
  long: [2147483648, 1.5, '1', true],
  long64: [2 ** 53, 1.5, 'x'],
  number: ['1', true, {}],
  string: [1, true, {}],
  exact: [1],
  uuid: ['x', 1, ''],
  date: ['x', '2024-02-30', 1e20, true],
  day: ['31', '2024-13-01'],
  duration: ['x', true],
  bool: [1, 'true'],
  object: ['x', 1],
}

export function someValue(random: Random, type: Type): unknown {
  if (random.chance(0.04)) return random.pick(INVALID[type])
  return random.chance(0.15) ? null : random.pick(POOLS[type])
}

export function keyOf(random: Random, type: Type): string | number {
  switch (type) {
    case 'uuid':
      return random.pick(UUIDS)
    case 'string':
      return random.pick(TEXTS.slice(1))
    case 'number':
      return random.pick([0, 1, 2, 0.5, -1, 1e21, 5e-324, 1 / 3])
    default:
      return random.chance(0.85) ? 1 + random.below(8) : random.pick([0, -1, 2147483646, 1000])
  }
}
