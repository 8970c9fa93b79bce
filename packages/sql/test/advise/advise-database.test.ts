import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { expect, test } from 'vitest'
import { adviseModel } from '../../src/advise/advise-database.ts'
import type { SqlPool } from '../../src/connect/port.ts'
import { sqlModelOf } from '../../src/schema/sql-model.ts'
import { adviseDatabase } from '../../src/store/advise-database.ts'
import { migrateDatabase } from '../../src/store/open-sql-store.ts'
import { describeDatabases } from '../database.ts'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ indexed: true, unique: true }),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  lastName: attribute.string({ indexed: true }),
  employer: attribute.relatedEntity('Company'),
})
const model = { name: 'staff', dataClasses: [Company, Employee] }

/** A database that has counted this. */
const counted = (tables: unknown[][], indexes: unknown[][]): SqlPool =>
  ({
    query: async ({ text }: { text: string }) => {
      const rows = text.includes('pg_stat_user_indexes') ? indexes : tables
      return { rows, count: rows.length }
    },
  }) as never

const adviceFor = (tables: unknown[][], indexes: unknown[][]) =>
  adviseModel(
    sqlModelOf(createDataStore(model).catalog, { schema: 'staff' }),
    counted(tables, indexes),
  )

test('advises on tables that are scanned, not analysed, or full of dead rows', async () => {
  const advice = await adviceFor(
    [
      ['Employee', 2000, 2001, 11, 22_000, true],
      ['Company', 5000, 5000, 10, 50_000, false],
      ['other', 5000, 9000, 99, 99_999_999, true],
    ],
    [],
  )
  expect(advice.map(({ kind, place }) => [kind, place])).toEqual([
    ['notAnalysed', 'Employee'],
    ['scannedTable', 'Employee'],
    ['deadRows', 'Employee'],
  ])
  expect(advice[1]!.finding).toBe('11 scans read 22,000 rows of a table of 2,000')
})

test('reports only indexes as unused that no rule needs', async () => {
  const advice = await adviceFor(
    [],
    [
      ['Employee$lastName', 8192, null],
      ['Employee$ID', 8192, null],
      ['Employee$employer', 8192, null],
      ['Company$name', 8192, '2030-01-01'],
      ['Company$name$unique', 8192, null],
    ],
  )
  expect(advice).toEqual([
    {
      kind: 'unusedIndex',
      place: 'Employee.lastName',
      finding: 'no statement has used its index of 8 kB since the database was created',
      remedy: expect.stringContaining('entia migrate'),
    },
    expect.objectContaining({
      place: 'Company.name',
      finding: expect.stringContaining('since 2030-01-01'),
    }),
  ])
})

describeDatabases('adviseDatabase', { on: 'one' }, ({ pool, newSchema }) => {
  test('queries statistics that exist in the database', async () => {
    const options = { ...model, database: pool, schema: newSchema() }
    await migrateDatabase(options)
    expect(await adviseDatabase(options)).toEqual([])
  })
})
