import { attribute, defineDataClass } from '@entia/core'
import { expect, test } from 'vitest'
import { pgPool } from '../../src/pg.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import { verifyDatabase } from '../../src/store/verify-database.ts'
import { describeDatabases, run } from '../database.ts'
import { isPooled } from '../tested.ts'

const Part = defineDataClass('Part', {
  ID: attribute.long({ key: true }),
  weight: attribute.number(),
})

describeDatabases('settings of sessions', { connections: 'several' }, (database) => {
  const optionsOf = (setting: string) => {
    const address = new URL(database.connectionString!)
    address.searchParams.set('options', setting)
    const pool = pgPool({ connectionString: address.href, max: 1 })
    return { name: 'parts', schema: database.schema, dataClasses: [Part], database: pool }
  }
  /** Settings are looked at before tables, which the schema does not have. */
  const refusalOf = async (setting: string): Promise<string> => {
    const options = optionsOf(setting)
    try {
      await openSqlStore(options)
      return ''
    } catch (error) {
      return (error as Error).message
    } finally {
      await options.database.close()
    }
  }

  test.skipIf(isPooled).each([
    ['extra_float_digits', '0', '1'],
    ['bytea_output', 'escape', 'hex'],
    ['array_nulls', 'off', 'on'],
    ['default_transaction_isolation', 'serializable', 'read committed'],
  ])('%s = %s is refused with its remedy', async (name, value, wanted) => {
    const message = await refusalOf(`-c ${name}=${value}`)
    expect(message).toContain(`The setting ${name} is "${value}" instead of "${wanted}"`)
    expect(message).toContain(`ALTER ROLE CURRENT_USER SET ${name} = '${wanted}'`)
  })

  test.skipIf(isPooled)(
    'a database of another encoding than UTF-8 is refused before anything is made',
    { timeout: 300_000 },
    async () => {
      const { connectionString } = database
      const name = `${database.schema}_ascii`
      // The server flushes all its tables first.
      const patient = pgPool({ connectionString: connectionString!, statementMilliseconds: 0 })
      await run(
        patient,
        `CREATE DATABASE "${name}" ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0`,
      )
      const address = new URL(connectionString!)
      address.pathname = `/${name}`
      const pool = pgPool({ connectionString: address.href, max: 1 })
      const options = { name: 'parts', dataClasses: [Part], database: pool }
      const refusal = {
        code: 'databaseDiffers',
        message: expect.stringMatching(/server_encoding is .* instead of "UTF8".* TEMPLATE/),
      }
      try {
        await expect(migrateDatabase(options)).rejects.toMatchObject(refusal)
        await expect(openSqlStore(options)).rejects.toMatchObject(refusal)
      } finally {
        await pool.close()
        await run(patient, `DROP DATABASE "${name}"`)
        await patient.close()
      }
    },
  )

  test.skipIf(isPooled)('a migration is refused as well, with the remedy', async () => {
    const options = optionsOf('-c default_transaction_isolation=serializable')
    await expect(migrateDatabase(options)).rejects.toThrow('ALTER ROLE CURRENT_USER SET')
    await options.database.close()
  })

  test.skipIf(isPooled)('quote_all_identifiers makes no difference', async () => {
    const Whole = defineDataClass('Whole', {
      ID: attribute.long({ key: true, autoSequence: true }),
      code: attribute.string({ collation: 'exact', unique: true }),
      name: attribute.string({ indexed: true }),
      born: attribute.date(),
      count: attribute.long64(),
      facts: attribute.object(),
      photo: attribute.image(),
      isOpen: attribute.bool(),
    })
    const options = {
      ...optionsOf('-c quote_all_identifiers=on'),
      dataClasses: [Part, Whole],
      schema: database.newSchema(),
    }
    await migrateDatabase(options)
    expect(await migrateDatabase(options)).toEqual([])
    const store = await openSqlStore(options)
    await store.Whole.insert({ name: 'a' })
    expect((await verifyDatabase(options)).problems).toEqual([])
    await store.close()
  })

  test
    .skipIf(isPooled)
    .each([
      '-c search_path=nowhere',
      '-c datestyle=German',
      '-c timezone=Pacific/Apia',
      '-c standard_conforming_strings=off',
      '-c extra_float_digits=3',
    ])('%s makes no difference', async (setting) => {
    expect(await refusalOf(setting)).toContain('The schema has no store.')
  })

  test('a schema whose name PostgreSQL would cut off is refused', async () => {
    const { pool } = database
    const options = { name: 'parts', dataClasses: [Part], database: pool }
    const refusal = { code: 'argumentInvalid', message: expect.stringContaining('64 bytes') }
    for (const schema of ['s'.repeat(64), `${'s'.repeat(62)}é`]) {
      await expect(openSqlStore({ ...options, schema })).rejects.toMatchObject(refusal)
      expect(() => migrateDatabase({ ...options, schema })).toThrow('at most 63 bytes')
    }
    const longest = { ...options, schema: `${database.newSchema()}${'s'.repeat(63)}`.slice(0, 63) }
    await migrateDatabase(longest)
    expect(await migrateDatabase(longest)).toEqual([])
    await run(pool, `DROP SCHEMA "${longest.schema}" CASCADE`)
  })
})
