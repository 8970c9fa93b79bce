import { attribute, defineDataClass } from '@entia/core'
import { expect, test } from 'vitest'
import { pgPool } from '../../src/pg.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import { describeDatabases } from '../database.ts'
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
})
