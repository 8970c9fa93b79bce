import { beforeAll, describe, expect, test } from 'vitest'
import { DatabaseError } from '../../src/connect/database-error.ts'
import { type After, RequestTime } from '../../src/connect/request-time.ts'
import { describeDatabases, run } from '../database.ts'
import { isPooled } from '../tested.ts'
import { messageProxy } from './message-proxy.ts'
import { migrateWorld, openWorld, type World } from './world.ts'

describe('the time limit of a request', () => {
  /** A timer that the test ends. */
  function timer() {
    let end = (): void => {}
    const after: After = (_, done) => {
      end = done
      return () => {}
    }
    return { time: new RequestTime(after, 1000), end: () => end() }
  }
  const never = new Promise<never>(() => {})
  const unavailable = { failure: 'unavailable' }

  test('ends work in progress, and work that begins later', async () => {
    const { time, end } = timer()
    const work = time.within(never)
    expect(await time.within(Promise.resolve(1))).toBe(1)
    end()
    await expect(work).rejects.toMatchObject(unavailable)
    await expect(time.within(never)).rejects.toMatchObject(unavailable)
    expect(() => time.beginCommit()).toThrow(DatabaseError)
  })

  test('ends the request at once if no time is left', async () => {
    const time = new RequestTime(() => () => {}, 0)
    expect(time.isOver).toBe(true)
    await expect(time.within(never)).rejects.toMatchObject(unavailable)
  })

  test('does not report a commit in progress or stored as a failure', async () => {
    const { time, end } = timer()
    let store = (_: string): void => {}
    const stored = new Promise<string>((resolve) => (store = resolve))
    const work = time.within(stored)
    time.beginCommit()
    const committing = time.whileCommitting(never)
    end()
    await expect(committing).rejects.toMatchObject(unavailable)
    time.endCommit(true)
    store('stored')
    expect(await work).toBe('stored')
    expect(time.isStored).toBe(true)
  })
})

/** Of one request. A slow machine may take it for the statement that follows. */
const MILLISECONDS = 700

describeDatabases('a database in trouble', { connections: 'several', on: 'one' }, (database) => {
  const { schema, pool } = database
  const connectionString = database.connectionString!
  let proxy: Awaited<ReturnType<typeof messageProxy>>
  /** Its requests end soon. */
  let world: World
  let patient: World
  beforeAll(async () => {
    await migrateWorld({ connectionString, schema })
    proxy = await messageProxy(connectionString)
    const place = { connectionString: proxy.connectionString, schema }
    world = await openWorld(place, { requests: { maxMilliseconds: MILLISECONDS } })
    patient = await openWorld({ connectionString, schema })
    return async () => {
      await Promise.all([world.close(), patient.close()])
      await proxy.close()
    }
  })
  const insert = (mark: string, of: World = world) =>
    of.ask({ method: 'POST', path: 'Item', body: { mark } })
  const isStored = async (mark: string): Promise<boolean> =>
    (await run(pool, `SELECT 1 FROM "${schema}"."Item" WHERE "mark" = $1`, mark)).count > 0
  /** Slow machines need some attempts. */
  const recovers = (mark: string) => expect.poll(async () => (await insert(mark)).status).toBe(200)

  test('a database that does not answer causes 503 in time, and is used again later', async () => {
    await recovers('before')
    proxy.hold(true)
    const all = [world.ask({ path: 'Item' }), insert('held'), world.ask({ path: '$health/ready' })]
    for (const { status, retryAfter } of await Promise.all(all))
      expect([status, retryAfter]).toEqual([503, '1'])
    expect(await isStored('held')).toBe(false)
    proxy.hold(false)
    await recovers('after')
    expect(await isStored('held')).toBe(false)
  })

  test('a statement that waits for a lock causes 503, and nothing is stored later', async () => {
    await pool.connect(async ({ send }) => {
      const lock = `LOCK TABLE "${schema}"."Item"`
      await send(['BEGIN', lock].map((text) => ({ name: text, text, values: [] })))
      expect((await insert('locked')).status).toBe(503)
    })
    await recovers('unlocked')
    await expect.poll(() => world.busy).toBe(0)
    expect(await isStored('locked')).toBe(false)
  })

  test('a full disk causes 503 without the text of the database, and reads continue', async () => {
    await run(
      pool,
      `CREATE FUNCTION "${schema}".full_disk() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE 'no space left' USING ERRCODE = '53100'; END $$`,
    )
    const place = `ON "${schema}"."Item"`
    await run(
      pool,
      `CREATE TRIGGER full_disk BEFORE INSERT ${place} EXECUTE FUNCTION "${schema}".full_disk()`,
    )
    const reply = await insert('full', patient)
    expect([reply.status, reply.retryAfter, reply.body.__ERROR]).toEqual([
      503,
      '1',
      [expect.objectContaining({ errCode: 9123 })],
    ])
    expect((await patient.ask({ path: 'Item' })).status).toBe(200)
    await run(pool, `DROP TRIGGER full_disk ${place}`)
    await recovers('space')
  })

  test.skipIf(isPooled)(
    'a read-only database causes 503 for writes, and reads continue',
    async () => {
      const address = new URL(connectionString)
      address.searchParams.set('options', '-c default_transaction_read_only=on')
      const standby = await openWorld({ connectionString: address.href, schema })
      expect((await insert('standby', standby)).status).toBe(503)
      expect((await standby.ask({ path: 'Item' })).status).toBe(200)
      expect((await standby.ask({ path: '$health/ready' })).status).toBe(200)
      await standby.close()
    },
  )
})
