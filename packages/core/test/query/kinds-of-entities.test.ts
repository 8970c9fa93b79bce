import { describe, expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  dataClassOf,
  defineDataClass,
  keyOf,
  stampOf,
  timestampOf,
} from '../../src/index.ts'

describe('keys', () => {
  const KINDS = {
    whole: [attribute.long({ key: true }), [5, 1, -3, 2 ** 31 - 1, 7, 0, -9, 40]],
    large: [
      attribute.long64({ key: true }),
      [5, 2 ** 40, -(2 ** 40), 0, 7, 2 ** 53 - 1, -9, 2 ** 31],
    ],
    real: [attribute.number({ key: true }), [0.5, -2, 1e20, 3, -1e-9, 0, 1e21, 8]],
    text: [attribute.string({ key: true }), ['b', 'A', 'a', ' ', 'é', '"', 'z z', '0']],
    id: [
      attribute.uuid({ key: true }),
      ['0A', '0B', 'FF', '11', '02', 'AA', '10', '01'].map((end) => end.padStart(32, '0')),
    ],
  } as const
  test.each(Object.entries(KINDS))(
    'of kind "%s" are given as they are, in every order and part',
    (_name, [key, keys]) => {
      const Row = defineDataClass('Row', {
        code: key,
        group: attribute.string({ indexed: true }),
        size: attribute.long({ indexed: true }),
      })
      const table = createDataStore({ name: 'rows', dataClasses: [Row] }).dataClass('Row')
      const all: readonly (string | number)[] = keys
      table.load(all.map((code, at) => ({ code, group: `g${at % 2}`, size: at % 3 })))
      const even = all.filter((_, at) => at % 2 === 0)
      expect(table.all().keys()).toEqual(all)
      expect(table.query("group = 'g0'").keys()).toEqual(even)
      expect(table.query("group = 'g0'").page(1, 2).keys()).toEqual(even.slice(1, 3))
      expect(table.query("group = 'g0'").page(1, 2).page(1, 5).keys()).toEqual(even.slice(2, 3))
      expect(table.query("group = 'g0'").page(3, 9).keys()).toEqual(even.slice(3))
      expect(table.query("group = 'g0'").page(9, 9).keys()).toEqual([])
      expect(table.query('size = 1').keys()).toEqual(all.filter((_, at) => at % 3 === 1))
      expect(table.from([...all].reverse()).keys()).toEqual([...all].reverse())
      expect(table.all().orderBy('size desc').keys()).toEqual(
        [2, 1, 0].flatMap((rest) => all.filter((_, at) => at % 3 === rest)),
      )
      const some = table.query("group = 'g0'")
      const page = some.page(0, 3)
      table.remove(even[1])
      table.update(even[2], { group: 'g1' })
      expect([some.keys(), page.keys()]).toEqual([
        even.filter((_, at) => at !== 1),
        [even[0], even[2]],
      ])
      expect(
        table
          .all()
          .toArray()
          .map((one) => keyOf(one)),
      ).toEqual(all.filter((one) => one !== even[1]))
    },
  )
})

describe('classes of entities', () => {
  test.each([1, 2, 15, 16, 17, 33])(
    'with %i stored values are separate, and hold their own values',
    (width) => {
      const names = Array.from({ length: width - 1 }, (_, at) => `a${at}`)
      const classes = ['One', 'Two', 'Three'].map((name) =>
        defineDataClass(name, {
          ID: attribute.long({ key: true }),
          ...Object.fromEntries(names.map((one) => [one, attribute.long()])),
        }),
      )
      const store = createDataStore({ name: 'classes', dataClasses: classes })
      const tables = ['One', 'Two', 'Three'].map((name) => store.dataClass(name))
      for (const [turn, table] of tables.entries()) {
        const values = Object.fromEntries([
          ['ID', 7],
          ...names.map((one, at) => [one, at === 3 ? null : at + turn]),
        ])
        const inserted = table.insert(values)
        for (const one of [inserted, table.get(7) as object, table.all().first() as object]) {
          expect(Object.entries(one)).toEqual(Object.entries(values))
          expect([one.constructor.name, dataClassOf(one).name, keyOf(one)]).toEqual([
            ['One', 'Two', 'Three'][turn],
            ['One', 'Two', 'Three'][turn],
            7,
          ])
        }
      }
      const prototypes = new Set(tables.map((table) => Object.getPrototypeOf(table.get(7))))
      expect(prototypes.size).toBe(3)
    },
  )

  test('show an attribute whose name is that of a mark or method of entities', () => {
    for (const name of ['key', 'stamp', 'timestamp', 'toJSON']) {
      const Own = defineDataClass('Own', {
        ID: attribute.long({ key: true }),
        [name]: attribute.string(),
      })
      const own = createDataStore({ name: 'own', dataClasses: [Own] })
        .dataClass('Own')
        .insert({ ID: 3, [name]: 'mine' }) as unknown as { readonly [name: string]: unknown }
      expect(own[name]).toBe('mine')
      expect([keyOf(own), stampOf(own)]).toEqual([3, 1])
      if (name !== 'key') expect(own.key).toBe(3)
      if (name !== 'stamp') expect(own.stamp).toBe(1)
      if (name !== 'timestamp') expect(own.timestamp).toBe(timestampOf(own))
      expect({ ...own }).toEqual({ ID: 3, [name]: 'mine' })
    }
  })

  test('refuse a getter that returns a promise, with its name and a remedy, and read undefined as null', async () => {
    const Late = defineDataClass('Late', {
      ID: attribute.long({ key: true }),
      soon: attribute.computed('number', {
        get: (() => Promise.reject(new Error('never heard of'))) as never,
      }),
      never: attribute.computed('number', { get: () => undefined as never }),
      zero: attribute.computed('number', { get: () => 0 }),
    })
    const late = createDataStore({ name: 'late', dataClasses: [Late] }).Late.insert({ ID: 1 })
    expect(() => late.soon).toThrow(
      expect.objectContaining({
        code: 'promiseReturned',
        details: {
          where: expect.stringContaining('"soon" of dataclass "Late"'),
          remedy: expect.stringMatching(/without waiting/),
        },
      }),
    )
    expect([late.never, late.zero]).toEqual([null, 0])
    // An unhandled rejection would end the process.
    await Promise.resolve()
  })
})
