import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { afterEach, describe, expect, test } from 'vitest'
import type { SqlPool } from '../../src/connect/port.ts'
import { pgPool } from '../../src/pg.ts'
import { copyStore } from '../../src/store/copy-store.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import { databaseOf } from '../../src/store/store-database.ts'
import { verifyDatabase } from '../../src/store/verify-database.ts'
import { describeDatabases, run } from '../database.ts'
import { isPooled } from '../tested.ts'
import { type Pooler, poolerVersion, startPooler } from './pooler.ts'

const Owner = defineDataClass('Owner', {
  ID: attribute.long({ key: true }),
  name: attribute.string({ indexed: true }),
})

const version = poolerVersion()
const preparing = { pool_mode: 'transaction', max_prepared_statements: 200 }
const MODES: readonly (readonly [string, Readonly<Record<string, string | number>>, boolean])[] = [
  ['session', { pool_mode: 'session', default_pool_size: 20 }, true],
  ['transaction', { pool_mode: 'transaction', max_prepared_statements: 0 }, true],
  ['transaction with max_prepared_statements', preparing, (version ?? 0) >= 1.21],
]
/** A PgBouncer before 1.21 does not know the setting, and does not start with it. */
const known = (settings: Readonly<Record<string, string | number>>) => {
  const { max_prepared_statements: _, ...others } = settings
  return (version ?? 0) >= 1.21 ? settings : others
}

const isSkipped = version === null || isPooled
describe.skipIf(isSkipped)('behind PgBouncer', () => {
  describeDatabases('a store', { connections: 'several', on: 'one' }, (database) => {
    let pooler: Pooler
    let pools: SqlPool[] = []
    afterEach(async () => {
      await Promise.all(pools.map((pool) => pool.close()))
      pools = []
      await pooler.stop()
    })
    const behind = async (settings: Readonly<Record<string, string | number>>) => {
      pooler = await startPooler(database.connectionString!, known(settings))
      return (options: { readonly prepare?: boolean } = {}): SqlPool => {
        const { connectionString } = pooler
        const pool = pgPool({ connectionString, statementMilliseconds: 0, max: 5, ...options })
        pools.push(pool)
        return pool
      }
    }
    const optionsOf = (pool: SqlPool, schema: string) =>
      ({ name: 'owners', dataClasses: [Owner], database: pool, schema }) as const

    for (const [name, settings, isPossible] of MODES)
      for (const prepare of [true, false])
        test.skipIf(!isPossible)(
          `answers every request in the mode ${name}, ${prepare ? 'with' : 'without'} names`,
          async () => {
            const open = await behind(settings)
            const schema = database.newSchema()
            await migrateDatabase(optionsOf(open({ prepare }), schema))
            const stores = await Promise.all(
              [0, 1].map(() => openSqlStore(optionsOf(open({ prepare }), schema))),
            )
            const handlers = stores.map((store) => createRestHandler(store))
            const statuses = new Map<number, number>()
            const ask = async (at: number, path: string, body?: object) => {
              const method = body === undefined ? 'GET' : 'POST'
              const request = new Request(`http://owners.test/rest/${path}`, {
                method,
                ...(body === undefined ? {} : { body: JSON.stringify(body) }),
                headers: { 'content-type': 'application/json' },
              })
              const { status } = await handlers[at % 2]!.fetch(request)
              statuses.set(status, (statuses.get(status) ?? 0) + 1)
            }
            const count = 60
            await Promise.all(
              Array.from({ length: count }, async (_, at) => {
                await ask(at, 'Owner?$method=update', { ID: at, name: `n${at % 7}` })
                await ask(at, `Owner(${at})`)
                await ask(at, `Owner?$filter="name=n${at % 7}"&$top=3`)
                await stores[at % 2]!.transact(async (tx) => {
                  await tx.Owner.update(at, { name: 'again' })
                })
              }),
            )
            expect([...statuses]).toEqual([[200, 3 * count]])
            const rows = await run(database.pool, `SELECT count(*) FROM "${schema}"."Owner"`)
            expect(rows.rows).toEqual([[count]])
            await Promise.all(stores.map((store) => store.close()))
          },
        )

    test('stops naming statements that the pooler loses', async () => {
      const open = await behind({ pool_mode: 'transaction', max_prepared_statements: 0 })
      const [first, second] = [open(), open()]
      const text = (at: number) => `SELECT ${at}::integer`
      for (let round = 0; round < 5; round++)
        await Promise.all(
          [first, second].flatMap((pool) =>
            Array.from({ length: 12 }, async (_, at) => {
              expect((await run(pool, text(at))).rows).toEqual([[at]])
            }),
          ),
        )
      expect([first.prepares, second.prepares]).toContain(false)
    })

    test('migrates, opens, copies and verifies although another process has the same names', async () => {
      const open = await behind({
        pool_mode: 'transaction',
        max_prepared_statements: 0,
        default_pool_size: 1,
      })
      const schema = database.newSchema()
      const memory = createDataStore({ name: 'owners', dataClasses: [Owner] })
      const count = 2500
      memory.Owner.load(Array.from({ length: count }, (_, ID) => ({ ID, name: `n${ID}` })))
      // The second pool is as that of another process: it knows no names of the first.
      for (const pool of [open(), open()]) {
        const options = optionsOf(pool, schema)
        await migrateDatabase(options)
        await run(pool, `DELETE FROM "${schema}"."Owner"`)
        await migrateDatabase(options, { rewrite: true })
        await copyStore(memory, options)
        const copy = createDataStore({ name: 'owners', dataClasses: [Owner] })
        expect(await databaseOf(copy, { database: pool, schema }).copyOut()).toBe(count)
        expect((await verifyDatabase(options)).problems).toEqual([])
        expect(pool.prepares).toBe(true)
      }
    })

    test('refuses the mode statement by its name', async () => {
      const open = await behind({ pool_mode: 'statement' })
      const refusal = { code: 'databaseDiffers', message: expect.stringMatching(/statement mode/) }
      const options = optionsOf(open(), database.schema)
      await expect(migrateDatabase(options)).rejects.toMatchObject(refusal)
      await expect(openSqlStore(options)).rejects.toMatchObject({
        message: expect.stringMatching(/pool_mode to transaction or session/),
      })
    })

    test('names the option when the pooler refuses a parameter', async () => {
      await behind({ pool_mode: 'transaction' })
      const pool = pgPool({ connectionString: pooler.connectionString })
      pools.push(pool)
      await expect(run(pool, 'SELECT 1')).rejects.toMatchObject({
        message: expect.stringContaining('statementMilliseconds: 0'),
      })
    })
  })
})
