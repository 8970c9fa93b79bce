import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { runs } from '../runs.ts'

const Item = defineDataClass('Item', {
  ID: attribute.long({ key: true }),
  size: attribute.long({ indexed: true }),
  name: attribute.string({ indexed: true }),
  code: attribute.string({ indexed: true, unique: true }),
  rank: attribute.number(),
})
const COUNT = 400

function itemStore() {
  const store = createDataStore({ name: 'items', dataClasses: [Item] })
  store.Item.load(Array.from({ length: COUNT }, (_, i) => rowOf(i + 1, (i * 7919) % 90)))
  return store
}
const rowOf = (ID: number, value: number) => ({
  ID,
  size: value % 40 === 0 ? null : value % 40,
  name: value % 11 === 0 ? null : `n${value % 17}`,
  code: `c${(ID * 31) % 1009}.${ID}`,
  rank: value % 7,
})

const FILTERS = [
  '',
  'size >= 5',
  'rank > 2',
  'name != "n3" and rank < 6',
  'ID > 100',
  'code begin "c"',
  'size = 7',
  'ID > 100 and ID < 106',
]
const ORDERS = [
  'size',
  'size desc, name',
  'name, rank',
  'name desc, size',
  'code',
  'code desc',
  'ID desc',
  'ID',
  'rank, ID',
]

/** Few keys, so that writes meet the same records. */
const key = fc.oneof(fc.integer({ min: 1, max: COUNT + 20 }), fc.integer({ min: 101, max: 105 }))
const value = fc.integer({ min: 0, max: 89 })
const write = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('update' as const), key, value }) },
  fc.record({ kind: fc.constant('remove' as const), key, value }),
  fc.record({ kind: fc.constant('insert' as const), key, value }),
  fc.record({ kind: fc.constant('undone' as const), key, value }),
  fc.record({ kind: fc.constant('restore' as const), key, value }),
  fc.record({ kind: fc.constant('back' as const), key, value }),
)
const held = fc.record({
  filter: fc.constantFrom(...FILTERS),
  order: fc.constantFrom(...ORDERS),
  skip: fc.integer({ min: 0, max: 120 }),
  top: fc.integer({ min: 0, max: 30 }),
})

type Store = ReturnType<typeof itemStore>
type Write = typeof write extends fc.Arbitrary<infer T> ? T : never

/** `start` is a snapshot that writes restore: insertions and removals are undone and repeated. */
function carryOut(
  store: Store,
  start: ReturnType<Store['snapshot']>,
  { kind, key, value }: Write,
): void {
  if (kind === 'back') store.restore(start)
  const { ID: _, code: __, ...patch } = rowOf(key, value)
  if (kind === 'insert' && !store.Item.has(key)) store.Item.insert(rowOf(key, value))
  if (!store.Item.has(key)) return
  if (kind === 'update') store.Item.update(key, { ...patch, code: `d${value}.${key}` })
  if (kind === 'remove') store.Item.remove(key)
  if (kind === 'undone') {
    const undone = (): void =>
      store.transact((tx) => {
        tx.Item.remove(key)
        expect(tx.Item.query('size > 1').count).toBeGreaterThan(0)
        throw new Error('undone')
      })
    expect(undone).toThrow('undone')
  }
  if (kind === 'restore') {
    const snapshot = store.snapshot()
    store.Item.remove(key)
    if (value % 2 === 0) store.Item.insert(rowOf(COUNT + 21 + value, value))
    store.restore(snapshot)
    snapshot.dispose()
  }
}

test('a selection pages, counts and combines as when it was created, whatever is written between two reads', () => {
  fc.assert(
    fc.property(
      fc.array(held, { minLength: 1, maxLength: 4 }),
      fc.array(write, { maxLength: 40 }),
      (wanted, writes) => {
        const store = itemStore()
        const start = store.snapshot()
        const selections = wanted.map(({ filter, order, skip, top }) => {
          const select = () => {
            const found = filter === '' ? store.Item.all() : store.Item.query(filter)
            return order === '' ? found : found.orderBy(order)
          }
          // One is settled now, the others when they are read; the last one is only paged.
          return { held: select(), settled: select().settle(), paged: select(), skip, top }
        })
        const { held: other } = selections[0]
        const isThere = (key: number) => store.Item.has(key)
        for (const write of writes) {
          carryOut(store, start, write)
          // Also several writes between two reads.
          if (write.value % 3 > 0) continue
          for (const { held, settled, paged, skip, top } of selections) {
            const depth = (write.value * 7) % 130
            expect(paged.page(depth, top).members()).toEqual(settled.page(depth, top).members())
            expect(
              held
                .page(skip, top)
                .members()
                .map((entity) => entity?.ID),
            ).toEqual(
              settled
                .page(skip, top)
                .members()
                .map((entity) => entity?.ID),
            )
            // Set algebra uses the living members.
            const both = new Set(other.keys())
            expect(held.and(other).keys()).toEqual(settled.keys().filter((key) => both.has(key)))
            expect(settled.keys().every(isThere)).toBe(true)
            const living = settled.keys()
            for (const each of [held, settled])
              expect([each.countOf('ID'), each.clean().count, each.clean().keys()]).toEqual([
                living.length,
                living.length,
                living,
              ])
          }
        }
        for (const { held, settled } of selections)
          expect([held.count, held.keys()]).toEqual([settled.count, settled.keys()])
      },
    ),
    runs(25),
  )
})

test('a member whose first change leaves its place is ordered as it was, also after the next change', () => {
  const store = itemStore()
  const held = store.Item.all().orderBy('rank, ID')
  const keys = store.Item.all().orderBy('rank, ID').settle().keys()
  store.Item.update(104, { size: 1 })
  held.page(126, 3).toArray()
  store.Item.update(104, { rank: 6 })
  expect(held.page(10, 10).keys()).toEqual(keys.slice(10, 20))
})

test('distinct values, minimum and maximum follow every write', () => {
  fc.assert(
    fc.property(fc.array(write, { maxLength: 60 }), (writes) => {
      const store = itemStore()
      const start = store.snapshot()
      for (const write of writes) {
        carryOut(store, start, write)
        const rows = store.Item.all().select('ID, size, name')
        const names = [...new Set(rows.flatMap(({ name }) => (name === null ? [] : [name])))].sort()
        expect(store.Item.all().distinct('name')).toEqual(names)
        expect(store.Item.query('rank > 2').distinct('name')).toEqual(
          names.filter((name) => store.Item.query('rank > 2 and name = :1', [name]).count > 0),
        )
        const sizes = rows.flatMap(({ size }) => (size === null ? [] : [size]))
        expect([store.Item.all().min('size'), store.Item.all().max('size')]).toEqual([
          Math.min(...sizes),
          Math.max(...sizes),
        ])
        expect(store.Item.all().max('ID')).toBe(Math.max(...rows.map(({ ID }) => ID)))
        expect(store.Item.all().orderBy('ID desc').first()?.ID).toBe(store.Item.all().max('ID'))
      }
      store.verify()
    }),
    runs(15),
  )
})
