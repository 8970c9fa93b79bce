import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler, ReplicaState, type RestOptions } from '@entia/rest'
import { expect, test } from 'vitest'
import { replicate } from '../src/index.ts'
import { linkTo, PAUSES } from './office.ts'

const Firm = defineDataClass('Firm', {
  ID: attribute.string({ key: true }),
  name: attribute.string({ unique: true }),
  grade: attribute.string({ default: 'A' }),
})
const Person = defineDataClass('Person', {
  ID: attribute.string({ key: true }),
  name: attribute.string({ default: 'new' }),
  pay: attribute.number({ default: 7 }),
  code: attribute.string({ unique: true }),
  firm: attribute.relatedEntity('Firm'),
  boss: attribute.relatedEntity('Person', { onDelete: 'cascade' }),
})

async function opened(options: Partial<RestOptions> = {}) {
  const store = createDataStore({ name: 'firms', dataClasses: [Firm, Person, ReplicaState] })
  store.Firm.load([{ ID: 'f1', name: 'F1' }])
  store.Person.load([
    { ID: 'p1', code: 'c1', firm: 'f1' },
    { ID: 'p2', code: 'c2', firm: 'f1', boss: 'p1' },
    { ID: 'p3', code: 'c3', pay: 0 },
  ])
  const link = linkTo(createRestHandler(store, { replicas: true, ...options }))
  const replica = await replicate(link.db, {
    dataClasses: [Firm, Person],
    shapes: { Firm: true, Person: true },
    pauses: PAUSES,
  })
  return { store, replica, ...link }
}

test('a new entity is stored as it is shown, with null where there is a default', async () => {
  const { store, replica } = await opened()
  const hire = await replica.transact((tx) => {
    tx.Person.insert({ ID: 'x', name: null })
  })
  expect(replica.store.Person.get('x')).toMatchObject({ name: null, pay: 7 })
  expect((await hire.outcome).kind).toBe('applied')
  expect(store.Person.get('x')).toMatchObject({ name: null, pay: 7 })
  await replica.close()
})

test('a default of an attribute that the caller may not write is left to the server', async () => {
  const { store, replica } = await opened({ authorize: ({ attribute }) => attribute !== 'grade' })
  const found = await replica.transact((tx) => {
    tx.Firm.insert({ ID: 'x', name: 'X' })
  })
  expect((await found.outcome).kind).toBe('applied')
  expect(store.Firm.get('x')?.grade).toBe('A')
  await replica.close()
})

test('a change of an entity that does not exist is not lost by solving it with mine', async () => {
  const { store, replica, cut, connect } = await opened()
  cut()
  const hire = await replica.transact((tx) => tx.Person.insert({ ID: 'x', code: 'same' }).ID)
  const raise = await replica.transact((tx) => tx.Person.update('x', { pay: 55 }))
  store.Person.insert({ ID: 'y', code: 'same' })
  connect()
  expect((await hire.outcome).kind).toBe('problem')
  expect((await raise.outcome).kind).toBe('problem')
  // Its entity is still missing.
  const again = await replica.solve(raise.number, 'mine')
  if (again.kind !== 'problem') throw new Error('The change was lost.')
  store.Person.remove('y')
  expect((await replica.solve(hire.number, 'mine')).kind).toBe('applied')
  expect((await replica.solve(again.problem, 'mine')).kind).toBe('applied')
  expect(store.Person.get('x')?.pay).toBe(55)
  await replica.close()
})

const everything: RestOptions['authorize'] = () => true
const withRowFilters: RestOptions['authorize'] = ({ dataClass, attribute }) =>
  attribute !== undefined || (dataClass === 'Firm' ? 'grade != C' : 'pay >= 0')

test.each([
  ['everything', everything],
  ['some entities', withRowFilters],
])(
  'a transaction of a caller who may see %s is applied, in whichever order it has touched its entities',
  async (_, authorize) => {
    const { store, replica } = await opened({ authorize: authorize! })
    const applied = async (body: Parameters<typeof replica.transact>[0]) => {
      const { outcome } = await replica.transact((tx) => void body(tx))
      expect(await outcome).toMatchObject({ kind: 'applied' })
    }
    // It refers to what is created later.
    await applied((tx) => {
      tx.Person.update('p1', { pay: 1 })
      tx.Firm.insert({ ID: 'f2', name: 'F2' })
      tx.Person.update('p1', { firm: 'f2' })
    })
    // It takes the unique value of what is removed later.
    await applied((tx) => {
      tx.Person.update('p1', { pay: 2 })
      tx.Person.remove('p3')
      tx.Person.update('p1', { code: 'C3' })
    })
    // It takes the unique value of what gets another one later.
    await applied((tx) => {
      tx.Person.update('p2', { pay: 3 })
      tx.Person.update('p1', { code: 'c4' })
      tx.Person.update('p2', { code: 'c3' })
    })
    // It no longer refers to what is removed with those that refer to it.
    await applied((tx) => {
      tx.Person.update('p1', { pay: 4 })
      tx.Person.update('p2', { boss: null })
      tx.Person.remove('p1')
    })
    await replica.current()
    expect(store.Person.all().keys()).toEqual(['p2'])
    expect(replica.store.Person.all().keys()).toEqual(['p2'])
    expect(store.Person.get('p2')).toMatchObject({ code: 'c3', pay: 3 })
    await replica.close()
  },
)

test('strict transactions do not conflict with those of the same replica before them, but with others', async () => {
  const { store, replica, cut, connect } = await opened()
  const strictly = (key: string, pay: number) =>
    replica.transact((tx) => tx.Person.update(key, { pay }).ID, { strict: true })
  cut()
  const own = [await strictly('p1', 1), await strictly('p1', 2)]
  own.push(await replica.transact((tx) => tx.Person.insert({ ID: 'x' }).ID))
  own.push(await strictly('x', 3), await strictly('x', 4))
  // Others have saved these.
  const others = [await strictly('p2', 5), await strictly('p2', 6)]
  const rename = await replica.transact((tx) => tx.Person.update('p3', { name: 'P3' }).ID)
  others.push(await strictly('p3', 7))
  store.Person.update('p2', { name: 'P2' })
  store.Person.update('p3', { code: 'c4' })
  connect()
  for (const { outcome } of [...own, rename]) expect((await outcome).kind).toBe('applied')
  for (const { outcome } of others) expect((await outcome).kind).toBe('problem')
  expect(store.Person.get('p1')?.pay).toBe(2)
  expect(store.Person.get('x')?.pay).toBe(4)
  expect(store.Person.get('p3')).toMatchObject({ name: 'P3', code: 'c4', pay: 0 })
  await replica.close()
})
