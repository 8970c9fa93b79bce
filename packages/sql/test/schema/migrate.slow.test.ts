import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { attribute, defineDataClass } from '@entia/core'
import { type buildCatalog as Build, buildCatalog } from '@entia/core/internal'
import { describe, expect, test } from 'vitest'
import type { SqlPool } from '../../src/connect/port.ts'
import { pgPool } from '../../src/pg.ts'
import { checkDatabase, type MigrateOptions, migrate } from '../../src/schema/migrate.ts'
import { encode, writtenColumns } from '../../src/schema/row-codec.ts'
import { type SqlModel, sqlModelOf } from '../../src/schema/sql-model.ts'
import { joined, sql } from '../../src/sql-builder/sql.ts'
import { statementOf, statementOfText } from '../../src/sql-builder/statement.ts'
import { BEGIN, COMMIT } from '../../src/sql-builder/transaction.ts'
import { migrateModel, UNICODE } from '../../src/store/migrate-database.ts'
import { verifyModel } from '../../src/verify/verify-database.ts'
import { describeDatabases, run } from '../database.ts'
import { isPooled } from '../tested.ts'

type DataClasses = Parameters<typeof Build>[0]['dataClasses']
type Attributes = Parameters<typeof defineDataClass>[1]

const options: MigrateOptions = {
  newInstance: () => 'instance',
  unicode: '17.0',
}
const modelOf = (schema: string, dataClasses: DataClasses): SqlModel =>
  sqlModelOf(buildCatalog({ name: 'test', dataClasses }), { schema })

const ID = attribute.long({ key: true, autoSequence: true })
const employee = (attributes: Attributes) => [defineDataClass('Employee', { ID, ...attributes })]
const Company = defineDataClass('Company', { ID, name: attribute.string() })
const BASE: Attributes = {
  name: attribute.string({ indexed: true }),
  code: attribute.string({ collation: 'exact' }),
  salary: attribute.long({ notNull: true }),
  notes: attribute.object(),
  photo: attribute.image(),
}
const ROWS = [
  [1, 'Élan', 'x', 10, { a: 'É' }, null],
  [2, 'ß', 'y', 20, null, null],
  [3, null, null, 30, { b: ['Ω'] }, null],
] as const

interface Change {
  readonly title: string
  readonly from?: DataClasses
  readonly to: DataClasses
  readonly options?: Partial<MigrateOptions>
  /** A part of the text of the expected step; undefined if no step is expected. */
  readonly step?: string
  /** A part of the refusal. */
  readonly refused?: string
  /** A query of the schema %, and its rows. */
  readonly shows?: readonly [text: string, rows: readonly (readonly unknown[])[]]
}
const without = (name: string): Attributes =>
  Object.fromEntries(Object.entries(BASE).filter(([each]) => each !== name))
const related = (onDelete: 'restrict' | 'cascade') => [
  Company,
  defineDataClass('Employee', {
    ID,
    ...BASE,
    employer: attribute.relatedEntity('Company', { onDelete }),
  }),
]

const [plain, key] = [attribute.long(), attribute.long({ key: true })]
const TEAM_BY_ID = defineDataClass('Team', { ID: key, code: plain })
const TEAM_BY_CODE = defineDataClass('Team', { ID: plain, code: key })

const CHANGES: readonly Change[] = [
  { title: 'nothing', to: employee(BASE) },
  {
    title: 'a dataclass is added',
    to: [...employee(BASE), Company],
    step: 'Add the dataclass Company',
  },
  {
    title: 'a dataclass is removed and kept',
    from: [...employee(BASE), Company],
    to: employee(BASE),
  },
  {
    title: 'a dataclass is dropped',
    from: [...employee(BASE), Company],
    to: employee(BASE),
    options: { drop: true },
    step: 'Drop the dataclass Company',
    shows: [
      `SELECT to_regclass('%."Company"')::text, (SELECT count(*)::int FROM %.entia_class)`,
      [[null, 1]],
    ],
  },
  {
    title: 'a dataclass is removed and kept, and no longer refers to the others',
    from: [
      ...employee(BASE),
      defineDataClass('Team', { ID, lead: attribute.relatedEntity('Employee') }),
    ],
    to: employee(BASE),
    step: 'Drop the constraint Team$lead$relation',
  },
  {
    title: 'another attribute becomes the key that relations refer to',
    from: [TEAM_BY_ID, ...employee({ ...BASE, team: attribute.relatedEntity('Team') })],
    to: [TEAM_BY_CODE, ...employee({ ...BASE, team: attribute.relatedEntity('Team') })],
    step: 'Relate Employee.team to Team',
  },
  {
    title: 'a dataclass is renamed',
    to: [defineDataClass('Person', { ID, ...BASE })],
    options: { renamed: { Person: 'Employee' } },
    step: 'Rename the dataclass Employee to Person',
    shows: [
      'SELECT count(*)::int, (SELECT next::int FROM %.entia_sequence WHERE class = \'Person\') FROM %."Person"',
      [[3, 4]],
    ],
  },
  {
    title: 'a dataclass is renamed to a name that another rename leaves',
    from: [...employee(BASE), Company],
    to: [
      defineDataClass('Company', { ID, ...BASE }),
      defineDataClass('Firm', { ID, name: attribute.string() }),
    ],
    options: { renamed: { Company: 'Employee', Firm: 'Company' } },
    step: 'Rename the dataclass Company to Firm',
    shows: ['SELECT count(*)::int FROM %."Company"', [[3]]],
  },
  {
    title: 'a nullable attribute is added',
    to: employee({ ...BASE, age: attribute.long() }),
    step: 'Add the column age',
  },
  {
    title: 'an attribute with a default is added',
    to: employee({ ...BASE, age: attribute.long({ default: 7, notNull: true }) }),
    step: 'Write the default value of Employee.age',
    shows: ['SELECT age FROM %."Employee"', [[7], [7], [7]]],
  },
  {
    title: 'folded text with a default is added',
    to: employee({ ...BASE, city: attribute.string({ default: 'Zürich' }) }),
    step: 'Write the default value',
    shows: ['SELECT DISTINCT city, "city$" FROM %."Employee"', [['Zürich', 'zurich']]],
  },
  {
    title: 'an attribute that is not null is added without a default',
    to: employee({ ...BASE, age: attribute.long({ notNull: true }) }),
    refused:
      'Refuse null in Employee.age: entities that exist do not obey this: Employee 1 with null; Employee 2 with null. Change',
  },
  { title: 'an attribute is removed and kept', to: employee(without('code')) },
  {
    title: 'a not-null attribute is removed',
    to: employee(without('salary')),
    step: 'Keep the column salary',
  },
  {
    title: 'an attribute is dropped',
    to: employee(without('name')),
    options: { drop: true },
    step: 'Drop the column name$',
  },
  {
    title: 'an attribute is renamed',
    to: employee({ ...without('name'), surname: attribute.string({ indexed: true }) }),
    options: { renamed: { 'Employee.surname': 'name' } },
    step: 'Rename the index Employee$name',
    shows: [
      'SELECT surname, "surname$" FROM %."Employee" ORDER BY "ID"',
      [
        ['Élan', 'elan'],
        ['ß', 'ss'],
        [null, null],
      ],
    ],
  },
  {
    title: 'an attribute is renamed to a name that another rename leaves',
    to: employee({
      ...without('name'),
      code: attribute.string({ indexed: true }),
      mark: attribute.string({ collation: 'exact' }),
    }),
    options: { renamed: { 'Employee.code': 'name', 'Employee.mark': 'code' } },
    step: 'Rename the column code of Employee to mark',
    shows: [
      'SELECT code, mark FROM %."Employee" ORDER BY "ID"',
      [
        ['Élan', 'x'],
        ['ß', 'y'],
        [null, null],
      ],
    ],
  },
  {
    title: 'the key that relations refer to is renamed',
    from: related('restrict'),
    to: [
      defineDataClass('Company', {
        number: attribute.long({ key: true, autoSequence: true }),
        name: attribute.string(),
      }),
      related('restrict')[1]!,
    ],
    options: { renamed: { 'Company.number': 'ID' } },
    step: 'Rename the column ID of Company to number',
  },
  {
    title: 'two attributes exchange their names',
    to: employee(BASE),
    options: { renamed: { 'Employee.name': 'code', 'Employee.code': 'name' } },
    refused: '"renamed" exchanges the names Employee.name, Employee.code',
  },
  {
    title: 'a rename to a name that the model lacks',
    to: employee(BASE),
    options: { renamed: { 'Employee.surname': 'name' } },
    refused: 'the model has no Employee.surname. If name is the new name, exchange the two.',
  },
  {
    title: 'a rename of an attribute under the old name of its dataclass',
    to: [defineDataClass('Person', { ID, ...without('name'), surname: attribute.string() })],
    options: { renamed: { Person: 'Employee', 'Employee.surname': 'name' } },
    refused: 'Employee is called Person now: rename its attributes under that name.',
  },
  {
    title: 'a rename of which both names exist',
    to: employee(BASE),
    options: { renamed: { 'Employee.name': 'code' } },
    refused: 'the database has both',
  },
  {
    title: 'a rename from a misspelt attribute',
    to: employee({ ...without('name'), surname: attribute.string({ indexed: true }) }),
    options: { renamed: { 'Employee.surname': 'nmae' } },
    refused: 'the database has no Employee.nmae. It has name, which the model has not',
  },
  {
    title: 'a rename from a misspelt dataclass',
    to: [defineDataClass('Person', { ID, ...BASE })],
    options: { renamed: { Person: 'Employe' } },
    refused: 'the database has no Employe. It has Employee, which the model has not',
  },
  {
    title: 'a rename whose old name no database of this age has had',
    to: employee({ ...BASE, surname: attribute.string() }),
    options: { renamed: { 'Employee.surname': 'family' } },
    step: 'Add the column surname',
  },
  {
    title: 'an index is added',
    to: employee({ ...BASE, code: attribute.string({ collation: 'exact', indexed: true }) }),
    step: 'Index Employee.code',
  },
  {
    title: 'an index is removed',
    to: employee({ ...BASE, name: attribute.string() }),
    step: 'Drop the index Employee$name',
  },
  {
    title: 'an index of words is added',
    to: employee({ ...BASE, name: attribute.string({ indexed: true, words: true }) }),
    step: 'Index the words of Employee.name',
    shows: [
      `SELECT %.entia_words("name$")::text FROM %."Employee"`,
      [["'elan'"], ["'ss'"], [null]],
    ],
  },
  {
    title: 'an index of words is removed',
    from: employee({ ...BASE, code: attribute.string({ words: true }) }),
    to: employee({ ...BASE, code: attribute.string() }),
    step: 'Drop the index Employee$code$words',
    shows: [`SELECT to_regclass('%."Employee$code$words"')::text`, [[null]]],
  },
  {
    title: 'the folded text of an index of words becomes exact',
    from: employee({ ...BASE, code: attribute.string({ words: true }) }),
    to: employee({ ...BASE, code: attribute.string({ words: true, collation: 'exact' }) }),
    step: 'Index the words of Employee.code',
    shows: [
      `SELECT right(pg_get_indexdef(indexrelid, 1, false), 18) FROM pg_index
        WHERE indexrelid = '%."Employee$code$words"'::regclass`,
      [['.entia_words(code)']],
    ],
  },
  {
    title: 'the exact text of an index of words becomes folded',
    from: employee({ ...BASE, code: attribute.string({ words: true, collation: 'exact' }) }),
    to: employee({ ...BASE, code: attribute.string({ words: true }) }),
    step: 'Drop the index Employee$code$words',
  },
  {
    title: 'an attribute with an index of words is renamed',
    from: employee({ ...BASE, name: attribute.string({ words: true }) }),
    to: employee({ ...without('name'), surname: attribute.string({ words: true }) }),
    options: { renamed: { 'Employee.surname': 'name' } },
    step: 'Rename the index Employee$name$words',
  },
  {
    title: 'a dataclass with an index of words is renamed',
    from: employee({ ...BASE, name: attribute.string({ words: true }) }),
    to: [defineDataClass('Person', { ID, ...BASE, name: attribute.string({ words: true }) })],
    options: { renamed: { Person: 'Employee' } },
    step: 'Rename the index Employee$name$words',
  },
  {
    title: 'a unique value is added',
    to: employee({ ...BASE, salary: attribute.long({ notNull: true, unique: true }) }),
    step: 'Make Employee.salary unique',
  },
  {
    title: 'a unique value that is not unique',
    to: employee({ ...BASE, age: attribute.long({ default: 1, unique: true }) }),
    refused:
      'Make Employee.age unique: entities that exist do not obey this: Employee 1 with the number 1 and Employee 2 with the number 1. Change',
  },
  {
    title: 'a unique value is removed',
    from: employee({ ...BASE, salary: attribute.long({ notNull: true, unique: true }) }),
    to: employee(BASE),
    step: 'Drop the constraint Employee$salary$unique',
  },
  {
    title: 'null is refused',
    to: employee({ ...BASE, name: attribute.string({ indexed: true, notNull: true }) }),
    refused: 'Refuse null in Employee.name',
  },
  {
    title: 'null is allowed',
    to: employee({ ...BASE, salary: attribute.long() }),
    step: 'Allow null in Employee.salary',
  },
  {
    title: 'long becomes long64',
    to: employee({ ...BASE, salary: attribute.long64({ notNull: true }) }),
    step: 'Widen Employee.salary to bigint',
  },
  {
    title: 'long becomes number',
    to: employee({ ...BASE, salary: attribute.number({ notNull: true }) }),
    step: 'Widen Employee.salary to double',
  },
  {
    title: 'long becomes text',
    to: employee({ ...BASE, salary: attribute.string() }),
    refused: 'Employee.salary is integer in the database and text in the model',
  },
  {
    title: 'text becomes a number',
    to: employee({ ...BASE, code: attribute.number() }),
    refused: 'Employee.code is text in the database',
  },
  {
    title: 'a day becomes a moment',
    from: employee({ ...BASE, hired: attribute.date({ dateOnly: true }) }),
    to: employee({ ...BASE, hired: attribute.date() }),
    refused: 'Employee.hired is integer in the database and bigint in the model',
  },
  {
    title: 'long becomes a moment',
    to: employee({ ...BASE, salary: attribute.date({ notNull: true }) }),
    refused: 'Employee.salary is integer in the database and bigint in the model',
  },
  {
    title: 'long becomes a day',
    to: employee({ ...BASE, salary: attribute.date({ dateOnly: true, notNull: true }) }),
    refused: 'Employee.salary is integer in the database and dateOnly in the model',
  },
  {
    title: 'a day becomes long64',
    from: employee({ ...BASE, hired: attribute.date({ dateOnly: true }) }),
    to: employee({ ...BASE, hired: attribute.long64() }),
    refused: 'Employee.hired is integer in the database and bigint in the model',
  },
  {
    title: 'a moment becomes long64 under another name',
    from: employee({ ...BASE, hired: attribute.date() }),
    to: employee({ ...BASE, since: attribute.long64() }),
    options: { renamed: { 'Employee.since': 'hired' } },
    refused: 'Employee.since is date in the database and bigint in the model',
  },
  {
    title: 'text becomes a UUID',
    to: employee({ ...BASE, code: attribute.uuid() }),
    refused: 'Employee.code is text in the database and uuid in the model',
  },
  {
    title: 'a UUID becomes text',
    from: employee({ ...BASE, code: attribute.uuid() }),
    to: employee({ ...BASE, code: attribute.string() }),
    step: 'Write the keys of Employee.code',
  },
  {
    title: 'exact text becomes folded',
    to: employee({ ...BASE, code: attribute.string() }),
    step: 'Write the keys of Employee.code',
    shows: ['SELECT "code$" FROM %."Employee" ORDER BY "ID"', [['x'], ['y'], [null]]],
  },
  {
    title: 'folded text becomes exact',
    to: employee({ ...BASE, name: attribute.string({ indexed: true, collation: 'exact' }) }),
    step: 'Drop the index Employee$name',
  },
  {
    title: 'a relation is added',
    to: related('restrict'),
    step: 'Relate Employee.employer to Company',
  },
  {
    title: 'a relation to entities that do not exist',
    to: [Company, ...employee({ ...BASE, salary: attribute.relatedEntity('Company') })],
    refused:
      'Relate Employee.salary to Company: entities that exist do not obey this: Employee 1 with the number 10; Employee 2 with the number 20. Change',
  },
  { title: 'the rule of a relation changes', from: related('restrict'), to: related('cascade') },
  {
    title: 'a relation is removed',
    from: related('restrict'),
    to: [Company, ...employee(BASE)],
    step: 'Drop the constraint Employee$employer$relation',
  },
  {
    title: 'rules that core keeps change',
    to: employee({ ...BASE, salary: attribute.long({ notNull: true, min: 0, max: 99 }) }),
  },
  {
    title: 'Unicode goes on',
    to: employee(BASE),
    options: { unicode: '18.0' },
    step: 'Unicode 18.0',
    shows: [
      `SELECT "name$", "notes$" FROM %."Employee" ORDER BY "ID"`,
      [
        ['elan', '{"a": "e"}'],
        ['ss', null],
        [null, '{"b": ["ω"]}'],
      ],
    ],
  },
]

describeDatabases('migrate', { on: 'one' }, (database) => {
  const { pool } = database
  const fill = async ({ tables }: SqlModel): Promise<void> => {
    const table = tables.find(({ model }) => model.name === 'Employee')!
    for (const [at, row] of ROWS.entries()) {
      const values = [...row, ...Array(table.columns.length).fill(null)].slice(
        0,
        table.columns.length,
      )
      const names = table.columns.flatMap(writtenColumns)
      await pool.query(
        statementOf(
          sql`INSERT INTO ${table.name} (_rec, _stamp, _ts, ${joined(names, sql`, `)})
            VALUES (${at}, 1, 0, ${joined(
              table.columns.flatMap((column, i) => encode(column, values[i] ?? null)),
              sql`, `,
            )})`,
        ),
      )
    }
  }

  test.each(CHANGES)(
    '$title',
    async ({ from = employee(BASE), to, refused, step, shows, ...rest }) => {
      const schema = database.newSchema()
      const before = modelOf(schema, from)
      const changed = { ...options, ...rest.options }
      expect(await migrate(pool, before, options)).toContain('Make the store test')
      await fill(before)
      if (rest.options?.unicode !== undefined)
        await run(
          pool,
          `UPDATE "${schema}"."Employee" SET "name$" = 'old', "notes$" = NULL WHERE name IS NOT NULL`,
        )
      await checkDatabase(pool, before, options.unicode)
      const after = modelOf(schema, to)
      if (refused !== undefined) {
        await expect(migrate(pool, after, changed)).rejects.toMatchObject({
          code: 'databaseDiffers',
          message: expect.stringContaining(refused),
        })
        // Nothing was done.
        await checkDatabase(pool, before, options.unicode)
        return
      }
      const planned = await migrate(pool, after, { ...changed, dryRun: true })
      if (step === undefined) expect(planned).toEqual([])
      else {
        expect(planned).toContainEqual(expect.stringContaining(step))
        if (changed.drop !== true)
          await expect(checkDatabase(pool, after, changed.unicode)).rejects.toMatchObject({
            code: 'databaseDiffers',
            message: expect.stringContaining('Run "entia migrate"'),
          })
      }
      expect(await migrate(pool, after, changed)).toEqual(planned)
      expect(await migrate(pool, after, changed)).toEqual([])
      await checkDatabase(pool, after, changed.unicode)
      if (shows !== undefined)
        expect((await run(pool, shows[0].replaceAll('%', `"${schema}"`))).rows).toEqual(shows[1])
    },
  )

  test('a dataclass takes the name of one that was dropped, with its own sequence', async () => {
    const schema = database.newSchema()
    const [one, two] = ['One', 'Two'].map((name) => defineDataClass(name, { ID }))
    await migrate(pool, modelOf(schema, [one!, two!]), options)
    await run(pool, `UPDATE "${schema}".entia_sequence SET next = 9 WHERE class = 'One'`)
    await migrate(pool, modelOf(schema, [one!]), { ...options, drop: true })
    await migrate(pool, modelOf(schema, [two!]), { ...options, renamed: { Two: 'One' } })
    const kept = await run(pool, `SELECT class, next::int FROM "${schema}".entia_sequence`)
    expect(kept.rows).toEqual([['Two', 9]])
  })

  test('a refused migration names the first two pairs with a value, in their own spelling', async () => {
    const schema = database.newSchema()
    const hired = attribute.date({ dateOnly: true })
    const model = modelOf(schema, employee({ ...BASE, hired }))
    await migrate(pool, model, options)
    await fill(model)
    await run(
      pool,
      `INSERT INTO "${schema}"."Employee" (_rec, _stamp, _ts, "ID", name, "name$", salary)
        VALUES (7, 1, 0, 9, 'ELAN', 'elan', 1), (8, 1, 0, 4, 'SS', 'ss', 1), (9, 1, 0, 5, 'ss', 'ss', 1)`,
    )
    await run(pool, `UPDATE "${schema}"."Employee" SET hired = 20000 WHERE "ID" IN (2, 4)`)
    const uniquely = (attributes: Attributes) =>
      migrate(pool, modelOf(schema, employee({ ...BASE, hired, ...attributes })), options)
    await expect(uniquely({ name: attribute.string({ unique: true }) })).rejects.toThrow(
      'this: Employee 1 with the text "Élan" and Employee 9 with the text "ELAN"; Employee 2 with the text "ß" and Employee 4 with the text "SS". Change',
    )
    await expect(
      uniquely({ hired: attribute.date({ dateOnly: true, unique: true }) }),
    ).rejects.toThrow(
      'this: Employee 2 with the text "2024-10-04" and Employee 4 with the text "2024-10-04". Change',
    )
  })

  test('a sequence that comes back continues after the keys given meanwhile', async () => {
    const schema = database.newSchema()
    const model = modelOf(schema, employee(BASE))
    await migrate(pool, model, options)
    const numbered = defineDataClass('Employee', { ...BASE, ID: key })
    await migrate(pool, modelOf(schema, [numbered]), options)
    await fill(model)
    await migrate(pool, model, options)
    const kept = await run(pool, `SELECT next::int FROM "${schema}".entia_sequence`)
    expect(kept.rows).toEqual([[4]])
  })

  test('a schema without a store is refused by name', async () => {
    const model = modelOf(database.newSchema(), employee(BASE))
    await expect(checkDatabase(pool, model, options.unicode)).rejects.toMatchObject({
      code: 'databaseDiffers',
      message: expect.stringContaining(
        `The schema "${model.schema}" of the database does not fit the model`,
      ),
    })
  })

  test('a table that others made is refused', async () => {
    const schema = database.newSchema()
    await run(pool, `CREATE SCHEMA "${schema}"`)
    await run(pool, `CREATE TABLE "${schema}"."Employee" ("ID" integer)`)
    await expect(migrate(pool, modelOf(schema, employee(BASE)), options)).rejects.toThrow(
      'it was not made by Entia',
    )
  })

  describe('the gate', () => {
    const gate = async (schema: string, reads: string[], since: number, id: string) =>
      (
        await run(
          pool,
          `SELECT "${schema}".entia_gate(0, $1::text[], $2, ARRAY['Employee'], ARRAY[2]::bigint[], $3)`,
          reads,
          since,
          id,
        )
      ).rows[0]![0] as number

    test('assigns stamps in order, counts members, and refuses decisions on changed entities', async () => {
      const schema = database.newSchema()
      await migrate(pool, modelOf(schema, [...employee(BASE), Company]), options)
      expect(await gate(schema, [], 0, 'a')).toBe(1)
      expect(await gate(schema, ['Company'], 0, 'b')).toBe(2)
      await expect(gate(schema, ['Employee'], 1, 'c')).rejects.toMatchObject({
        failure: 'conflict',
      })
      await expect(gate(schema, [], 1, 'a')).rejects.toMatchObject({ failure: 'unique' })
      expect(await gate(schema, ['Employee'], 2, 'd')).toBe(3)
      const classes = await run(
        pool,
        `SELECT changed, members FROM "${schema}".entia_class ORDER BY class`,
      )
      expect(classes.rows).toEqual([
        [0, 0],
        [3, 6],
      ])
    })

    test('takes over from stamps with gaps, and automatic keys from their sequences', async () => {
      const schema = database.newSchema()
      const model = modelOf(schema, employee(BASE))
      await migrate(pool, model, options)
      await fill(model)
      // As the mode `rising` left them: it did not count the members.
      for (const text of [
        `ALTER TABLE "${schema}".entia_sequence ADD COLUMN numbers regclass`,
        `CREATE SEQUENCE "${schema}"."Employee$$next" OWNED BY "${schema}"."Employee"._stamp`,
        `SELECT setval('"${schema}"."Employee$$next"', 40)`,
        `UPDATE "${schema}".entia_sequence SET numbers = '"${schema}"."Employee$$next"'`,
        `INSERT INTO "${schema}".entia_commit (id, stamp, classes) VALUES ('a', 900, '{Employee}')`,
        `UPDATE "${schema}".entia_store SET mode = 'rising'`,
      ])
        await run(pool, text)
      await expect(checkDatabase(pool, model, options.unicode)).rejects.toMatchObject({
        code: 'databaseDiffers',
        message: expect.stringMatching(/mode "rising".*Run "entia migrate"/s),
      })
      expect(await migrate(pool, model, options)).toEqual([expect.stringContaining('without gaps')])
      await checkDatabase(pool, model, options.unicode)
      const kept = await run(
        pool,
        `SELECT s.next, s.numbers, to_regclass('"${schema}"."Employee$$next"'), t.writers, t.stamp, c.members
          FROM "${schema}".entia_sequence s, "${schema}".entia_store t, "${schema}".entia_class c`,
      )
      // Processes in the mode `rising` write nothing any more; the migration was a commit.
      expect(kept.rows).toEqual([[41, null, null, 1, 901, ROWS.length]])
      expect(await migrate(pool, model, options)).toEqual([])
    })
  })
})

describeDatabases('migrate at once', { connections: 'several' }, (database) => {
  test('one of several processes creates the store', async () => {
    const model = modelOf(database.newSchema(), related('restrict'))
    const pools = [0, 1, 2, 3].map(() => database.open())
    const done = await Promise.all(pools.map((pool) => migrate(pool, model, options)))
    expect(done.filter((steps) => steps.length > 0)).toHaveLength(1)
    await checkDatabase(database.pool, model, options.unicode)
  })

  test.skipIf(isPooled)(
    'migrations and verifications may take longer than a statement',
    async () => {
      const schema = database.newSchema()
      const verified = database.newSchema()
      const unchanged = modelOf(verified, employee(BASE))
      await migrate(database.pool, modelOf(schema, employee(BASE)), options)
      await migrateModel(unchanged, database.pool, {
        ids: { uuid: () => randomUUID(), token: () => '' },
      })
      const connectionString = database.connectionString!
      const pools = [0, 1, 2].map(() => pgPool({ connectionString, statementMilliseconds: 50 }))
      const [one, other, third] = pools as [SqlPool, SqlPool, SqlPool]
      const after = modelOf(schema, employee({ ...BASE, extra: attribute.string() }))
      const done = await database.pool.connect(async ({ send }) => {
        await send([
          BEGIN,
          statementOfText(`LOCK TABLE "${schema}"."Employee", "${verified}"."Employee"`),
        ])
        const settled = Promise.allSettled([
          verifyModel(unchanged, third, UNICODE),
          migrate(one, after, options),
          migrate(other, after, options),
        ])
        // Longer than both limits: that of the database, and that of the driver five seconds later.
        await setTimeout(6000)
        await send([COMMIT])
        return settled
      })
      expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
      await checkDatabase(database.pool, after, options.unicode)
      await Promise.all(pools.map((pool) => pool.close()))
    },
  )
})
