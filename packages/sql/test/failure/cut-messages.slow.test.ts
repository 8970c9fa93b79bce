import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { describeDatabases } from '../database.ts'
import { type CutPlace, countMessages, cutRequest } from './cut-requests.ts'
import { messageProxy } from './message-proxy.ts'
import { KINDS } from './requests.ts'
import { migrateWorld, openWorld } from './world.ts'

/**
 * Some kinds, and some of their messages: `npm run test:long -- failure` breaks every message
 * of all.
 */
const SAMPLE = ['page', 'atomic batch', 'function', 'lock', 'live query']
const CUTS = 1

describeDatabases('cut messages', { connections: 'several', on: 'one' }, (database) => {
  const { schema, pool } = database
  const connectionString = database.connectionString!
  let place: CutPlace
  beforeAll(async () => {
    const proxy = await messageProxy(connectionString)
    await migrateWorld({ connectionString, schema })
    const world = await openWorld({ connectionString: proxy.connectionString, schema })
    const safe = await openWorld({ connectionString, schema })
    // A busy machine must not fail a test.
    const maxMilliseconds = Number.POSITIVE_INFINITY
    place = { proxy, world, safe, pool, schema, maxMilliseconds }
    return async () => {
      await Promise.all([world.close(), safe.close()])
      await proxy.close()
    }
  })

  let at = 0
  test.each(KINDS.filter(({ name }) => SAMPLE.includes(name)))(
    'the answer to "$name" is correct wherever connections break',
    async (kind) => {
      const counts = await countMessages(place, kind, `m${at++}.`)
      const cut = fc.record({
        direction: fc.constantFrom('toServer' as const, 'toClient' as const),
        place: fc.double({ min: 0, max: 0.999, noNaN: true }),
        times: fc.constantFrom(1, 1, 9),
        isLate: fc.boolean(),
      })
      await fc.assert(
        fc.asyncProperty(cut, async ({ direction, place: part, times, isLate }) => {
          const message = Math.floor(part * counts[direction])
          const { violations } = await cutRequest(place, kind, `m${at++}.`, {
            direction,
            message,
            times,
            isLate,
          })
          expect(violations).toEqual([])
        }),
        { numRuns: CUTS },
      )
      expect(place.world.failures.filter((each) => !isCut(each))).toEqual([])
    },
  )

  test('connections were broken', () => {
    expect(place.proxy.broken).toBeGreaterThan(0)
  })
})

/** The errors that `onError` gets for an unavailable database. */
const isCut = (error: unknown): boolean =>
  error instanceof Error && !('failure' in error && error.failure === 'internal')
