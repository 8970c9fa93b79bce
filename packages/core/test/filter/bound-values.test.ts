import { describe, expect, test } from 'vitest'
import { textKey } from '../../src/value/compare.ts'
import { boundThing, SIGNS, testOf } from './one-comparison.ts'
import { refusalOf } from './refusal.ts'

const NULL = { op: 'isNull' }
const ANY = { op: 'isNotNull' }
const UUID = '0123456789ABCDEF0123456789ABCDEF'
const DASHED = '01234567-89ab-cdef-0123-456789abcdef'

/** For each attribute: literals, and the value that each is compared as. */
const LITERALS: {
  readonly [attribute: string]: readonly (readonly [string, string | number | boolean])[]
} = {
  flag: [
    ['true', true],
    ['false', false],
  ],
  isOld: [['true', true]],
  count: [
    ['7', 7],
    ['-7', -7],
    ['+7', 7],
    ['20.5', 20.5],
    ['.5', 0.5],
    ['5.', 5],
    ['1e3', 1000],
    ['-0', 0],
    ['9007199254740993', 9007199254740992],
  ],
  sum: [['7', 7]],
  large: [
    ['9007199254740991', 9007199254740991],
    ['20.5', 20.5],
  ],
  amount: [
    ['-1.5E-3', -0.0015],
    ['0', 0],
  ],
  word: [
    ['Élan', 'elan'],
    ['007', '007'],
    ['Straße', 'strasse'],
    ["O'Reilly", "o'reilly"],
    ['a,b]c', 'a,b]c'],
    ['True', 'true'],
  ],
  title: [['Élan', 'elan']],
  exact: [
    ['Élan', 'Élan'],
    ['AbC', 'AbC'],
    ['\uffff', textKey('\uffff', 'exact')],
  ],
  badge: [
    [UUID, UUID],
    [UUID.toLowerCase(), UUID],
    [DASHED, UUID],
    [DASHED.toUpperCase(), UUID],
  ],
  token: [[DASHED, UUID]],
  boxCode: [[DASHED, UUID]],
  day: [
    ['1970-01-03', 2],
    ['!!1970-01-03!!', 2],
    ['3!1!1970', 2],
    ['03!01!1970', 2],
    ['1970-01-03T23:59:59Z', 2],
    ['1970-01-03T23:00:00-02:00', 3],
    ['1969-12-31', -1],
    ['2024-02-29', 19782],
  ],
  birthday: [['1970-01-03', 2]],
  moment: [
    ['1970-01-03', 2 * 86_400_000],
    ['1970-01-01T00:00:01', 1000],
    ['1970-01-01T00:00:01.25Z', 1250],
    ['1970-01-01T01:00:00+01:00', 0],
    ['3!1!1970', 2 * 86_400_000],
  ],
  instant: [['1970-01-01T00:00:01Z', 1000]],
  span: [
    ['00:01:00', 60_000],
    ['25:00:01', 90_001_000],
    ['90', 90],
  ],
}

const isDate = (attribute: string) => ['day', 'moment', 'birthday', 'instant'].includes(attribute)
const isText = (attribute: string) =>
  ['word', 'title', 'exact', 'badge', 'token', 'boxCode'].includes(attribute)
const rows = Object.entries(LITERALS).flatMap(([name, literals]) =>
  literals.map(([literal, value]) => [name, literal, value] as const),
)

describe('a literal', () => {
  test.each(rows)(
    'of %s, %s, is the same value with every sign, in quotes and without, and in lists',
    (name, literal, value) => {
      // Plans show the literal of texts and dates, and the value of other types.
      const spelling = isText(name) || isDate(name) ? literal : value
      const bare = literal.includes(']') ? [] : [literal]
      for (const written of [literal, `"${literal}"`])
        for (const [sign, op] of Object.entries(SIGNS))
          expect(testOf(`${name} ${sign} ${written}`)).toEqual({ op, value, spelling })
      // In lists, a date with signs needs quotes.
      for (const item of [...bare.filter((one) => !one.includes('!')), `"${literal}"`])
        expect(testOf(`${name} in [${item}, ${item}]`)).toEqual({
          op: 'in',
          values: [value, value],
          wildcards: [],
          spelling: [spelling, spelling],
        })
      for (const sign of ['=', '>='])
        expect(testOf(`${name} ${sign} :1`, [literal])).toEqual({
          op: SIGNS[sign],
          value,
          spelling,
        })
      expect(testOf(`${name} in :list`, { list: [literal] })).toMatchObject({
        op: 'in',
        values: [value],
      })
    },
  )

  test.each<[string, unknown, string | number | boolean, (string | number | boolean)?]>([
    ['flag', true, true],
    ['flag', false, false],
    ['isOld', false, false],
    ['count', 7, 7],
    ['count', 20.5, 20.5],
    ['count', -0, 0],
    ['count', 2 ** 40, 2 ** 40],
    ['sum', 0.5, 0.5],
    ['large', 20.5, 20.5],
    ['large', 2 ** 60, 2 ** 60],
    ['amount', 1e300, 1e300],
    ['span', 1.5, 1.5],
    ['day', 0, 0, '1970-01-01'],
    ['day', 86_400_001, 1, '1970-01-02'],
    ['day', new Date(-1), -1, '1969-12-31'],
    ['birthday', new Date('2024-02-29T23:59:59.999Z'), 19782, '2024-02-29'],
    ['moment', 1000, 1000, '1970-01-01T00:00:01.000Z'],
    ['moment', new Date(1), 1, '1970-01-01T00:00:00.001Z'],
    ['instant', new Date(0), 0, '1970-01-01T00:00:00.000Z'],
  ])('of %s may be given as %s', (name, given, value, spelling = value) => {
    for (const [sign, op] of Object.entries(SIGNS))
      expect(testOf(`${name} ${sign} :1`, [given])).toEqual({ op, value, spelling })
    const list = { op: 'in', values: [value, value], wildcards: [], spelling: [spelling, spelling] }
    expect(testOf(`${name} in :1`, [[given, given]])).toEqual(list)
    expect(testOf(`${name} in [:1, :1]`, [given])).toEqual(list)
    expect(testOf(`${name} === :1`, [given])).not.toHaveProperty('wildcard')
  })
})

describe('null', () => {
  const names = [
    ...Object.keys(LITERALS),
    'notes',
    'picture',
    'bytes',
    'shape',
    'icon',
    'notes.a',
    'ownerID',
  ]
  test.each(names)('compares with %s by signs of equality only', (name) => {
    for (const sign of ['=', '==', '===', 'is', 'like'])
      expect(testOf(`${name} ${sign} null`)).toEqual(NULL)
    for (const sign of ['!=', '!==', '#', 'is not'])
      expect(testOf(`${name} ${sign} null`)).toEqual(ANY)
    for (const sign of ['>', '>=', '<', '<=', 'begin', '%']) {
      const error = refusalOf(() => boundThing(`${name} ${sign} null`))
      expect(error.details).toMatchObject({
        offset: name.length + sign.length + 2,
        problem: 'null can be compared by "=" and "!=" only.',
      })
    }
  })
})

describe('a property of an object', () => {
  test.each<[string, string | number | boolean]>([
    ['7', 7],
    ['-1.5e3', -1500],
    ['true', true],
    ['false', false],
    ['Élan', 'elan'],
    ['2024-01-31', '2024-01-31'],
    ['1e999', '1e999'],
    ["'7'", '7'],
    ["'true'", 'true'],
    ['"false"', 'false'],
    [DASHED, DASHED],
  ])('beside %s is compared by the type of the value', (written, value) => {
    for (const name of ['notes.a', 'notes.a.b', 'boxNotes.a', 'notes.length']) {
      const inside = (text: string) => {
        const predicate = boundThing(text)
        const part = predicate.kind === 'related' ? predicate.part : predicate
        return part.kind === 'property' && 'test' in part.match ? part.match.test : null
      }
      for (const [sign, op] of Object.entries(SIGNS))
        expect(inside(`${name} ${sign} ${written}`)).toMatchObject({ op, value })
      expect(inside(`${name} in [${written}]`)).toMatchObject({ op: 'in', values: [value] })
    }
  })

  test.each<[unknown, string | number | boolean]>([
    [7, 7],
    [-1.5, -1.5],
    [true, true],
    [false, false],
    ['7', '7'],
    ['true', 'true'],
    ['É', 'e'],
  ])('beside a given %s too', (given, value) => {
    expect(testOf('notes.a = :1', [given])).toMatchObject({ op: 'equal', value })
    expect(testOf('notes.a in [:1]', [given])).toMatchObject({ op: 'in', values: [value] })
    expect(testOf('notes.a in :1', [[given]])).toMatchObject({ op: 'in', values: [value] })
  })
})
