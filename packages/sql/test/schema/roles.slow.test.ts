import { attribute, defineDataClass } from '@entia/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pgPool } from '../../src/pg.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import { verifyDatabase } from '../../src/store/verify-database.ts'
import { describeDatabases, run } from '../database.ts'
import { isPooled } from '../tested.ts'

const Part = defineDataClass('Part', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ unique: true }),
})

// A pooler does not pass on the role.
describeDatabases('roles', { connections: 'several' }, (database) => {
  const { pool } = database
  const owner = `${database.schema}_owner`
  const user = `${database.schema}_user`
  const optionsOf = (role: string, schema: string) => {
    const address = new URL(database.connectionString!)
    address.searchParams.set('options', `-c role=${role}`)
    const own = pgPool({ connectionString: address.href, max: 2 })
    return { name: 'parts', dataClasses: [Part], database: own, schema }
  }
  const as = async <R>(
    role: string,
    schema: string,
    body: (options: ReturnType<typeof optionsOf>) => Promise<R>,
  ): Promise<R> => {
    const options = optionsOf(role, schema)
    try {
      return await body(options)
    } finally {
      await options.database.close()
    }
  }
  beforeAll(async () => {
    for (const role of [owner, user]) await run(pool, `CREATE ROLE "${role}"`)
  })
  afterAll(async () => {
    for (const role of [owner, user]) {
      await run(pool, `DROP OWNED BY "${role}" CASCADE`)
      await run(pool, `DROP ROLE "${role}"`)
    }
  })
  /** A schema with a store of the owner, to which the user may write. */
  const shared = async (): Promise<string> => {
    const schema = database.newSchema()
    await run(pool, `CREATE SCHEMA "${schema}" AUTHORIZATION "${owner}"`)
    await as(owner, schema, (options) => migrateDatabase(options))
    await run(pool, `GRANT USAGE ON SCHEMA "${schema}" TO "${user}"`)
    await run(
      pool,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${schema}" TO "${user}"`,
    )
    await run(pool, `GRANT SELECT ON ALL SEQUENCES IN SCHEMA "${schema}" TO "${user}"`)
    return schema
  }

  test.skipIf(isPooled)(
    'who owns a schema migrates it, and who may write to its tables serves them',
    async () => {
      const schema = await shared()
      await as(owner, schema, async (options) => {
        expect(await migrateDatabase(options)).toEqual([])
      })
      await as(user, schema, async (options) => {
        const store = await openSqlStore(options)
        const part = await store.Part.insert({ name: 'a' })
        await expect(store.Part.insert({ name: 'A' })).rejects.toThrow('unique')
        await store.transact((tx) => tx.Part.update(part, { name: 'b' }))
        await store.Part.remove(part)
        expect((await verifyDatabase(options)).problems).toEqual([])
      })
    },
  )

  test.skipIf(isPooled)('a missing privilege is named as such', async () => {
    const refusal = { message: expect.stringContaining('lacks a privilege') }
    await as(user, database.newSchema(), async (options) => {
      await expect(migrateDatabase(options)).rejects.toMatchObject(refusal)
    })
    const schema = await shared()
    await run(pool, `REVOKE ALL ON "${schema}".entia_store FROM "${user}"`)
    await as(user, schema, async (options) => {
      await expect(openSqlStore(options)).rejects.toMatchObject(refusal)
      await expect(verifyDatabase(options)).rejects.toMatchObject(refusal)
    })
  })

  test.skipIf(isPooled).each(['Part', 'entia_class', 'entia_sequence'])(
    'row level security of the table %s is refused where it applies',
    async (table) => {
      const schema = await shared()
      const refusal = {
        code: 'databaseDiffers',
        message: expect.stringMatching(new RegExp(`"${table}".* BYPASSRLS`)),
      }
      await run(pool, `ALTER TABLE "${schema}"."${table}" ENABLE ROW LEVEL SECURITY`)
      await as(owner, schema, async (options) => (await openSqlStore(options)).close())
      await as(user, schema, async (options) => {
        await expect(openSqlStore(options)).rejects.toMatchObject(refusal)
        expect((await verifyDatabase(options)).problems).toContainEqual(
          expect.objectContaining({ kind: 'schema', remedy: expect.stringContaining('BYPASSRLS') }),
        )
      })
      await run(pool, `ALTER TABLE "${schema}"."${table}" FORCE ROW LEVEL SECURITY`)
      await as(owner, schema, async (options) => {
        await expect(migrateDatabase(options)).rejects.toMatchObject(refusal)
      })
    },
  )

  test.skipIf(isPooled)('tables of other programs may have it', async () => {
    const schema = await shared()
    await run(pool, `CREATE TABLE "${schema}".other ()`)
    await run(pool, `ALTER TABLE "${schema}".other ENABLE ROW LEVEL SECURITY`)
    await as(user, schema, async (options) => (await openSqlStore(options)).close())
  })
})
