import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import type { ClassModel } from '../../src/model/catalog.ts'
import type { LoadOptions } from '../../src/model/table-types.ts'
import { CountedRows } from '../../src/write/load-rows.ts'
import { refusalOf } from './firm-store.ts'

// Rows that differ from those before them.
const loose = (value: unknown) => value as never
const Row = defineDataClass('Row', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string(),
  long: attribute.long(),
  wide: attribute.long64(),
  number: attribute.number(),
  bool: attribute.bool(),
  uuid: attribute.uuid(),
  duration: attribute.duration(),
  object: attribute.object(),
  day: attribute.date({ dateOnly: true }),
  time: attribute.date(),
  up: attribute.relatedEntity('Row', { foreignKey: 'upID' }),
  upID: attribute.long(),
})
const rowStore = () => createDataStore({ name: 'rows', dataClasses: [Row] })
type Values = Readonly<Record<string, unknown>>

describe('a value of any kind for an attribute of any type', () => {
  const kinds = [
    0,
    -0,
    1.5,
    -1,
    2 ** 31,
    2 ** 53,
    Number.NaN,
    true,
    false,
    '',
    'a',
    '1',
    '2020-01-01',
    '01:00:00',
  ]
  const others = [
    null,
    undefined,
    {},
    [],
    { a: 1 },
    () => 1,
    Symbol('s'),
    1n,
    new Date(0),
    'AB'.repeat(16),
    '\ud800',
  ]
  test.each(Object.keys(Row.attributes).slice(1))(
    'has the same outcome in a load as in an insertion: %s',
    (name) => {
      const store = rowStore()
      store.Row.insert({ ID: 1 })
      /** The values of the last written row, or the code of the refusal. */
      const outcome = (write: () => unknown): unknown => {
        try {
          write()
        } catch (error) {
          const { code, cause } = error as { code: string; cause?: { code: string } }
          return code === 'loadRefused' ? cause?.code : code
        }
        const { length, [length - 1]: key } = store.Row.all().keys()
        return JSON.stringify({ ...store.Row.get(key), ID: 0 })
      }
      for (const value of [...kinds, ...others]) {
        const row = { [name]: value }
        const inserted = outcome(() => store.Row.insert(loose(row)))
        expect(outcome(() => store.Row.load([row]))).toBe(inserted)
        // The second row of a shape is read without looking up names.
        expect(outcome(() => store.Row.load([{ [name]: null }, row]))).toBe(inserted)
      }
      store.verify()
    },
  )
})

test('both names of a relation are accepted if they agree, in the first row and in later ones', () => {
  for (const before of [[], [{ up: 1 }], [{ up: 1, upID: 1 }], [{ upID: 1, up: 1 }]]) {
    const load = (row: object) => () => rowStore().Row.load([...before, row, {}])
    expect(load({ up: 1, upID: 1 })().count).toBe(before.length + 2)
    for (const row of [
      { up: 1, upID: 2 },
      { upID: 2, up: 1 },
    ]) {
      const { code, details, cause } = refusalOf(load(row))
      expect([code, details]).toMatchObject(['loadRefused', { rowNumber: before.length + 1 }])
      expect(cause).toMatchObject({ code: 'valueInvalid', details: { attribute: 'up' } })
    }
  }
})

test('inherited properties of a row are ignored, even if earlier rows had them as own ones', () => {
  const store = rowStore()
  const heir = (own: Values) => Object.assign(Object.create({ text: 'inherited' }), own) as object
  store.Row.load([
    { ID: 1, text: 'own' },
    heir({ ID: 2 }),
    { ID: 3, text: 'own' },
    heir({ ID: 4, text: 'own' }),
  ])
  expect(
    store.Row.all()
      .toArray()
      .map(({ text }) => text),
  ).toEqual(['own', null, 'own', 'own'])
})

test('an error thrown by code of a row is passed on unchanged', () => {
  const thrown = new RangeError('of the row itself')
  const row = {
    get text(): string {
      throw thrown
    },
  }
  const store = rowStore()
  for (const rows of [[row], [{ text: 'a' }, row]]) {
    let caught: unknown = null
    try {
      store.Row.load(rows)
    } catch (error) {
      caught = error
    }
    expect(caught).toBe(thrown)
  }
  expect(store.Row.count).toBe(0)
})

test('a list whose length changes while it is read is loaded with its final length', () => {
  for (const length of [1, 2, 3, 7]) {
    const rows: object[] = [0, 1, 2, 3].map((i) => ({ text: `${i}` }))
    rows[0] = {
      get text() {
        while (rows.length < length) rows.push({ text: 'more' })
        rows.length = length
        return 'first'
      },
    }
    const store = rowStore()
    expect(store.Row.load(rows).count).toBe(length)
    expect(store.Row.count).toBe(length)
    store.verify()
  }
})

describe('progress', () => {
  const STEP = 10_000
  test.each([0, 1, STEP - 1, STEP, STEP + 1, 2 * STEP, 2 * STEP + 1])(
    'of %j rows is reported once at every ten thousandth row and once at the last',
    (count) => {
      const model = rowStore().catalog.byName.get('Row') as ClassModel
      const counts: number[] = []
      let read = 0
      const rows = new Array<null>(count).fill(null)
      const next = { read: () => void read++ }
      const eachRow = (options: LoadOptions): number => {
        const counted = new CountedRows(model, options, next)
        for (const row of rows) counted.next(row)
        return counted.end()
      }
      expect(eachRow({ onProgress: (rows) => void counts.push(rows) })).toBe(count)
      const steps = Array.from({ length: Math.ceil(count / STEP) }, (_, i) =>
        Math.min((i + 1) * STEP, count),
      )
      expect(counts).toEqual(steps)
      expect(eachRow({})).toBe(count)
      expect(read).toBe(2 * count)
    },
  )
})

describe('rows of a dataclass with hooks', () => {
  const hookedStore = (beforeSave: (draft: { name: string | null }) => void = () => undefined) => {
    const Hooked = defineDataClass(
      'Hooked',
      {
        ID: attribute.long({ key: true, autoSequence: true }),
        name: attribute.string(),
        up: attribute.relatedEntity('Hooked'),
      },
      { hooks: { beforeSave } },
    )
    return createDataStore({ name: 'hooked', dataClasses: [Hooked] })
  }
  test('get empty relations for missing targets, even if they were queried before', () => {
    const store = hookedStore()
    const rows = function* () {
      yield { name: 'a', up: 99 }
      yield { name: 'b', up: 1 }
      // The query writes the staged row to columns and indexes.
      expect(store.Hooked.query("name = 'a'").count).toBe(1)
    }
    store.Hooked.load(rows(), { relations: 'null' })
    const read = store.Hooked.all()
      .toArray()
      .map(({ name, up }) => [name, up?.ID ?? null])
    expect(read).toEqual([
      ['a', null],
      ['b', 1],
    ])
    store.verify()
  })

  test('are not blamed for dangling relations that their hooks wrote, and later writes may correct these', () => {
    const store = hookedStore((draft) => {
      if (draft.name === 'row') store.Hooked.insert({ name: 'beside', up: 50 })
    })
    for (const relations of ['check', 'null'] as const) {
      expect(
        refusalOf(() => store.transact((tx) => tx.Hooked.load([{ name: 'row' }], { relations }))),
      ).toMatchObject({
        code: 'relationTargetMissing',
      })
      store.transact((tx) => {
        tx.Hooked.load([{ name: 'row' }], { relations })
        tx.Hooked.insert({ ID: 50 })
      })
      expect(store.Hooked.query("name = 'beside' and up.ID = 50").count).toBe(1)
      for (const key of store.Hooked.all().keys()) store.Hooked.remove(key)
    }
  })

  test('are not blamed for dangling relations that were written before them', () => {
    const store = hookedStore()
    store.transact((tx) => {
      tx.Hooked.insert({ name: 'first', up: 70 })
      tx.Hooked.load([{ name: 'second' }])
      tx.Hooked.insert({ ID: 70 })
    })
    expect(store.Hooked.count).toBe(3)
  })
})
