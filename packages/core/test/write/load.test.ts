import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { loadMany } from '../../src/write/load.ts'
import { runs } from '../runs.ts'
import { codeOf, firmStore, refusalOf, TestStore } from './firm-store.ts'

const person = fc.record(
  {
    ID: fc.option(fc.integer({ min: 1, max: 400 })),
    name: fc.option(fc.constantFrom('ada', 'Ada', 'bob', 'zoé')),
    email: fc.option(fc.nat(2000).map((n) => `${n}@x`)),
    pay: fc.option(fc.constantFrom(0, 1, 2.5, 1e300)),
    day: fc.option(fc.constantFrom('2024-02-29', '1969-12-31')),
    active: fc.option(fc.boolean()),
    notes: fc.option(fc.constant({ tags: ['x'] })),
    mentor: fc.option(fc.integer({ min: 1, max: 30 })),
  },
  { requiredKeys: [] },
)

test('a load has the same result or refusal as inserting row by row, with consistent indexes', () => {
  const rows = fc.oneof(
    fc.array(person, { maxLength: 12 }),
    fc.uniqueArray(person, { minLength: 70, maxLength: 120, selector: (row) => row.ID ?? row }),
  )
  fc.assert(
    fc.property(rows, rows, fc.array(fc.integer({ min: 1, max: 60 })), (first, second, removed) => {
      const loaded = firmStore()
      const inserted = firmStore()
      for (const each of [first, second]) {
        const before = loaded.state()
        let code: string | null = null
        loaded.now = inserted.now = 5000
        try {
          loadMany(loaded.writer, loaded.table('Person'), each)
        } catch (error) {
          const { cause } = error as { cause: { code: string } }
          code = cause.code
          expect(loaded.state()).toBe(before)
        }
        loaded.now = inserted.now = 5000
        let other: string | null = null
        try {
          inserted.writer.transact(() => {
            for (const row of each) inserted.insert('Person', row)
          })
        } catch (error) {
          other = (error as { code: string }).code
        }
        expect(code === null).toBe(other === null)
        expect(loaded.state()).toBe(inserted.state())
        loaded.verify()
        for (const key of removed) {
          for (const store of [loaded, inserted]) {
            loaded.now = inserted.now = 6000
            if (store.read('Person', key) !== undefined) store.remove('Person', key)
          }
        }
        expect(loaded.state()).toBe(inserted.state())
        loaded.verify()
      }
    }),
    runs(60),
  )
})

test('a row that differs from the previous one after a common start is read correctly', () => {
  const long = { ID: 1, name: 'ada', day: '2024-02-29', active: true, firm: null }
  const given = Object.entries(long)
  const rows: object[] = []
  for (const next of [{ pay: 3 }, { firmID: null }, { notes: { tags: ['x'] } }, {}]) {
    for (let count = 0; count <= given.length; count++) {
      const row = Object.fromEntries(given.slice(0, count))
      rows.push(long, { ...row, ...next }, { ...row, day: undefined, ...next })
    }
  }
  const numbered = rows.map((row, i) =>
    'ID' in row ? { ...row, ID: i + 1 } : { ID: i + 1, ...row },
  )
  const loaded = firmStore()
  const inserted = firmStore()
  loaded.now = inserted.now = 5000
  loadMany(loaded.writer, loaded.table('Person'), numbered)
  loaded.now = inserted.now = 5000
  inserted.writer.transact(() => {
    for (const row of numbered) inserted.insert('Person', row)
  })
  expect(loaded.state()).toBe(inserted.state())
  loaded.verify()
})

test('rows may refer to each other in any order', () => {
  const store = firmStore()
  loadMany(store.writer, store.table('Person'), [
    { ID: 1, mentor: 2 },
    { ID: 2, mentor: { ID: 1 } },
    { ID: 3, mentor: 3 },
  ])
  expect([1, 2, 3].map((key) => store.read('Person', key)?.mentor)).toEqual([2, 1, 3])
  store.verify()
})

test.each<[string, object[], number, string]>([
  ['a value of the wrong type', [{}, { pay: 'much' }], 2, 'valueInvalid'],
  ['an unknown attribute', [{ ID: 1 }, { ID: 2 }, { nope: 1 }], 3, 'attributeNotFound'],
  ['a value that breaks a rule', [{ pay: 1 }, { pay: -1 }], 2, 'validationFailed'],
  ['a key twice among the rows', [{ ID: 8 }, { ID: 8 }], 2, 'keyNotUnique'],
  ['a key that is there', [{ ID: 7 }], 1, 'keyNotUnique'],
  [
    'a unique value twice among the rows',
    [{ email: 'b' }, {}, { email: 'b' }],
    3,
    'uniqueViolation',
  ],
  ['a unique value that is there', [{ email: 'a' }], 1, 'uniqueViolation'],
  ['a relation that leads nowhere', [{ firm: 1 }], 1, 'relationTargetMissing'],
  ['a number in place of an entity', [{}, 7 as unknown as object], 2, 'argumentInvalid'],
])('%s is refused by its row, and nothing is loaded', (_, rows, rowNumber, code) => {
  const store = firmStore()
  store.insert('Person', { ID: 7, email: 'a' })
  const before = store.state()
  const refusal = refusalOf(() => loadMany(store.writer, store.table('Person'), rows))
  expect(refusal.code).toBe('loadRefused')
  expect(refusal.details).toMatchObject({ rowNumber, dataClass: 'Person' })
  expect(refusal.cause).toMatchObject({ code })
  expect(store.state()).toBe(before)
  expect(store.writer.globalStamp).toBe(1)
  store.verify()
})

test("relations: 'null' empties relations without a target", () => {
  const store = firmStore()
  store.insert('Firm', {})
  const rows = [
    { firm: 1, mentor: 99 },
    { firmID: 2, mentor: 1 },
  ]
  expect(loadMany(store.writer, store.table('Person'), rows, { relations: 'null' })).toEqual({
    count: 2,
  })
  expect(store.read('Person', 1)).toMatchObject({ firmID: 1, mentor: null, stamp: 1 })
  expect(store.read('Person', 2)).toMatchObject({ firmID: null, mentor: 1, stamp: 1 })
  store.verify()
})

test('progress is reported at intervals and at the end; an empty load changes nothing', () => {
  const store = firmStore()
  const counts: number[] = []
  const rows = function* () {
    for (let i = 0; i < 25_000; i++) yield { name: `firm ${i}` }
  }
  loadMany(store.writer, store.table('Firm'), rows(), {
    onProgress: (count) => void counts.push(count),
  })
  expect(counts).toEqual([10_000, 20_000, 25_000])
  expect(store.writer.globalStamp).toBe(1)
  store.verify()
  expect(loadMany(store.writer, store.table('Firm'), [])).toEqual({ count: 0 })
  expect(store.writer.globalStamp).toBe(1)
})

test('an async iterable is loaded as one commit, and is refused in a transaction', async () => {
  const store = firmStore()
  const rows = async function* () {
    yield { name: 'a' }
    await Promise.resolve()
    yield { name: 'b' }
  }
  const loading = loadMany(store.writer, store.table('Firm'), rows())
  expect(store.keys('Firm')).toEqual([])
  expect(await loading).toEqual({ count: 2 })
  expect(store.writer.globalStamp).toBe(1)
  const inside = () =>
    store.writer.transact(() => void loadMany(store.writer, store.table('Firm'), rows()))
  expect(codeOf(inside)).toBe('notInTransaction')
  const broken = async function* () {
    yield { name: 'c' }
    throw new RangeError('source')
  }
  await expect(loadMany(store.writer, store.table('Firm'), broken())).rejects.toThrow('source')
  expect(store.keys('Firm')).toHaveLength(2)
})

test('each row is read when the iterable yields it', async () => {
  const store = firmStore()
  const row = { ID: 0, name: '' }
  const reused = function* (from: number) {
    for (let ID = from; ID < from + 3; ID++) yield Object.assign(row, { ID, name: `firm ${ID}` })
  }
  const reusedLater = async function* (from: number) {
    yield* reused(from)
  }
  loadMany(store.writer, store.table('Firm'), reused(1))
  await loadMany(store.writer, store.table('Firm'), reusedLater(4))
  expect(store.keys('Firm')).toEqual([1, 2, 3, 4, 5, 6])
  expect(store.read('Firm', 1)).toMatchObject({ name: 'firm 1' })
  expect(store.read('Firm', 5)).toMatchObject({ name: 'firm 5' })
  store.verify()
})

test('hooks run for each row of an async iterable, in one commit, unless they are turned off', async () => {
  const beforeSave = (draft: { name: string }): void => {
    draft.name += '!'
  }
  const Note = defineDataClass(
    'Note',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      name: attribute.string({ notNull: true }),
    },
    { hooks: { beforeSave } as never },
  )
  const store = new TestStore([Note])
  const rows = async function* () {
    const row = { name: 'a' }
    yield row
    row.name = 'b'
    yield row
  }
  await loadMany(store.writer, store.table('Note'), rows())
  expect(store.writer.globalStamp).toBe(1)
  await loadMany(store.writer, store.table('Note'), rows(), { hooks: false })
  expect([1, 2, 3, 4].map((ID) => store.read('Note', ID)?.name)).toEqual(['a!', 'b!', 'a', 'b'])
})

test('an invalid row of an async iterable ends the iteration, is named, and prevents the load', async () => {
  const store = firmStore()
  let isEnded = false
  const rows = async function* () {
    try {
      yield { name: 'a' }
      yield { name: 7 }
      yield { name: 'c' }
    } finally {
      isEnded = true
    }
  }
  await expect(loadMany(store.writer, store.table('Firm'), rows())).rejects.toMatchObject({
    code: 'loadRefused',
    details: { rowNumber: 2 },
  })
  expect(isEnded).toBe(true)
  expect(store.keys('Firm')).toEqual([])
  expect(store.writer.globalStamp).toBe(0)
})

test('a load is part of its transaction', () => {
  const store = firmStore()
  store.insert('Firm', { name: 'first' })
  const before = store.state()
  const rows = Array.from({ length: 100 }, (_, i) => ({ name: `firm ${i}` }))
  expect(() => {
    store.writer.transact(() => {
      store.update('Firm', 1, { name: 'firm 0' })
      expect(codeOf(() => loadMany(store.writer, store.table('Firm'), rows))).toBe('loadRefused')
      loadMany(store.writer, store.table('Firm'), rows.slice(1))
      store.remove('Firm', 5)
      throw new RangeError('stop')
    })
  }).toThrow('stop')
  expect(store.state()).toBe(before)
  store.verify()
})

test('a load that fails while it writes is rolled back', () => {
  for (let k = 1; k <= 3; k++) {
    let left = 0
    const store = firmStore({
      allocation: () => {
        if (--left === 0) throw new RangeError('out of memory')
      },
    })
    const firms = Array.from({ length: 200 }, (_, i) => ({ name: `firm ${i}` }))
    loadMany(store.writer, store.table('Firm'), firms)
    store.remove('Firm', 3)
    for (const count of [10, 150]) {
      const before = store.state()
      left = k
      const more = Array.from({ length: count }, (_, i) => ({ name: `more ${i}`, boss: null }))
      expect(() => loadMany(store.writer, store.table('Firm'), more)).toThrow('out of memory')
      expect(store.state()).toBe(before)
      store.verify()
    }
  }
})

test('hooks run for each row unless they are turned off', () => {
  const seen: string[] = []
  const Item = defineDataClass(
    'Item',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      name: attribute.string(),
      next: attribute.relatedEntity('Item'),
    },
    {
      hooks: {
        beforeSave: (draft) => {
          draft.name = `${draft.name}!`
        },
        validateSave: (item) =>
          item.name === 'bad!' ? { errCode: 10001, message: 'bad' } : undefined,
        afterSave: (item) => void seen.push(item.name ?? ''),
      },
    },
  )
  const store = new TestStore([Item])
  loadMany(store.writer, store.table('Item'), [{ name: 'a', next: 2 }, { name: 'b' }])
  loadMany(store.writer, store.table('Item'), [{ name: 'c' }], { hooks: false })
  expect([1, 2, 3].map((key) => store.read('Item', key)?.name)).toEqual(['a!', 'b!', 'c'])
  expect(seen).toEqual(['a!', 'b!'])
  const before = store.state()
  for (const rows of [
    [{ name: 'd' }, { name: 'bad' }],
    [{ name: 'd' }, { name: 'e', next: 77 }],
  ]) {
    const refusal = refusalOf(() => loadMany(store.writer, store.table('Item'), rows))
    expect(refusal.details).toMatchObject({ rowNumber: 2 })
    expect(store.state()).toBe(before)
  }
  loadMany(store.writer, store.table('Item'), [{ name: 'e', next: 77 }], { relations: 'null' })
  expect(store.read('Item', 4)).toMatchObject({ name: 'e!', next: null, stamp: 1 })
  store.verify()
})
