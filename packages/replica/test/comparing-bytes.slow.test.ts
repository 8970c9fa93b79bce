import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler, ReplicaState } from '@entia/rest'
import { expect, test } from 'vitest'
import { replicate } from '../src/index.ts'
import { linkTo, PAUSES, rowsOf } from './office.ts'
import { until } from './waiting.ts'

/** Ten attributes with 148 bytes of JSON values, as the entities of bench:replicas. */
const Person = defineDataClass('Person', {
  ID: attribute.uuid({ key: true, autoSequence: true }),
  firstName: attribute.string(),
  lastName: attribute.string(),
  city: attribute.string(),
  title: attribute.string(),
  born: attribute.date({ dateOnly: true }),
  isActive: attribute.bool(),
  salary: attribute.number(),
  bonus: attribute.number(),
  notes: attribute.string(),
})
const dataClasses = [Person] as const

/** Answers a replica of 100,000 entities, of which `changed` have changed, beyond the history. */
async function bytesOf(changed: number): Promise<number> {
  const store = createDataStore({
    name: 'office',
    dataClasses: [...dataClasses, ReplicaState],
    history: { commits: 10 },
  })
  const { db, wire, cut, connect } = linkTo(createRestHandler(store, { replicas: true }))
  const { Person: people } = store
  people.load(
    Array.from({ length: 100_000 }, (_, at) => ({
      firstName: `First${at % 97}`,
      lastName: `Last${at % 1009}`,
      city: `City${at % 13}`,
      title: `Title${at % 7}`,
      born: '1990-05-06',
      isActive: at % 2 === 0,
      salary: at * 7,
      bonus: at % 1000,
      notes: `a remark, number ${at}`,
    })),
  )
  const errors: unknown[] = []
  const replica = await replicate(db, {
    dataClasses,
    shapes: { Person: true },
    pauses: PAUSES,
    onError: (error) => errors.push(error),
  })
  cut()
  const keys = people.all().keys()
  store.transact((tx) => {
    for (let at = 0; at < changed; at++)
      tx.Person.update(keys[(at * 997) % keys.length]!, { salary: at + 0.5 })
  })
  for (let at = 0; at < 11; at++) people.update(keys[0]!, { salary: at + 0.5 })
  await until(() => replica.state === 'offline')
  wire.lines.length = 0
  wire.sent.length = 0
  connect()
  await until(() => replica.state === 'current')
  expect(wire.lines.join('')).toContain('"mode":"compare"')
  expect(rowsOf(replica.store.Person.all())).toEqual(rowsOf(people.all()))
  expect(errors).toEqual([])
  await replica.close()
  return [...wire.sent, ...wire.lines].join('').length
}

test.each([
  [0, 30_000],
  [100, 100_000],
  [20_000, 7_000_000],
])(
  'of 100,000 entities of which %d have changed, at most %d bytes are exchanged',
  async (changed, most) => {
    expect(await bytesOf(changed)).toBeLessThan(most)
  },
)
