import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { codeOf, refusalOf } from './firm-store.ts'

/** What plain JavaScript may give where the types ask for something else. */
const loose = (value: unknown) => value as never
const Node = defineDataClass('Node', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ unique: true }),
  weight: attribute.number({ min: 0, indexed: true }),
  left: attribute.relatedEntity('Node', { onDelete: 'cascade' }),
  right: attribute.relatedEntity('Node', { onDelete: 'cascade' }),
  friend: attribute.relatedEntity('Node', { onDelete: 'null' }),
  rival: attribute.relatedEntity('Node', { onDelete: 'null' }),
})
const nodes = () => createDataStore({ name: 'nodes', dataClasses: [Node] })

describe('what goes along with an entity', () => {
  test('goes once, by however many relations it refers to it', () => {
    const store = nodes()
    for (const name of ['root', 'child', 'other']) store.Node.insert({ name })
    store.Node.update(2, { left: 1, right: 1 })
    store.Node.update(3, { friend: 1, rival: 1 })
    store.transact((tx) => tx.Node.remove(1))
    expect(store.Node.all().keys()).toEqual([3])
    expect([store.Node.get(3)?.friend, store.Node.get(3)?.rival]).toEqual([null, null])
    expect(store.Node.get(3)?.stamp).toBe(3)
    store.verify()
  })
})

describe('in one transaction', () => {
  test('a unique value may be spelled anew by the entity that has it', () => {
    const store = nodes()
    store.transact((tx) => {
      tx.Node.insert({ name: 'ada' })
      tx.Node.update(1, { name: 'Ada' })
      tx.Node.update(1, { name: 'ADA' })
      expect(() => tx.Node.insert({ name: 'aDa' })).toThrow(expect.objectContaining({ code: 'uniqueViolation' }))
    })
    expect(store.Node.get(1)?.name).toBe('ADA')
    store.verify()
  })

  test('what took the place of a removed entity and went again leaves the place free', () => {
    const store = nodes()
    for (const name of ['a', 'b', 'c']) store.Node.insert({ name })
    store.transact((tx) => {
      tx.Node.remove(2)
      const { key } = tx.Node.insert({ name: 'b' })
      tx.Node.remove(key)
      expect(tx.Node.has(2)).toBe(false)
      tx.Node.insert({ name: 'b' })
    })
    expect([...store.Node.all().keys()].sort()).toEqual([1, 3, 5])
    store.verify()
  })

  test('a key of another type finds nobody to change', () => {
    const store = nodes()
    store.Node.insert({ name: 'a' })
    store.transact((tx) => {
      for (const key of ['x', 1.5, null, undefined, {}]) {
        expect(codeOf(() => tx.Node.update(loose(key), { weight: 1 }))).toBe('entityNotFound')
        expect(codeOf(() => tx.Node.remove(loose(key)))).toBe('entityNotFound')
        expect(tx.Node.get(loose(key))).toBe(undefined)
      }
    })
    expect(store.Node.get(1)?.stamp).toBe(1)
  })

  test('what was loaded counts, though all that was written before it is gone again', () => {
    const store = nodes()
    const { globalStamp } = store
    store.transact((tx) => {
      const { key } = tx.Node.insert({ name: 'brief' })
      expect(tx.Node.query("name = 'brief'").count).toBe(1)
      tx.Node.remove(key)
      tx.Node.load([{ name: 'stays' }])
    })
    expect(
      store.Node.all()
        .toArray()
        .map(({ name }) => name),
    ).toEqual(['stays'])
    expect(store.globalStamp).toBe(globalStamp + 1)
    store.verify()
  })

  test('many writes leave nothing behind in what the next one works with', () => {
    const store = nodes()
    const many = 40_000
    store.transact((tx) => {
      for (let i = 0; i < many; i++) tx.Node.insert({ weight: i })
    })
    store.transact((tx) => {
      tx.Node.update(7, { weight: 1 })
      expect(tx.Node.get(8)?.weight).toBe(7)
    })
    expect([store.Node.count, store.Node.get(7)?.stamp, store.Node.get(8)?.stamp]).toEqual([many, 2, 1])
  })
})

describe('an edit that writes meanwhile', () => {
  test('to another entity is part of the same commit', () => {
    const store = nodes()
    for (const name of ['a', 'b']) store.Node.insert({ name })
    const { globalStamp } = store
    store.transact((tx) => {
      tx.Node.update(1, (draft) => {
        tx.Node.update(2, (other) => void (other.weight = 2))
        draft.weight = 1
      })
    })
    expect([store.Node.get(1)?.weight, store.Node.get(2)?.weight]).toEqual([1, 2])
    expect(store.globalStamp).toBe(globalStamp + 1)
  })

  test('to the very entity adds to that write; what is gone by then is not found', () => {
    const store = nodes()
    store.Node.insert({ name: 'a', weight: 1 })
    store.transact((tx) => {
      tx.Node.update(1, (draft) => {
        tx.Node.update(1, { name: 'b' })
        draft.weight = 2
      })
    })
    expect({ ...store.Node.get(1) }).toMatchObject({ name: 'b', weight: 2 })
    expect(
      codeOf(() =>
        store.transact((tx) =>
          tx.Node.update(1, (draft) => {
            tx.Node.remove(1)
            draft.weight = 3
          }),
        ),
      ),
    ).toBe('entityNotFound')
    expect(store.Node.get(1)?.weight).toBe(2)
    store.verify()
  })
})

describe('what is inherited', () => {
  const heir = <O extends object>(own: O): O => Object.assign(Object.create({ weight: 5 }), own)
  test('is not written', () => {
    const store = nodes()
    store.Node.insert(heir({ name: 'a' }))
    store.transact((tx) => tx.Node.insert(heir({ name: 'b' })))
    store.Node.load([heir({ name: 'c' }), heir({ name: 'd' })])
    store.Node.update(1, heir({ name: 'e' }))
    expect(
      store.Node.all()
        .toArray()
        .map(({ weight }) => weight),
    ).toEqual([null, null, null, null])
  })
})

describe('what may not change', () => {
  const Fixed = defineDataClass('Fixed', {
    ID: attribute.long({ key: true }),
    seal: attribute.string({ readOnly: true }),
    note: attribute.string(),
  })
  test('is refused by name, alone and in a transaction, and the same value is no change', () => {
    const store = createDataStore({ name: 'fixed', dataClasses: [Fixed] })
    store.Fixed.insert({ ID: 1, note: 'a' })
    for (const change of [{ ID: 2 }, { seal: 'x' }]) {
      expect(codeOf(() => store.Fixed.update(1, loose(change)))).toBe('attributeReadOnly')
      expect(codeOf(() => store.transact((tx) => tx.Fixed.update(1, loose(change))))).toBe('attributeReadOnly')
    }
    expect(store.Fixed.update(1, loose({ ID: 1, note: 'b' })).stamp).toBe(2)
  })
})

describe('generated values', () => {
  const Uuid = defineDataClass('Uuid', {
    ID: attribute.uuid({ key: true }),
    mark: attribute.uuid({ autoSequence: true }),
    name: attribute.string(),
  })
  const given = 'AB'.repeat(16)
  test('of UUIDs stand where none was given, in every way of writing', () => {
    let count = 0
    const ids = { uuid: () => `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`, token: () => 't' }
    const store = createDataStore({ name: 'uuids', dataClasses: [Uuid], ids })
    store.Uuid.insert(loose({ name: 'alone' }))
    store.Uuid.insert({ ID: given, mark: given, name: 'given' })
    store.transact((tx) => {
      tx.Uuid.insert(loose({ name: 'inside' }))
      tx.Uuid.insert({ ID: 'cd'.repeat(16), mark: given, name: 'given inside' })
    })
    store.Uuid.load([loose({ name: 'loaded' }), { ID: 'EF'.repeat(16), mark: given }])
    const generated = store.Uuid.query('name in :1', [['alone', 'inside', 'loaded']]).toArray()
    for (const { ID } of generated) expect(ID).toMatch(/^0{12}4.{19}$/)
    expect(new Set(generated.flatMap(({ ID, mark }) => [ID, mark])).size).toBe(6)
    expect(store.Uuid.query('mark = :1', [given]).count).toBe(3)
    store.verify()
  })

  test('of whole numbers end where the type or a rule ends them, and nothing of the load is there', () => {
    const Few = defineDataClass('Few', { ID: attribute.long({ key: true, autoSequence: true, max: 2 }) })
    const Long = defineDataClass('Long', { ID: attribute.long64({ key: true, autoSequence: true }) })
    const store = createDataStore({ name: 'few', dataClasses: [Few, Long] })
    const refusal = refusalOf(() => store.Few.load([{}, {}, {}]))
    expect([refusal.code, refusal.message]).toEqual(['loadRefused', expect.stringMatching(/row 3/i)])
    expect(store.Few.count).toBe(0)
    store.Long.insert({ ID: Number.MAX_SAFE_INTEGER - 1 })
    expect(store.Long.insert({}).key).toBe(Number.MAX_SAFE_INTEGER)
    expect(codeOf(() => store.Long.insert({}))).toBe('sequenceExhausted')
    expect(codeOf(() => store.Long.load([{}]))).toBe('loadRefused')
  })
})

describe('a loaded row', () => {
  const Row = defineDataClass('Row', {
    ID: attribute.long({ key: true }),
    name: attribute.string({ maxLength: 3 }),
    day: attribute.date({ dateOnly: true }),
    parent: attribute.relatedEntity('Row', { notNull: true, foreignKey: 'parentID' }),
    parentID: attribute.long(),
  })
  const rowStore = () => createDataStore({ name: 'rows', dataClasses: [Row] })
  test.each<[string, object]>([
    ['text with half a pair', { ID: 2, name: '\ud800', parent: 1 }],
    ['a day the calendar has not', { ID: 2, day: '2023-02-29', parent: 1 }],
    ['text that is too long', { ID: 2, name: 'four', parent: 1 }],
    ['a relation that leads nowhere and must lead somewhere', { ID: 2, parent: 9 }],
    ['a relation under both its names, and a broken rule', { ID: 2, parent: 1, parentID: 1, name: 'four' }],
    ['no relation', { ID: 2 }],
  ])('with %s is refused by its number, and none is loaded', (_, row) => {
    const store = rowStore()
    for (const relations of ['check', 'null'] as const) {
      const refusal = refusalOf(() => store.Row.load([{ ID: 1, parent: 1 }, loose(row)], { relations }))
      expect(refusal.details).toMatchObject({ dataClass: 'Row', rowNumber: 2 })
    }
    expect(store.Row.count).toBe(0)
    store.verify()
  })

  test('that cannot be got is told as what it failed with', () => {
    const failing = function* () {
      yield { ID: 1, parent: 1 }
      throw new Error('the file ended')
    }
    expect(() => rowStore().Row.load(failing())).toThrow('the file ended')
  })

  test('may have a key of 0 or below', () => {
    const store = rowStore()
    store.Row.load([
      { ID: 0, parent: 0 },
      { ID: -1, parent: 0 },
    ])
    expect(store.Row.all().keys()).toEqual([0, -1])
    expect(store.Row.get(-1)?.parent?.key).toBe(0)
    store.verify()
  })
})

test('the least whole number of 32 bits is a value as any other', () => {
  const least = -(2 ** 31)
  const Small = defineDataClass('Small', {
    ID: attribute.long({ key: true, autoSequence: true }),
    size: attribute.long({ indexed: true }),
  })
  const store = createDataStore({ name: 'small', dataClasses: [Small] })
  store.Small.load([{ size: 1 }, { size: null }])
  store.Small.update(1, { size: least })
  expect(store.Small.all().orderBy('size, ID').select('size')).toEqual([{ size: null }, { size: least }])
  expect(store.Small.query('size < 0').keys()).toEqual([1])
  expect(store.Small.query('size = null').keys()).toEqual([2])
  const loaded = createDataStore({ name: 'small', dataClasses: [Small] })
  loaded.Small.load([{ size: null }, { size: least }])
  expect(loaded.Small.query('size = :1', [least]).keys()).toEqual([2])
  expect(loaded.Small.query('size = null').keys()).toEqual([1])
  store.verify()
  loaded.verify()
})
