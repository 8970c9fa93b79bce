import { describe, expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  defineDataClass,
  foreignKeyOf,
  openDump,
} from '../../src/index.ts'
import { Badge, Company, Employee } from './server-state-store.ts'

const loose = (value: unknown) => value as never
const refused = (code: string, problem?: RegExp) =>
  expect.objectContaining(
    problem === undefined ? { code } : { code, message: expect.stringMatching(problem) },
  )

const Sheet = defineDataClass('Sheet', {
  ID: attribute.long({ key: true, autoSequence: true }),
  title: attribute.string(),
  notes: attribute.object<{ readonly [name: string]: unknown }>(),
  isOpen: attribute.bool(),
  day: attribute.date({ dateOnly: true, indexed: true }),
})
const sheets = () => createDataStore({ name: 'sheets', dataClasses: [Sheet] })

function office() {
  const store = createDataStore({
    name: 'office',
    dataClasses: [Company, Employee, Badge],
    singletons: { Clock: { now: { run: () => 7 } } },
  })
  store.Company.load([{ name: 'Acme' }, { name: 'Byte' }])
  for (const name of ['Ann', 'Bob', 'Cyd']) store.Employee.insert({ name, salary: 10, employer: 1 })
  return store
}

describe('objects', () => {
  test('show the named properties, nested, in any order of the names', () => {
    const { Sheet } = sheets()
    Sheet.insert({ title: 'a "quoted" \\ one', notes: { a: { b: 1, c: { d: 2 } }, e: 3 } })
    Sheet.insert({ title: 'two', notes: null })
    const picked = [{ notes: { a: { b: 1, c: { d: 2 } }, e: 3 } }, { notes: null }]
    expect(Sheet.all().select('notes.a.b, notes.a.c.d, notes.e')).toEqual(picked)
    expect(JSON.parse(Sheet.all().json('notes.a.b, notes.a.c.d, notes.e'))).toEqual(picked)
    expect(Sheet.all().select('notes, notes.a')).toEqual([
      { notes: { a: { b: 1, c: { d: 2 } }, e: 3 } },
      { notes: null },
    ])
    expect(Sheet.query('ID = 1').select('notes.nobody.at, notes.a.b')).toEqual([
      { notes: { nobody: { at: null }, a: { b: 1 } } },
    ])
    expect(JSON.parse(Sheet.all().json('title'))).toEqual([
      { title: 'a "quoted" \\ one' },
      { title: 'two' },
    ])
    expect(() => Sheet.all().select(loose(`notes${'.a'.repeat(99)}`))).toThrow(
      refused('budgetExceeded'),
    )
  })
})

describe('plain values', () => {
  test('of a wrong type are refused, even if the filter is cached', () => {
    const { Sheet } = sheets()
    Sheet.insert({ isOpen: true, day: '2024-02-29' })
    for (let times = 0; times < 3; times++) {
      expect(Sheet.query('isOpen = :1', [true]).count).toBe(1)
      expect(Sheet.query('day = :1', ['2024-02-29']).count).toBe(1)
      expect(Sheet.query('day = :1', { values: ['2024-02-29'] }).count).toBe(1)
      expect(Sheet.query('day >= :from', { from: '2024-02-29' }).count).toBe(1)
      for (const [text, wrong] of [
        ['isOpen = :1', 7],
        ['isOpen = :1', 'maybe'],
        ['day = :1', true],
        ['day = :1', 'never'],
        ['day = :1', Number.NaN],
      ] as const) {
        expect(() => Sheet.query(text, [wrong]).count, `${text} ${wrong}`).toThrow(
          refused('filterCannotBeAnalysed'),
        )
      }
    }
  })
})

describe('invalid keys', () => {
  test('find no entity in any call', () => {
    const store = office()
    for (const key of [null, undefined, 'x', {}]) {
      expect(store.Employee.from(loose([key, 1])).keys()).toEqual([1])
      expect(store.view({}).dataClass('Employee').get(loose(key))).toBe(undefined)
      expect(store.at(store.globalStamp).Employee.get(loose(key))).toBe(undefined)
    }
  })
})

describe('functions', () => {
  test('that do not exist, or are called on a value that is not an entity, are refused by name', () => {
    const store = office()
    const callOn = store.Employee.callOn as (entity: unknown, name: string) => unknown
    expect(() => callOn.call(store.Employee, {}, 'f')).toThrow(
      refused('argumentInvalid', /The entity/),
    )
    const singleton = (store as unknown as { singleton(name: string): unknown }).singleton.bind(
      store,
    )
    expect(() => singleton('Nobody')).toThrow(refused('functionNotFound', /Nobody/))
    const first = store.Employee.get(1) as object
    expect(() => foreignKeyOf(first, 'name')).toThrow(refused('attributeNotFound'))
    expect(foreignKeyOf(first, 'employer')).toBe(1)
  })
})

describe('entity sets', () => {
  test('are combined in four ways, and in no other', () => {
    const store = office()
    const ids = ['ID < 3', 'ID > 1'].map((text) =>
      store.entitySets.create(store.Employee.query(text)),
    )
    const combined = (operator: string) => store.entitySets.combine(ids[0], loose(operator), ids[1])
    const keys = (operator: string) => (combined(operator) as unknown as { keys(): unknown }).keys()
    expect([keys('AND'), keys('OR'), keys('EXCEPT'), combined('INTERSECT')]).toEqual([
      [2],
      [1, 2, 3],
      [1],
      true,
    ])
    expect(() => combined('XOR')).toThrow(
      refused('argumentInvalid', /AND, OR, EXCEPT or INTERSECT/),
    )
  })
  test('take an id from their owner', () => {
    const store = office()
    const [mine, other] = [store.sessions.open(), store.sessions.open()]
    const id = 'ab'.repeat(16)
    const create = (owner: typeof mine) =>
      store.entitySets.create(store.Employee.all(), { id, owner })
    expect([create(mine), create(mine)]).toEqual([id.toUpperCase(), id.toUpperCase()])
    expect(() => create(other)).toThrow(refused('argumentInvalid', /another session/))
    store.sessions.close(mine.token)
    expect(create(other)).toBe(id.toUpperCase())
    expect(() => store.entitySets.create(store.Employee.all(), { id: 'short' })).toThrow(
      refused('argumentInvalid'),
    )
  })
})

describe('changes', () => {
  test('omit entities inserted and removed in one commit, and list all of a bulk load', () => {
    const store = office()
    const since = store.globalStamp
    store.transact((tx) => {
      const { key } = tx.Employee.insert({ name: 'brief' })
      expect(tx.Employee.query("name = 'brief'").count).toBe(1)
      tx.Employee.remove(key)
      tx.Employee.update(1, { name: 'Anna' })
    })
    store.Employee.load([{ name: 'Eve' }, { name: 'Fay' }])
    store.Employee.remove(2)
    const reported = store
      .changes({ since })
      .map(({ kind, key, before, after }) => [kind, key, before?.name, after?.name])
    expect(reported).toEqual([
      ['update', 1, 'Ann', 'Anna'],
      ['insert', 5, undefined, 'Eve'],
      ['insert', 6, undefined, 'Fay'],
      ['remove', 2, 'Bob', undefined],
    ])
  })
})

test('a load of single rows with hooks reports progress from time to time and at the end', async () => {
  const Row = defineDataClass(
    'Row',
    { ID: attribute.long({ key: true, autoSequence: true }) },
    { hooks: { beforeSave: () => undefined } },
  )
  for (const [count, expected] of [
    [10_000, [10_000]],
    [10_001, [10_000, 10_001]],
  ] as const) {
    const store = createDataStore({ name: 'rows', dataClasses: [Row] })
    const reported: number[] = []
    const rows = (async function* () {
      for (let i = 0; i < count; i++) yield {}
    })()
    await store.Row.load(rows, { onProgress: (done: number) => void reported.push(done) })
    expect(store.Row.count).toBe(count)
    expect([...new Set(reported)]).toEqual(expected)
  }
})

test('a dump of more text than one piece is complete', () => {
  const store = sheets()
  const title = 'x'.repeat(100_000)
  store.Sheet.load(Array.from({ length: 6 }, () => ({ title })))
  const opened = openDump(store.dump(), { dataClasses: [Sheet] })
  expect(opened.Sheet.query('title = :1', [title]).count).toBe(6)
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
  expect(text(opened.dump()) === text(store.dump())).toBe(true)
})

test('a caller who may not see an attribute still gets the plan of all entities', () => {
  const store = office()
  const view = store.view({
    hides: (({ name }: { name: string }) => name === 'salary') as never,
  } as never)
  const employees = view.dataClass('Employee') as unknown as {
    all(): { explain(): { toString(): string } }
  }
  expect(employees.all().explain().toString()).toMatch(/^all +\(3 rows/)
})
