import { expect, test } from 'vitest'
import { DatabaseError } from '../../src/connect/database-error.ts'
import { DatabaseSampling } from '../../src/measure/database-sample.ts'

const size = async () => 1
const sampleOf = (query: () => Promise<unknown>, monotonic: () => number): DatabaseSampling =>
  new DatabaseSampling({
    pool: { query } as never,
    model: { schema: 'x', tables: [] } as never,
    state: {
      sessions: { size },
      locks: { size },
      uploads: { size },
      entitySets: { size: async () => ({ count: 0, bytes: 0 }) },
    } as never,
    monotonic,
  })

test('scrapes within five seconds share a sample, also a failed one', async () => {
  let now = 0
  let asked = 0
  const sampling = sampleOf(
    async () => {
      asked++
      throw new DatabaseError('unavailable', null)
    },
    () => now,
  )
  expect(await Promise.all([sampling.take(), sampling.take()])).toEqual([null, null])
  now = 4999
  await sampling.take()
  expect(asked).toBe(1)
  now = 5000
  await sampling.take()
  expect(asked).toBe(2)
})

// The address /rest/$operator/storage sends them as they are.
test('the members of the state of the database are in the order of the documented answer', async () => {
  const cells = ['9', '{"A":1}', '2', '3', '4', '5', '6', '7', '8', '17.2']
  const sampling = sampleOf(
    async () => ({ rows: [cells] }),
    () => 0,
  )
  const { database, entities } = (await sampling.take())!
  expect(JSON.stringify(database)).toBe(
    '{"version":"17.2","schema":"x","globalStamp":9,"bytes":4,"connections":5,"maxConnections":6,"lockWaits":7,"oldestTransactionSeconds":8,"historyCommits":2,"historyChanges":3}',
  )
  expect(entities).toEqual(new Map([['A', 1]]))
})
