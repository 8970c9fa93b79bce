import { setTimeout as wait } from 'node:timers/promises'
import { attribute, defineDataClass } from '@entia/core'
import { expect, test } from 'vitest'
import { migrateDatabase, openSqlStore } from '../../src/store/open-sql-store.ts'
import { describeDatabases, run } from '../database.ts'

const Reading = defineDataClass('Reading', {
  ID: attribute.long({ key: true }),
  value: attribute.long(),
})

describeDatabases('rewritten tables', { on: 'one', connections: 'several' }, (database) => {
  test('reads that wait for a migration see the entities of the table that it rewrites', async () => {
    const { pool, schema } = database
    const options = { name: 'readings', dataClasses: [Reading], schema, database: database.open() }
    await migrateDatabase(options)
    const store = await openSqlStore(options)
    await store.load('Reading', [{ ID: 1, value: 1 }, { ID: 2 }])
    const name = `"${schema}".entia_store`
    const waiting = 'SELECT FROM pg_locks WHERE NOT granted AND relation = to_regclass($1)'
    const reads = [
      () => store.Reading.all().count(),
      () => store.Reading.query`value is null or value > ${0}`.count(),
      () => store.transact(async (tx) => (await tx.Reading.all().toArray()).length),
    ]
    for (const read of reads) {
      // What a migration does that widens an attribute.
      const reading = await database.pool.connect(async ({ send }) => {
        const text = (statement: string) => ({ name: '', text: statement, values: [] })
        await send([
          text('BEGIN'),
          text(`LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`),
          text(`ALTER TABLE "${schema}"."Reading" ALTER COLUMN value TYPE bigint`),
          text(`ALTER TABLE "${schema}"."Reading" ALTER COLUMN value TYPE integer`),
        ])
        const begun = read()
        while ((await run(pool, waiting, name)).count === 0) await wait(10)
        await send([text('COMMIT')])
        return { begun }
      })
      expect(await reading.begun).toBe(2)
    }
    await store.close()
  }, 60_000)
})
