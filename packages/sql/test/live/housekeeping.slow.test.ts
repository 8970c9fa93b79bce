import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { sqlModelOf } from '../../src/schema/sql-model.ts'
import { databaseTime } from '../../src/server-state/state-port.ts'
import { openModel } from '../../src/store/open-sql-store.ts'
import { checkSqlOptions } from '../../src/store/sql-options.ts'
import { describeDatabases, run } from '../database.ts'
import { bankOptions, openBank } from './bank.ts'
import { quick } from './quick.ts'

describeDatabases('housekeeping', { on: 'one' }, ({ newSchema, open }) => {
  test('keeps the newest commits and those of the last hours, and ids of commits an hour longer', async () => {
    const schema = newSchema()
    const pool = open()
    const { store, save } = await openBank(pool, schema)
    const ticks: (() => void)[] = []
    const stop = vi.fn()
    const options = bankOptions(pool, schema, { history: { commits: 3, hours: 2 } })
    const sweeping = await openModel(
      sqlModelOf(store.catalog, { schema }),
      pool,
      checkSqlOptions(options),
      databaseTime,
      quick,
      (milliseconds, tick) => {
        expect(milliseconds).toBe(60_000)
        ticks.push(tick)
        return stop
      },
    )
    const count = async (table: string) =>
      (await run(pool, `SELECT count(*) FROM "${schema}".${table}`)).rows[0]?.[0]
    const counts = async () => [await count('entia_commit'), await count('entia_change')]
    const sweep = async (expected: readonly number[]) => {
      for (const tick of ticks) tick()
      await vi.waitFor(async () => expect(await counts()).toEqual(expected), 60_000)
    }
    for (let ID = 1; ID <= 6; ID++) await save('Owner', { ID })
    await sweep([6, 3])
    await expect(store.changes({ since: 2 })[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'historyTrimmed',
    })
    const kept = store.changes({ since: 3 })[Symbol.asyncIterator]()
    expect((await kept.next()).value?.globalStamp).toBe(4)
    await kept.return?.()
    await run(
      pool,
      `UPDATE "${schema}".entia_commit SET at = at - interval '3 hours' WHERE stamp < 6`,
    )
    // So are their ids, an hour after them.
    await sweep([1, 1])
    await run(
      pool,
      `INSERT INTO "${schema}".entia_upload (id, media_type, size, content, expires)
      VALUES ('A', 'a/b', 0, '', 0)`,
    )
    for (const tick of ticks) tick()
    await vi.waitFor(async () => expect(await count('entia_upload')).toBe(0), 60_000)
    await sweeping.close()
    expect(stop).toHaveBeenCalledOnce()
  })
})

describeDatabases('trimming', { on: 'one' }, ({ newSchema, open }) => {
  test('one process deletes as many commits as all of them write in a minute', async () => {
    const schema = newSchema()
    const pool = open()
    const { store } = await openBank(pool, schema)
    const written = 12_000
    await run(
      pool,
      `INSERT INTO "${schema}".entia_commit (id, stamp, classes)
      SELECT g::text, g, '{Owner}' FROM generate_series(1, ${written}) AS g`,
    )
    await run(
      pool,
      `INSERT INTO "${schema}".entia_change (commit_id, ord, class, key, kind, stamp, timestamp)
      SELECT g::text, 0, 'Owner', '1', 'update', 2, 0 FROM generate_series(1, ${written}) AS g`,
    )
    await run(pool, `UPDATE "${schema}".entia_store SET stamp = ${written}`)
    await run(
      pool,
      `INSERT INTO "${schema}".entia_commit (id, at)
      VALUES ('given up', now() - interval '61 minutes'), ('looked up', now())`,
    )
    const ticks: (() => void)[] = []
    const trimming = await openModel(
      sqlModelOf(store.catalog, { schema }),
      pool,
      checkSqlOptions(bankOptions(pool, schema, { history: { commits: 100, hours: 24 } })),
      databaseTime,
      quick,
      (_milliseconds, tick) => {
        ticks.push(tick)
        return () => {}
      },
    )
    for (const tick of ticks) tick()
    const count = async () =>
      (await run(pool, `SELECT count(*) FROM "${schema}".entia_change`)).rows[0]?.[0]
    await vi.waitFor(async () => expect(await count()).toBe(100), 60_000)
    const givenUp = `SELECT id FROM "${schema}".entia_commit WHERE stamp IS NULL`
    expect((await run(pool, givenUp)).rows).toEqual([['looked up']])
    await trimming.close()
  })
})

describeDatabases('close', { connections: 'several', on: 'one' }, ({ newSchema, open }) => {
  test('leaves no timers and no connections', async () => {
    const handles = () =>
      process.getActiveResourcesInfo().filter((name) => /Timeout|TCP/.test(name)).length
    const before = handles()
    const { store, save } = await openBank(open(), newSchema())
    const iterator = store.changes({ since: 0 })[Symbol.asyncIterator]()
    const first = iterator.next()
    await save('Owner', { ID: 1 })
    await first
    const second = iterator.next()
    expect(handles()).toBeGreaterThan(before)
    await store.close()
    expect(await second).toEqual({ done: true, value: undefined })
    // Waits without a timer, which `handles` would count: `vi.waitFor` has two.
    const end = Date.now() + 10_000
    while (handles() > before && Date.now() < end) await nextTurn()
    expect(handles()).toBeLessThanOrEqual(before)
  })
})
