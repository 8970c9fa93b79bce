import { attribute, defineDataClass } from '@entia/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SqlPool } from '../../src/connect/port.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import type { SqlStoreOptions } from '../../src/store/sql-options.ts'
import { describeDatabases, run } from '../database.ts'

const Department = defineDataClass('Department', {
  code: attribute.string({ key: true, collation: 'exact' }),
  title: attribute.string({ notNull: true, indexed: true }),
  people: attribute.relatedEntities('Person', 'department'),
})
const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true, autoSequence: true }),
  reference: attribute.uuid({ unique: true }),
  lastName: attribute.string({ notNull: true, indexed: true }),
  hired: attribute.date({ indexed: true }),
  born: attribute.date({ dateOnly: true }),
  notes: attribute.object(),
  salary: attribute.number(),
  department: attribute.relatedEntity('Department', { foreignKey: 'departmentCode' }),
  departmentCode: attribute.string({ collation: 'exact' }),
})
type Place = { readonly database: SqlPool; readonly schema: string }

const openOffice = ({ database, schema }: Place) =>
  openSqlStore({ name: 'office', dataClasses: [Department, Person], database, schema, tables })

/** The tables of another program. */
const TABLES = (schema: string): readonly string[] => [
  `CREATE TABLE "${schema}".dept (code varchar(4) PRIMARY KEY, title text NOT NULL)`,
  `CREATE TABLE "${schema}".emp (
    id serial PRIMARY KEY, ref uuid, last_name varchar(40) NOT NULL, hired timestamptz, born date,
    notes jsonb, dept varchar(4) REFERENCES "${schema}".dept, kept text DEFAULT 'x')`,
  `INSERT INTO "${schema}".dept VALUES ('A', 'Ärzte'), ('b', 'Bau')`,
  `INSERT INTO "${schema}".emp (ref, last_name, hired, born, notes, dept) VALUES
    ('0b1c2d3e-0000-4000-8000-00000000000a', 'Čapek', '2024-02-29 23:59:59.999999+02', '2000-02-29', '{"b": 1, "a": "É"}', 'A'),
    (NULL, 'capek', '0044-03-15 12:00:00+00 BC', '0044-03-15 BC', NULL, 'b'),
    ('ffffffff-ffff-4fff-bfff-ffffffffffff', 'Zola', NULL, NULL, NULL, NULL)`,
]
const tables = {
  Department: { table: 'dept', existing: true },
  Person: {
    table: 'emp',
    existing: true,
    columns: {
      ID: 'id',
      reference: 'ref',
      lastName: 'last_name',
      departmentCode: 'dept',
    },
  },
}

describeDatabases('tables that another program made', { on: 'one' }, ({ open, newSchema }) => {
  const prepared = async (...further: string[]): Promise<SqlStoreOptions & Place> => {
    const schema = newSchema()
    const database = open()
    for (const text of [`CREATE SCHEMA "${schema}"`, ...TABLES(schema), ...further])
      await run(database, text.replaceAll('%', `"${schema}"`))
    return { name: 'office', dataClasses: [Department, Person], database, schema, tables }
  }

  test('are served after a migration, which leaves them unchanged', async () => {
    // PostgreSQL has no columns of this check.
    const options = await prepared('ALTER TABLE %.emp ADD CHECK (true)')
    const { database, schema } = options
    const before = await run(database, `SELECT * FROM "${schema}".emp ORDER BY id`)
    const planned = await migrateDatabase(options, { dryRun: true })
    expect(planned).toContain('Add the column hired$ of Person')
    expect(await migrateDatabase(options)).toEqual(planned)
    expect(await migrateDatabase(options)).toEqual([])
    const shown = `SELECT id, ref, last_name, hired, born, notes, dept, kept FROM "${schema}".emp ORDER BY id`
    expect((await run(database, shown)).rows).toEqual(before.rows)

    const store = await openOffice(options)
    const people = await store.Person.all().orderBy('ID').toArray()
    expect(people.map(({ lastName, born, department }) => [lastName, born, department])).toEqual([
      ['Čapek', '2000-02-29', { key: 'A' }],
      ['capek', '-000043-03-15', { key: 'b' }],
      ['Zola', null, null],
    ])
    expect(people[0]).toMatchObject({
      reference: '0B1C2D3E000040008000' + '00000000000A',
      stamp: 1,
    })
    // Dates of Entia have milliseconds; the column keeps its microseconds.
    expect(people[0]?.hired).toBe('2024-02-29T21:59:59.999Z')
    expect(people[1]?.hired).toBe('-000043-03-15T12:00:00.000Z')
    expect(people[0]?.notes).toEqual({ a: 'É', b: 1 })
    expect(
      await store.Person.query`lastName = ${'CAPEK'} and department.title = ${'arzte'}`.count(),
    ).toBe(1)
    expect(await store.Person.query`hired > ${'2024-01-01'}`.count()).toBe(1)
    expect(await store.Department.all().orderBy('title desc').first()).toMatchObject({ code: 'b' })

    // Written values are in both columns.
    const saved = await store.Person.update(1, {
      hired: new Date('1999-12-31T23:59:59.500Z'),
      born: '1970-01-01',
      reference: 'A'.repeat(32),
      departmentCode: 'b',
      salary: 0.1,
    })
    expect(saved.kind).toBe('saved')
    const made = await store.Person.insert({ lastName: 'New', born: '-000043-03-15' })
    expect(made.ID).toBe(4)
    const written = await run(
      database,
      `SELECT ref::text, hired = '1999-12-31 23:59:59.5+00', born::text, dept, kept, salary FROM "${schema}".emp WHERE id IN (1, 4) ORDER BY id`,
    )
    expect(written.rows).toEqual([
      ['aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa', true, '1970-01-01', 'b', 'x', 0.1],
      [null, null, '0044-03-15 BC', null, 'x', null],
    ])

    // A dataclass that the model no longer has is not ours to drop.
    const without = {
      ...options,
      dataClasses: [defineDataClass('Other', { ID: attribute.long({ key: true }) })],
      tables: {},
    }
    await migrateDatabase(without, { drop: true })
    expect((await run(database, `SELECT count(*)::int FROM "${schema}".emp`)).rows).toEqual([[4]])
  })

  test('store every date in their range to the millisecond, and refuse others', async () => {
    const options = await prepared()
    await migrateDatabase(options)
    const store = await openOffice(options)
    const FIRST = -2_440_588 * 86_400_000
    const moments = fc.sample(fc.integer({ min: FIRST, max: 8.64e15 }), 400)
    moments.push(
      FIRST,
      8.64e15,
      0,
      -1,
      Date.UTC(0, 0),
      Date.parse('0000-12-31'),
      Date.parse('0001-01-01'),
    )
    const rows = moments.map((at) => ({
      lastName: `${at}`,
      hired: new Date(at),
      born: new Date(at - (((at % 86_400_000) + 86_400_000) % 86_400_000))
        .toISOString()
        .split('T')[0]!,
    }))
    await store.load('Person', rows)
    const { rows: found } = await run(
      options.database,
      `SELECT last_name, extract(epoch FROM hired) * 1000 = last_name::numeric, "born$" = born - date '1970-01-01' FROM "${options.schema}".emp WHERE hired IS NOT NULL AND id > 3`,
    )
    expect(found).toHaveLength(moments.length)
    expect(found.filter((row) => row[1] !== true || row[2] !== true)).toEqual([])
    await expect(
      store.Person.insert({ lastName: 'old', hired: new Date(FIRST - 1) }),
    ).rejects.toMatchObject({
      code: 'valueInvalid',
      message: expect.stringContaining('a date after 4714-11-23 BC'),
    })
    await expect(store.Department.insert({ code: 'too long', title: 'x' })).rejects.toThrow()
  })

  test.each([
    [
      'an infinite date',
      `UPDATE %.emp SET hired = 'infinity' WHERE id = 1`,
      'Person.hired has dates',
    ],
    [
      'another type',
      'ALTER TABLE %.emp ALTER ref TYPE text',
      'The column ref of the table emp is text',
    ],
    [
      'a required column that the model lacks',
      'ALTER TABLE %.dept ADD floor integer NOT NULL DEFAULT 1; ALTER TABLE %.dept ALTER floor DROP DEFAULT',
      'The column floor of the table dept must have a value',
    ],
    [
      'a required column that may be null in the model',
      'UPDATE %.emp SET hired = now(); ALTER TABLE %.emp ALTER hired SET NOT NULL',
      'Say "notNull: true"',
    ],
    [
      'a table with another name',
      'ALTER TABLE %.dept RENAME TO departments',
      'There is no table dept',
    ],
    [
      'values that are not unique',
      `UPDATE %.emp SET ref = 'ffffffff-ffff-4fff-bfff-ffffffffffff'`,
      'Make Person.reference unique',
    ],
  ])('%s is refused with its remedy, and changes nothing', async (_, change, message) => {
    const options = await prepared(...change.split(';'))
    await expect(migrateDatabase(options)).rejects.toMatchObject({
      code: 'databaseDiffers',
      message: expect.stringContaining(message),
    })
    const columns = `SELECT count(*)::int FROM information_schema.columns WHERE table_schema = '${options.schema}' AND column_name LIKE '%$'`
    expect((await run(options.database, columns)).rows).toEqual([[0]])
  })

  test('require the word "existing"', async () => {
    const { tables: _, ...options } = await prepared()
    const named = { ...options, tables: { Department: { table: 'dept' } } }
    await expect(migrateDatabase(named)).rejects.toThrow('say "existing: true"')
  })
})
