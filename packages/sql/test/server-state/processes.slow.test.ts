import { createMedia, type Session } from '@entia/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  dropLocks,
  entityLocked,
  holdEntity,
  lockedRecords,
  locksOfOthers,
} from '../../src/server-state/lock-pieces.ts'
import { heldSession, holdSession } from '../../src/server-state/session-pieces.ts'
import { databaseTime } from '../../src/server-state/state-port.ts'
import { type Sql, sql } from '../../src/sql-builder/sql.ts'
import { statementOf } from '../../src/sql-builder/statement.ts'
import { describeDatabases } from '../database.ts'
import {
  createTables,
  itemAt,
  itemTable,
  listedRecords,
  processOver,
  SMALL_LIMITS,
  TestClock,
} from './world.ts'

const ANN = { ID: 'ann', userName: 'ann', fullName: 'Ann', groups: [] }

const MANY_SESSIONS = {
  ...SMALL_LIMITS,
  sessions: { ...SMALL_LIMITS.sessions, max: 100, maxGuests: 100 },
}

describeDatabases('the server state of two processes', {}, (database) => {
  beforeAll(() => createTables(database.pool, database.schema))
  const { schema, pool } = database
  const clock = new TestClock()
  const options = { cacheMilliseconds: 1000, time: databaseTime }
  const [one, other] = [pool, database.open()].map((each) =>
    processOver(each, schema, clock, options, MANY_SESSIONS),
  ) as [ReturnType<typeof processOver>, ReturnType<typeof processOver>]
  const run = (piece: Sql) => pool.query(statementOf(piece))
  const insert = (record: number) =>
    run(sql`INSERT INTO ${itemTable(schema).name} (_rec, _stamp, "ID", v)
      VALUES (${record}::bigint, 1, ${record}::integer, 0)`)

  test('a logout takes effect in another process when its cached session has expired', async () => {
    const session = await one.sessions.open({ user: ANN })
    const ended: string[] = []
    const there = (await other.sessions.touch(session.token)) as Session
    const watch = other.sessions.whenEnded(there, () => ended.push(there.id))
    watch.check()
    await one.sessions.close(session.token)
    expect(await one.sessions.touch(session.token)).toBeUndefined()
    expect((await other.sessions.touch(session.token))?.id).toBe(session.id)
    clock.time += 1000
    expect(await other.sessions.touch(session.token)).toBeUndefined()
    watch.check()
    await expect.poll(() => ended).toEqual([session.id])
    await expect(other.locks.lock(itemAt(schema, 1), there)).rejects.toMatchObject({
      code: 'argumentInvalid',
    })
  })

  test('the database contains neither tokens nor claims of identified users', async () => {
    const session = await one.sessions.open({ user: { ...ANN, claims: { tenant: 7 } } })
    const identified = await one.sessions.identified({ ...ANN, claims: { secret: 8n } })
    expect(identified.user?.claims).toEqual({ secret: 8n })
    expect((await other.sessions.touch(session.token))?.user?.claims).toEqual({ tenant: 7 })
    const { rows } = await run(sql`SELECT s::text FROM ${one.port.tables.session} s`)
    const text = JSON.stringify(rows)
    for (const { token } of [session, identified]) {
      expect(text).not.toContain(token)
      expect(text).not.toContain(Buffer.from(token).toString('hex'))
    }
    expect(await other.sessions.touch(identified.token)).toBeUndefined()
    expect((await other.sessions.identified(ANN)).id).toBe(identified.id)
    await expect(
      one.sessions.open({ user: { ...ANN, claims: { at: () => 1 } } }),
    ).rejects.toMatchObject({ code: 'argumentInvalid' })
  })

  test('texts that PostgreSQL cannot hold open a session and find nothing', async () => {
    const user = { ...ANN, ID: 'a\0\ud800', userName: '\0' }
    const session = await one.sessions.open({ user, userAgent: 'a\0b', ipAddress: '\0' })
    expect((await other.sessions.touch(session.token))?.user).toEqual(user)
    expect(session.userAgent).toBe('a\ufffdb')
    expect((await one.sessions.login(session.token, user)).id).toBe(session.id)
    expect((await one.sessions.identified(user)).user).toEqual(user)
    expect(await one.sessions.touch('\0')).toBeUndefined()
    expect(await one.sessions.close('\0')).toBe(false)
    expect(await one.entitySets.get('\0')).toBeUndefined()
    expect(await one.uploads.get('\ud800')).toBeUndefined()
  })

  test('a session that is used every second is not ended by its cache', async () => {
    const local = processOver(pool, schema, clock, { cacheMilliseconds: 1000 }, MANY_SESSIONS)
    const { token } = await local.sessions.open({ lifetimeSeconds: 1 })
    for (let at = 0; at < 20; at++) {
      clock.time += 400
      expect(await local.sessions.touch(token)).toBeDefined()
    }
    clock.time += 1000
    expect(await local.sessions.touch(token)).toBeUndefined()
  })

  test('identified users get one session each from concurrent calls', async () => {
    const user = { ...ANN, ID: 'side by side' }
    const found = await Promise.all(
      Array.from({ length: 12 }, (_, at) => [one, other][at % 2]!.sessions.identified(user)),
    )
    expect(new Set(found.map(({ id }) => id)).size).toBe(1)
  })

  test('a page of a set has the right members, whatever chunks they are in', async () => {
    const records = Array.from({ length: 3000 }, (_, at) => 100_000 + ((at * 7) % 3000))
    const wide = processOver(pool, schema, clock, options, {
      ...SMALL_LIMITS,
      entitySets: { max: 10, maxPerSession: 10, maxBytes: 100_000 },
    })
    const id = await wide.entitySets.create('Item', listedRecords(records), { sorted: true })
    const set = (await wide.entitySets.get(id))!
    expect(set).toMatchObject({ size: 3000, sorted: true, dataClass: 'Item' })
    for (const [skip, top] of [
      [0, 3],
      [1020, 8],
      [2047, 2],
      [2998, 100],
      [3000, 5],
      [0, 0],
    ]) {
      const window = { skip: skip!, top: top! }
      const members = (await wide.entitySets.members(set, window))!
      const { rows } = await run(sql`SELECT m.rec, m.n FROM (${members}) m ORDER BY m.n`)
      expect(rows.map(([record]) => record)).toEqual(records.slice(skip, skip! + top!))
    }
    await expect(
      one.entitySets.create('Item', listedRecords(records), { sorted: true }),
    ).rejects.toMatchObject({ code: 'budgetExceeded' })
    await expect(
      wide.entitySets.create('Item', listedRecords(Array(12_501).fill(1)), { sorted: true, id }),
    ).rejects.toMatchObject({ code: 'budgetExceeded' })
    expect((await wide.entitySets.peek(id))?.size).toBe(3000)
    const [again] = await Promise.all(
      [1, 2].map((record) =>
        wide.entitySets.create('Item', listedRecords([record]), { sorted: false, id }),
      ),
    )
    expect(await wide.entitySets.peek(again!)).toMatchObject({ id, size: 1, sorted: false })
  })

  test('a sweep deletes only what has expired', async () => {
    const local = processOver(pool, schema, clock, {}, MANY_SESSIONS)
    const short = await local.sessions.open({ lifetimeSeconds: 10 })
    const long = await local.sessions.open({ lifetimeSeconds: 100 })
    await insert(200_000)
    await local.locks.lock(itemAt(schema, 200_000), short)
    await local.entitySets.create('Item', listedRecords([1]), { sorted: true, owner: short })
    await local.uploads.put(createMedia('image/png', new Uint8Array(1)), { lifetimeSeconds: 10 })
    clock.time += 10_000
    while ((await local.sweep()) > 0) {}
    expect(await local.sessions.touch(long.token)).toBeDefined()
    const { session, set, upload } = local.port.tables
    for (const table of [session, set, upload]) {
      const { rows } = await run(
        sql`SELECT count(*) FROM ${table} WHERE expires <= ${clock.time}::double precision`,
      )
      expect(rows).toEqual([[0]])
    }
    expect(await local.locks.probe(itemAt(schema, 200_000))).toEqual({ kind: 'locked' })
  })
})

describeDatabases('locks under load', { connections: 'several' }, (database) => {
  const { schema } = database
  const clock = new TestClock()
  const pools = [0, 1].map(() => database.open({ max: 3 }))
  const processes = pools.map((pool) =>
    processOver(pool, schema, clock, { time: databaseTime }, MANY_SESSIONS),
  )
  beforeAll(() => createTables(database.pool, schema))
  afterAll(() => Promise.all(pools.map((pool) => pool.close())))

  test('no write changes an entity that another session has locked', async () => {
    const { name } = itemTable(schema)
    await database.pool.query(
      statementOf(sql`INSERT INTO ${name} (_rec, _stamp, "ID", v) VALUES (1, 1, 1, 0)`),
    )
    // The observations of writers; the holder reports itself, between `lock` and `unlock`.
    let holder: string | null = null
    let [taken, written, refused] = [0, 0, 0]
    const violations: string[] = []
    const lockerOf = async (at: number): Promise<void> => {
      const { sessions, locks } = processes[at]!
      const session = await sessions.open()
      for (let turn = 0; turn < 60; turn++) {
        const outcome = await locks.lock(itemAt(schema, 1), session)
        if (outcome.kind !== 'locked') continue
        if (holder !== null) violations.push(`${session.id} beside ${holder}`)
        holder = session.id
        taken++
        const { rows } = await pools[at]!.query(statementOf(sql`SELECT v FROM ${name}`))
        await new Promise((resolve) => setTimeout(resolve, turn % 4))
        const later = await pools[at]!.query(statementOf(sql`SELECT v FROM ${name}`))
        if (later.rows[0]![0] !== rows[0]![0]) violations.push('a write beside a lock')
        holder = null
        await locks.unlock(itemAt(schema, 1), session)
      }
    }
    const writerOf = async (at: number): Promise<void> => {
      const { sessions, port } = processes[at]!
      const session = await sessions.open()
      for (let turn = 0; turn < 100; turn++)
        await pools[at]!.connect(async (connection) => {
          const [, held, , locks] = await connection.send(
            [
              sql`BEGIN`,
              holdSession(port, session.id),
              holdEntity(itemAt(schema, 1)),
              locksOfOthers(port, sql`SELECT 'Item'::text, 1::bigint`, session.id),
            ].map(statementOf),
          )
          heldSession(held!)
          const [locked] = lockedRecords(locks!)
          if (locked !== undefined) {
            expect(entityLocked(locked, 1).code).toBe('entityLocked')
            refused++
            return
          }
          await connection.send(
            [sql`UPDATE ${name} SET v = v + 1`, dropLocks(port, 'Item', [2]), sql`COMMIT`].map(
              statementOf,
            ),
          )
          written++
        })
    }
    await Promise.all([lockerOf(0), lockerOf(1), writerOf(0), writerOf(1), writerOf(0)])
    expect(violations).toEqual([])
    expect(Math.min(taken, written, refused)).toBeGreaterThan(0)
  })

  test('exactly one of many sessions that lock an entity at once gets it', async () => {
    const { name } = itemTable(schema)
    const sessions = await Promise.all(
      Array.from({ length: 8 }, (_, at) => processes[at % 2]!.sessions.open()),
    )
    for (let record = 10; record < 40; record++) {
      await database.pool.query(
        statementOf(sql`INSERT INTO ${name} (_rec, _stamp, "ID", v)
          VALUES (${record}::bigint, 1, ${record}::integer, 0)`),
      )
      const outcomes = await Promise.all(
        sessions.map((session, at) =>
          processes[at % 2]!.locks.lock(itemAt(schema, record), session),
        ),
      )
      const winners = outcomes.filter(({ kind }) => kind === 'locked')
      expect(winners).toHaveLength(1)
      const winner = sessions[outcomes.indexOf(winners[0]!)]!
      const process = processes[sessions.indexOf(winner) % 2]!
      const target = itemAt(schema, record)
      expect(await process.locks.probe(target)).toMatchObject({ holder: { id: winner.id } })
      await process.locks.unlock(target, winner)
    }
  })

  test('a logout waits for the writes of its session, and no write follows it', async () => {
    const { sessions, port } = processes[0]!
    const session = await sessions.open({ user: ANN })
    let isClosed = false
    const closing = await pools[1]!.connect(async (connection) => {
      await connection.send([sql`BEGIN`, holdSession(port, session.id)].map(statementOf))
      const closing = sessions.close(session.token).then((result) => {
        isClosed = true
        return result
      })
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(isClosed).toBe(false)
      await connection.send([statementOf(sql`COMMIT`)])
      return { closing }
    })
    expect(await closing.closing).toBe(true)
    const found = await pools[1]!.query(statementOf(holdSession(port, session.id)))
    expect(() => heldSession(found)).toThrow(/not one that has ended/)
  })
})
