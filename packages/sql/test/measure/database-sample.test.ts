import { expect, test } from 'vitest'
import { DatabaseError } from '../../src/connect/database-error.ts'
import { DatabaseSampling } from '../../src/measure/database-sample.ts'

test('scrapes within five seconds share a sample, also a failed one', async () => {
  let now = 0
  let asked = 0
  const size = async () => 1
  const state = { sessions: { size }, locks: { size }, uploads: { size } }
  const sampling = new DatabaseSampling({
    pool: {
      query: async () => {
        asked++
        throw new DatabaseError('unavailable', null)
      },
    } as never,
    model: { schema: 'x', tables: [] } as never,
    state: { ...state, entitySets: { size: async () => ({ count: 0, bytes: 0 }) } } as never,
    monotonic: () => now,
  })
  expect(await Promise.all([sampling.take(), sampling.take()])).toEqual([null, null])
  now = 4999
  await sampling.take()
  expect(asked).toBe(1)
  now = 5000
  await sampling.take()
  expect(asked).toBe(2)
})
