import { attribute, defineDataClass } from '@entia/core'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { fraction } from '../../../core/test/fraction.ts'
import { runs } from '../../../core/test/runs.ts'
import { DatabaseError } from '../../src/connect/database-error.ts'
import { pgPool } from '../../src/pg.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import { verifyDatabase } from '../../src/store/verify-database.ts'
import { describeDatabases } from '../database.ts'
import { POOLING } from '../tested.ts'
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
        place: fraction,
        times: fc.constantFrom(1, 1, 9),
        isLate: fc.boolean(),
      })
      await fc.assert(
        fc.asyncProperty(cut, async ({ direction, place: where, times, isLate }) => {
          const message = Math.floor(where * counts[direction])
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

  test('a migration that is killed at any message has done everything or nothing, and goes on', async () => {
    const [Person, Note] = [
      defineDataClass('Person', {
        ID: attribute.long({ key: true, autoSequence: true }),
        surname: attribute.string(),
        town: attribute.string({ collation: 'exact' }),
      }),
      defineDataClass('Note', { ID: attribute.long({ key: true }), text: attribute.string() }),
    ]
    const Renamed = defineDataClass('Employee', {
      ID: attribute.long({ key: true, autoSequence: true }),
      lastName: attribute.string({ indexed: true, words: true }),
      town: attribute.string(),
      salary: attribute.number({ notNull: true, default: 7 }),
      reports: attribute.relatedEntities('Employee', 'manager'),
      manager: attribute.relatedEntity('Employee'),
    })
    const renamed = { Employee: 'Person', 'Employee.lastName': 'surname' }
    const how = { renamed, drop: true }
    const { open, newSchema } = database
    const through = () =>
      pgPool({ connectionString: place.proxy.connectionString, max: 1, ...POOLING })
    const begun = async () => {
      const options = { name: 'people', schema: newSchema() }
      const before = { ...options, database: open(), dataClasses: [Person, Note] as const }
      const after = { ...options, database: open(), dataClasses: [Renamed] as const }
      await migrateDatabase(before)
      const store = await openSqlStore(before)
      for (const surname of ['Été', 'Ada']) await store.Person.insert({ surname, town: 'Zürich' })
      await store.Note.insert({ ID: 1, text: 'x' })
      return { after, store }
    }
    const counted = await begun()
    const counts = place.proxy.count()
    const whole = through()
    const steps = await migrateDatabase({ ...counted.after, database: whole }, how)
    await whole.close()
    await counted.store.close()
    const { toServer, toClient } = { ...counts }
    const cut = fc.record({
      direction: fc.constantFrom('toServer' as const, 'toClient' as const),
      place: fraction,
      isLate: fc.boolean(),
    })
    let isDone = 0
    await fc.assert(
      fc.asyncProperty(cut, async ({ direction, place: where, isLate }) => {
        const { after, store } = await begun()
        const message = Math.floor(where * (direction === 'toServer' ? toServer : toClient))
        place.proxy.cut({ direction, message, times: 1, isLate })
        const killed = through()
        const migrating = migrateDatabase({ ...after, database: killed }, how)
        await migrating.catch((error: unknown) => expect(error).toBeInstanceOf(DatabaseError))
        place.proxy.cut(null)
        await killed.close()
        const left = await migrateDatabase(after, { ...how, dryRun: true })
        expect([[], steps]).toContainEqual(left)
        const names = ['Ada', 'Été']
        if (left.length > 0) {
          // The processes that serve the former model go on.
          await store.Person.insert({ surname: 'Zoe', town: 'Zürich' })
          names.push('Zoe')
          expect(await migrateDatabase(after, how)).toEqual(left)
        } else isDone++
        await store.close()
        const next = await openSqlStore(after)
        const rows = await next.Employee.query`town = 'zurich' and salary = 7`
          .orderBy('lastName')
          .toArray()
        expect(rows.map(({ lastName }) => lastName)).toEqual(names)
        expect((await next.Employee.insert({ lastName: 'New' })).ID).toBe(names.length + 1)
        expect((await verifyDatabase(after)).problems).toEqual([])
        await next.close()
      }),
      runs(30),
    )
    expect(isDone).toBeLessThan(runs(30).numRuns)
  })

  test('connections were broken', () => {
    expect(place.proxy.broken).toBeGreaterThan(0)
  })
})

/** The errors that `onError` gets for an unavailable database. */
const isCut = (error: unknown): boolean =>
  error instanceof Error && !('failure' in error && error.failure === 'internal')
