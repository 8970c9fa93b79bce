import { beforeAll, describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'

// So many different names that their column gives up its dictionary, beside tags with few words in
// several spellings.
const COUNT = 12_000
const TAGS = ['a', 'A', 'b', 'B', 'bb', 'C', null] as const

const Item = defineDataClass('Item', {
  ID: attribute.long({ key: true }),
  name: attribute.string({ indexed: true }),
  tag: attribute.string({ indexed: true }),
  label: attribute.string(),
  code: attribute.string({ unique: true }),
  number: attribute.long({ unique: true }),
  size: attribute.number({ indexed: true }),
  isOn: attribute.bool({ indexed: true }),
  day: attribute.date({ dateOnly: true, indexed: true }),
  next: attribute.relatedEntity('Item', { foreignKey: 'nextID' }),
  nextID: attribute.long(),
})
interface Row {
  readonly ID: number
  readonly name: string | null
  readonly tag: string | null
  readonly label: string
  readonly code: string
  readonly number: number
  readonly size: number | null
  readonly isOn: boolean | null
  readonly day: string
  readonly nextID: number | null
}

const rowOf = (i: number): Row => ({
  ID: i + 1,
  name: i % 500 === 3 ? null : `Name ${(i * 7919) % 9000}`,
  tag: TAGS[i % 7],
  label: `L${i % 3}`,
  code: `code ${i}`,
  number: i * 2,
  size: i % 11 === 0 ? null : (i * 31) % 400,
  isOn: [true, false, null][i % 3],
  day: `2024-01-${String((i % 28) + 1).padStart(2, '0')}`,
  nextID: i % 4 === 0 ? null : ((i * 17) % COUNT) + 1,
})

const fold = (text: string | null): string | null => text?.toLowerCase() ?? null
const compare = (a: string | number | null, b: string | number | null): number =>
  a === b ? 0 : a === null ? -1 : b === null ? 1 : a < b ? -1 : 1

type Filter = readonly [text: string, params: readonly unknown[], selects: (row: Row) => boolean]
const begins = (text: string | null, start: string) =>
  fold(text)?.startsWith(fold(start) as string) ?? false
const filters: readonly Filter[] = [
  ['name begin :1', ['name 12'], ({ name }) => begins(name, 'name 12')],
  ['name begin :1', ['zzz'], () => false],
  ['name = :1', ['NAME 4711'], ({ name }) => fold(name) === 'name 4711'],
  ['name = :1', ['nobody'], () => false],
  [
    "name in ['Name 1', 'Name 2', 'nobody']",
    [],
    ({ name }) => name === 'Name 1' || name === 'Name 2',
  ],
  ["name > 'Name 89'", [], ({ name }) => name !== null && (fold(name) as string) > 'name 89'],
  ["name <= 'Name 1'", [], ({ name }) => name !== null && (fold(name) as string) <= 'name 1'],
  ["name != 'Name 1'", [], ({ name }) => name !== null && name !== 'Name 1'],
  ["name = '@ 12@'", [], ({ name }) => name?.includes(' 12') ?? false],
  ['name = null', [], ({ name }) => name === null],
  ['tag = :1', ['a'], ({ tag }) => fold(tag) === 'a'],
  ['tag = :1', ['c'], ({ tag }) => fold(tag) === 'c'],
  ['tag = :1', ['x'], () => false],
  ['tag begin :1', ['B'], ({ tag }) => begins(tag, 'b')],
  [
    'tag begin :1 and label = :2',
    ['B', 'l1'],
    ({ tag, label }) => begins(tag, 'b') && label === 'L1',
  ],
  ['tag = null or tag = :1', ['a'], ({ tag }) => tag === null || fold(tag) === 'a'],
  ["tag < 'b'", [], ({ tag }) => tag !== null && (fold(tag) as string) < 'b'],
  ['code = :1', ['CODE 77'], ({ code }) => code === 'code 77'],
  ['code = :1', ['code x'], () => false],
  ['number = :1', [84], ({ number }) => number === 84],
  ['number = :1', [85], () => false],
  ['number in :1', [[84, 85, 86]], ({ number }) => number === 84 || number === 86],
  ['ID = :1', [7], ({ ID }) => ID === 7],
  ['ID = :1', [0], () => false],
  ['size = :1', [31], ({ size }) => size === 31],
  ['size = 31 or size = 62', [], ({ size }) => size === 31 || size === 62],
  ['size >= :1 and size < :2', [10, 20], ({ size }) => size !== null && size >= 10 && size < 20],
  ['size >= :1 and size < 20', [10], ({ size }) => size !== null && size >= 10 && size < 20],
  ['size >= :1 and size < :2', [20, 10], () => false],
  ['size > :1 and size <= :2', [390, 1e9], ({ size }) => size !== null && size > 390],
  ['size = :1 and size = :2', [5, 6], () => false],
  ['size != 31', [], ({ size }) => size !== null && size !== 31],
  ['isOn = :1', [true], ({ isOn }) => isOn === true],
  ['isOn = :1', [false], ({ isOn }) => isOn === false],
  ['day = :1', ['2024-01-05'], ({ day }) => day === '2024-01-05'],
  ['day >= :1', ['2024-01-27'], ({ day }) => day >= '2024-01-27'],
  ['nextID = :1', [18], ({ nextID }) => nextID === 18],
  ['nextID = :1', [-1], () => false],
  ['next = null', [], ({ nextID }) => nextID === null],
  [
    'size < 40 and isOn = true',
    [],
    ({ size, isOn }) => size !== null && size < 40 && isOn === true,
  ],
  ["label = 'L2' or tag = 'a'", [], ({ label, tag }) => label === 'L2' || fold(tag) === 'a'],
  ['not (size < 390)', [], ({ size }) => size === null || size >= 390],
]

const orders: readonly (readonly [text: string, compare: (a: Row, b: Row) => number])[] = [
  ['name', (a, b) => compare(fold(a.name), fold(b.name))],
  ['name desc', (a, b) => -compare(fold(a.name), fold(b.name))],
  ['name, size desc', (a, b) => compare(fold(a.name), fold(b.name)) || -compare(a.size, b.size)],
  ['tag desc, ID', (a, b) => -compare(fold(a.tag), fold(b.tag))],
  ['tag, name', (a, b) => compare(fold(a.tag), fold(b.tag)) || compare(fold(a.name), fold(b.name))],
  ['size', (a, b) => compare(a.size, b.size)],
  ['size desc', (a, b) => -compare(a.size, b.size)],
  [
    'isOn, day desc',
    (a, b) => compare(Number(a.isOn ?? -1), Number(b.isOn ?? -1)) || -compare(a.day, b.day),
  ],
  ['label, code', (a, b) => compare(a.label, b.label) || compare(a.code, b.code)],
]

const create = () => createDataStore({ name: 'items', dataClasses: [Item] })
const state = { store: create(), rows: [] as Row[] }

function mustAgree(): void {
  const { store, rows } = state
  for (const [text, params, selects] of filters) {
    const expected = rows.filter(selects)
    const found = () => store.Item.query(text, params as never)
    const about = `${text} ${JSON.stringify(params)}`
    expect(found().count, about).toBe(expected.length)
    expect(found().keys(), about).toEqual(expected.map(({ ID }) => ID))
    expect(found().explain().toString(), about).toContain('Item')
    for (const [skip, top] of [
      [0, 3],
      [2, 5],
      [expected.length - 1, 4],
    ].filter(([skip]) => skip >= 0)) {
      expect(found().page(skip, top).keys(), `${about} page ${skip}`).toEqual(
        expected.slice(skip, skip + top).map(({ ID }) => ID),
      )
    }
  }
}

/** Ties are broken by record order, which is the order of the rows. */
function mustOrder(): void {
  const { store, rows } = state
  for (const [text, order] of orders) {
    for (const [filter, params, selects] of [
      ['', [], () => true] as Filter,
      ...filters.filter((_, i) => i % 6 === 0),
    ]) {
      const expected = rows.filter(selects).sort(order)
      const found = store.Item.query(filter, params as never).orderBy(text)
      for (const [skip, top] of [
        [0, 10],
        [17, 5],
        [Math.max(0, expected.length - 3), 9],
        [expected.length, 4],
        [expected.length + 5, 4],
        [0, 0],
      ]) {
        expect(found.page(skip, top).keys(), `${filter} by ${text} from ${skip}`).toEqual(
          expected.slice(skip, skip + top).map(({ ID }) => ID),
        )
      }
    }
  }
}

describe('among many names', () => {
  beforeAll(() => {
    state.rows = Array.from({ length: COUNT }, (_, i) => rowOf(i))
    state.store.Item.load(state.rows)
  })

  test(
    'every filter selects what a scan of all rows selects, and pages are slices of that',
    mustAgree,
  )
  test('every order equals a sort, on every page', mustOrder)

  test('distinct values appear once, in the spelling of the first live record', () => {
    const { Item } = state.store
    expect(Item.all().distinct('tag')).toEqual(['a', 'b', 'bb', 'C'])
    expect(Item.query('ID = 4 or ID = 2').distinct('tag')).toEqual(['A', 'B'])
    expect(Item.all().distinct('name')).toHaveLength(
      new Set(state.rows.map(({ name }) => name)).size - 1,
    )
  })

  test('a selection keeps its members, whatever is written later', () => {
    const { store, rows } = state
    const held = filters.map(([text, params]) => store.Item.query(text, params as never))
    const expected = filters.map(([, , selects]) => rows.filter(selects).map(({ ID }) => ID))
    // Tags with a single spelling lose it, and no record holds some of the words any more.
    const changed = new Map(
      rows.filter(({ ID }) => ID % 3 === 0 || ID % 7 < 2).map((row) => [row.ID, row]),
    )
    store.transact((tx) => {
      for (const row of changed.values()) {
        const name = row.ID % 2 === 0 ? `Other ${row.ID}` : row.name
        const change = {
          name,
          tag: row.tag === 'a' ? 'A' : row.tag,
          size: row.size === null ? 1 : null,
        }
        tx.Item.update(row.ID, change)
        changed.set(row.ID, { ...row, ...change })
      }
      for (const { ID } of rows.filter(({ tag }) => tag === 'C'))
        if (changed.has(ID)) changed.delete(ID)
      tx.Item.query("tag = 'C'").remove()
    })
    for (const [at, selection] of held.entries())
      expect(selection.count, filters[at][0]).toBe(expected[at].length)
    state.rows = rows.filter(({ tag }) => tag !== 'C').map((row) => changed.get(row.ID) ?? row)
    const living = new Set(state.rows.map(({ ID }) => ID))
    for (const row of state.rows) {
      if (row.nextID !== null && !living.has(row.nextID)) Object.assign(row, { nextID: null })
    }
    expect(store.Item.all().distinct('tag')).toEqual(['A', 'b', 'bb'])
  })

  test('filters and orders are still correct afterwards', () => {
    mustAgree()
    mustOrder()
    state.store.verify()
  })
})
