// An index that is built in steps, between which the store changes in every way, equals one that is
// built at once.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { createIndexSteps } from '../../src/storage/index-build.ts'
import { createIndex, dropIndex, toPlainText } from '../../src/storage/table-load.ts'
import { createIndexSliced } from '../../src/store/capability/indexes.ts'
import { handleOf } from '../../src/store/kernel/capability.ts'
import { patience, runs } from '../runs.ts'

const Team = defineDataClass('Team', {
  name: attribute.string({ key: true }),
  people: attribute.relatedEntities('Person', 'team'),
})
const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true }),
  pay: attribute.number(),
  day: attribute.date({ dateOnly: true }),
  active: attribute.bool(),
  name: attribute.string(),
  email: attribute.string({ unique: true, collation: 'exact' }),
  number: attribute.long({ unique: true }),
  team: attribute.relatedEntity('Team', { foreignKey: 'teamName' }),
  teamName: attribute.string(),
})

const ATTRIBUTES = ['ID', 'pay', 'day', 'active', 'name', 'email', 'number', 'teamName'] as const
const PAYS = [null, -1.5, 0, -0, 7, 7, Number.MAX_VALUE]

const personOf = (ID: number, roll: number) => ({
  ID,
  pay: PAYS[roll % PAYS.length] ?? null,
  day: roll % 3 === 0 ? null : `2024-01-0${1 + (roll % 9)}`,
  active: [true, false, null][roll % 3] ?? null,
  name: roll % 11 === 0 ? null : `${roll % 2 === 0 ? 'Añ' : 'an'}n ${roll % 13}`,
  email: roll % 5 === 0 ? null : `${ID}@${roll % 4}`,
  number: roll % 7 === 0 ? null : ID * 2 - 9,
  teamName: roll % 4 === 0 ? null : `t${roll % 3}`,
})

function createStore(count: number) {
  const store = createDataStore({ name: 'staff', dataClasses: [Team, Person] })
  store.Team.load(['t0', 't1', 't2'].map((name) => ({ name })))
  store.Person.load(Array.from({ length: count }, (_, at) => personOf(at + 1, at)))
  return store
}
type Store = ReturnType<typeof createStore>
const tableOf = (store: Store) => handleOf(store).writer.tables[1]!

/** A change between two steps: `kind`, and a number from which the rest follows. */
type Change = readonly [kind: number, roll: number]

function change(store: Store, [kind, roll]: Change, ordinal: number): void {
  const { Person } = store
  const all = Person.all().toArray()
  const existing = all[roll % Math.max(1, all.length)]?.ID ?? null
  const fresh = 10_000 + tableOf(store).version * 3 + (roll % 3)
  const table = tableOf(store)
  const { name } = table.model.storage[ordinal]!
  const steps: (() => void)[] = [
    () => Person.get(fresh) ?? Person.insert(personOf(fresh, roll)),
    () => existing !== null && Person.update(existing, { ...personOf(existing, roll) }),
    () => existing !== null && Person.remove(existing),
    // A rollback of changes that a query has written early.
    () => {
      try {
        store.transact(() => {
          if (existing !== null) Person.remove(existing)
          Person.insert(personOf(fresh + 1, roll))
          expect(Person.query('pay > 0').count).toBeGreaterThanOrEqual(0)
          throw new Error('rolled back')
        })
      } catch {}
    },
    () => {
      const before = store.snapshot()
      if (existing !== null) Person.update(existing, { pay: 99, name: 'restored' })
      Person.query('ID > 9990').remove()
      store.restore(before)
      if (existing !== null) Person.update(existing, { pay: 98 })
    },
    () =>
      Person.load(
        Array.from({ length: 1200 }, (_, at) => personOf(1_000_000 + fresh * 2000 + at, at)),
      ),
    () => {
      if (table.columns[ordinal]?.layout === 'word' && name !== 'teamName')
        toPlainText(table, ordinal)
    },
    () => {
      if (existing !== null) Person.update(existing, { name: `only ${roll}` })
      if (existing !== null) Person.update(existing, { name: null })
      for (const column of table.columns) if (column.layout === 'word') column.dictionary.sweep()
      table.layout++
    },
    () => createIndex(table, ordinal),
  ]
  steps[kind % steps.length]!()
}

/** What an index answers, in its order. */
function answersOf(store: Store, ordinal: number) {
  const table = tableOf(store)
  const index = table.indexes[ordinal]!
  const out = new Int32Array(table.liveCount)
  if (index.ordered !== null) {
    index.ordered.slotsBetween(0, table.liveCount, out)
    return { size: index.ordered.size, slots: [...out] }
  }
  const name = table.model.storage[ordinal]!.name as 'name'
  return {
    slots: store.Person.all()
      .orderBy(name)
      .toArray()
      .map(({ ID }) => ID),
  }
}

describe('an index that is built in steps', () => {
  test.each(ATTRIBUTES)(
    'of %s equals one that is built at once, whatever is changed between the steps',
    async (name) => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 0, max: 80 }),
          fc.array(fc.tuple(fc.nat(8), fc.nat(1000)), { maxLength: 12 }),
          async (count, changes) => {
            const store = createStore(count)
            const table = tableOf(store)
            const { ordinal } = table.model.storage.find((each) => each.name === name)!
            const left = [...changes]
            await createIndexSliced(store.Person, name, async () => {
              for (const each of left.splice(0, 2)) change(store, each, ordinal)
            })
            store.verify()
            expect(table.indexes[ordinal]?.isOrdered).toBe(true)
            const built = answersOf(store, ordinal)
            dropIndex(table, ordinal)
            createIndex(table, ordinal)
            expect(built).toEqual(answersOf(store, ordinal))
            // It follows later writes.
            dropIndex(table, ordinal)
            await createIndexSliced(store.Person, name, async () => {})
            for (const each of changes) change(store, each, 0)
            store.verify()
          },
        ),
        runs(60),
      )
    },
    patience.timeout,
  )

  test('is not there before its last step, nor if the steps end early', () => {
    const store = createStore(50)
    const table = tableOf(store)
    const { ordinal } = table.model.storage.find(({ name }) => name === 'email')!
    const before = table.indexes[ordinal]
    const steps = createIndexSteps(table, ordinal)
    let taken = 0
    for (; !steps.next().done; taken++) {
      expect(table.indexes[ordinal]?.isOrdered).toBe(false)
      store.verify()
      expect(() => store.Person.insert(personOf(2, 1))).toThrow()
    }
    expect(taken).toBeGreaterThan(1)
    expect(table.indexes[ordinal]).toBe(before)
    expect(before?.isOrdered).toBe(true)
    dropIndex(table, ordinal)
    const given = createIndexSteps(table, ordinal)
    given.next()
    given.return()
    store.Person.insert(personOf(51, 50))
    store.verify()
    expect(table.indexes[ordinal]?.isOrdered).toBe(false)
  })

  test('rejects what createIndex refuses, and what its caller throws', async () => {
    const store = createStore(5)
    const build = (name: string, nextSlice = async () => {}) =>
      createIndexSliced(store.Person, name, nextSlice)
    await expect(build('nothing')).rejects.toMatchObject({ code: 'attributeNotFound' })
    await expect(build('team')).rejects.toMatchObject({ code: 'indexInvalid' })
    const stopped = build('pay', () => Promise.reject(new Error('stopped')))
    await expect(stopped).rejects.toThrow('stopped')
    expect(store.Person.query('pay = 7').explain().root.index).toBeNull()
    await build('pay')
    expect(store.Person.query('pay = 7').explain().root.index).toBe('Person.pay')
  })

  test('that the table already has, or cannot have, takes no step', async () => {
    const store = createStore(5)
    store.Person.createIndex('pay')
    let slices = 0
    await createIndexSliced(store.Person, 'pay', async () => void slices++)
    expect(slices).toBe(0)
  })
})
