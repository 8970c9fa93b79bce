import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { beforeAll, expect, test } from 'vitest'
import { copyStore } from '../../src/store/copy-store.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import { verifyDatabase } from '../../src/store/verify-database.ts'
import type { DatabaseProblem } from '../../src/verify/problem.ts'
import { describeDatabases, run } from '../database.ts'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ unique: true }),
  staff: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  lastName: attribute.string({ indexed: true }),
  notes: attribute.object(),
  photo: attribute.image(),
  badge: attribute.uuid(),
  height: attribute.number(),
  born: attribute.date(),
  hired: attribute.date({ dateOnly: true }),
  employer: attribute.relatedEntity('Company'),
})
const model = { name: 'staff', dataClasses: [Company, Employee] }

function filledStore() {
  const store = createDataStore(model)
  for (const name of ['Acme', 'Zénith']) store.Company.insert({ name })
  for (let at = 1; at <= 12; at++)
    store.Employee.insert({
      lastName: `É${at}`,
      notes: { city: 'Zürich', rank: at },
      employer: (at % 2) + 1,
    })
  return store
}

/** Statements of other programs on a schema, written as `~`, and the problems found after them. */
const DAMAGES: readonly (readonly [
  title: string,
  statements: readonly string[],
  found: readonly Partial<DatabaseProblem>[],
])[] = [
  [
    'a text without its key',
    [`UPDATE ~"Employee" SET "lastName" = 'Other' WHERE "ID" = 3`],
    [{ kind: 'key', place: 'Employee 3, lastName' }],
  ],
  [
    'an object without its key',
    [`UPDATE ~"Employee" SET notes = '{"city":"Basel"}' WHERE "ID" = 4`],
    [{ kind: 'key', place: 'Employee 4, notes' }],
  ],
  [
    'a key of no object',
    [`UPDATE ~"Employee" SET notes = NULL WHERE "ID" = 5`],
    [{ kind: 'key', place: 'Employee 5, notes' }],
  ],
  [
    'values that no attribute of their type has',
    [
      `UPDATE ~"Employee" SET badge = 'none', height = 'NaN' WHERE "ID" = 5`,
      `UPDATE ~"Employee" SET born = 9007199254740991, hired = 2000000000 WHERE "ID" = 6`,
    ],
    [
      { place: 'Employee 5, badge', problem: 'none is not a value of type uuid' },
      { place: 'Employee 5, height', problem: 'NaN is not a value of type number' },
      { place: 'Employee 6, born', kind: 'value' },
      { place: 'Employee 6, hired', kind: 'value' },
    ],
  ],
  [
    'media without a type',
    [`UPDATE ~"Employee" SET photo = '\\x00' WHERE "ID" = 6`],
    [{ kind: 'value', place: 'Employee 6, photo' }],
  ],
  ['a stamp of 0', [`UPDATE ~"Employee" SET _stamp = 0 WHERE "ID" = 7`], [{ kind: 'stamp' }]],
  [
    'a deleted target, with triggers off',
    [
      `ALTER TABLE ~"Employee" DISABLE TRIGGER ALL`,
      `UPDATE ~"Employee" SET "employer" = 77 WHERE "ID" = 8`,
    ],
    [{ kind: 'relation', place: 'Employee 8, employer', problem: expect.stringContaining('77') }],
  ],
  [
    'a unique value twice, without its constraint',
    [
      `ALTER TABLE ~"Company" DROP CONSTRAINT "Company$name$unique"`,
      `UPDATE ~"Company" SET name = 'Acme', "name$" = 'acme'`,
    ],
    [{ kind: 'schema' }, { kind: 'unique', place: 'Company.name' }],
  ],
  [
    'a deleted row',
    [`DELETE FROM ~"Employee" WHERE "ID" = 9`],
    [{ kind: 'count', problem: 'there are 11 entities, but entia_class has 12' }],
  ],
  [
    'sequences behind',
    [`UPDATE ~entia_sequence SET next = 2 WHERE class = 'Employee'`],
    [{ kind: 'sequence', place: 'Employee', problem: expect.stringContaining('12 is taken') }],
  ],
  [
    'record numbers behind',
    [`SELECT setval(pg_get_serial_sequence('~"Employee"', '_rec'), 3)`],
    [{ kind: 'sequence', problem: expect.stringContaining('record number given is 3') }],
  ],
  [
    'a change without a commit, and a commit above the global stamp',
    [
      `INSERT INTO ~entia_change (commit_id, ord, class, key, kind, stamp, timestamp) VALUES ('x', 0, 'Employee', '1', 'update', 2, 0)`,
      `INSERT INTO ~entia_commit (id, stamp, classes) VALUES ('y', 1000000, '{}')`,
    ],
    [
      { kind: 'history', place: 'entia_change' },
      { kind: 'history', place: 'entia_commit' },
    ],
  ],
  [
    'a set without members, and members without a set',
    [
      `INSERT INTO ~entia_set (id, class, size, sorted, lifetime, expires) VALUES ('A', 'Employee', 2, false, 1, 1)`,
      `ALTER TABLE ~entia_set_chunk DISABLE TRIGGER ALL`,
      `INSERT INTO ~entia_set_chunk VALUES ('B', 0, '{1}')`,
    ],
    [{ kind: 'set' }, { kind: 'set' }],
  ],
  [
    'a lock without session and entity',
    [
      `ALTER TABLE ~entia_lock DISABLE TRIGGER ALL`,
      `INSERT INTO ~entia_lock VALUES ('Employee', 999, 'none')`,
    ],
    [{ kind: 'lock' }, { kind: 'lock' }],
  ],
  [
    'keys of another Unicode',
    [`UPDATE ~entia_store SET unicode = '1.0'`],
    [{ kind: 'unicode', remedy: expect.stringContaining('entia migrate') }],
  ],
]

describeDatabases('verifyDatabase', { on: 'one' }, ({ open, pool, newSchema }) => {
  const schema = newSchema()
  const options = { ...model, database: pool, schema }

  beforeAll(async () => {
    await migrateDatabase(options)
    await copyStore(filledStore(), options)
    const rest = createRestHandler(await openSqlStore(options))
    for (const [method, path, body] of [
      ['POST', 'Employee?$method=update', '{"__KEY":1,"lastName":"Novák"}'],
      ['POST', 'Employee(2)?$method=delete', ''],
      ['POST', 'Employee', '{"lastName":"New","employer":2}'],
      ['GET', 'Employee?$method=entityset', undefined],
      ['GET', 'Employee(3)?$lock=true', undefined],
    ] as const)
      await rest.handle({
        method,
        url: `/rest/${path}`,
        headers: { host: 'localhost', 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body }),
      })
  })

  test('a database that only Entia wrote to has no problem', async () => {
    const progress: unknown[] = []
    const onProgress = (...each: unknown[]): void => void progress.push(each)
    expect(await verifyDatabase(options, { onProgress })).toEqual({
      entities: 14,
      count: 0,
      problems: [],
    })
    expect(progress).toEqual([
      ['Company', 2],
      ['Employee', 12],
    ])
  })

  test('finds exactly the problems that other programs caused', async () => {
    const copy = newSchema()
    const damaged = { ...options, schema: copy }
    await migrateDatabase(damaged)
    await copyStore(filledStore(), damaged)
    for (const text of DAMAGES.flatMap(([, statements]) => statements))
      await run(pool, text.replaceAll('~', `"${copy}".`))
    const reported: DatabaseProblem[] = []
    const onProblem = (each: DatabaseProblem): void => void reported.push(each)
    const { problems, count } = await verifyDatabase(damaged, { onProblem })
    for (const [title, , found] of DAMAGES)
      for (const each of found)
        expect(problems, title).toContainEqual(expect.objectContaining(each))
    expect(count).toBe(DAMAGES.flatMap(([, , found]) => found).length)
    expect(reported).toEqual(problems)
  })

  test('tables of another model are reported as a list of migrations', async () => {
    const other = await verifyDatabase({ ...options, schema: newSchema() })
    expect(other.problems).toEqual([
      expect.objectContaining({ kind: 'schema', problem: 'it has no store' }),
    ])
    const Later = defineDataClass('Company', {
      ID: attribute.long({ key: true, autoSequence: true }),
      name: attribute.string(),
      founded: attribute.date(),
    })
    const wider = { ...options, dataClasses: [Later] }
    const { problems, entities } = await verifyDatabase(wider)
    expect(problems.length).toBeGreaterThan(0)
    expect(problems.every(({ kind, remedy }) => kind === 'schema' && remedy !== '')).toBe(true)
    expect(entities).toBe(0)
  })

  test('the pool of earlier verifications reads tables that were made again', async () => {
    const ID = attribute.long({ key: true, autoSequence: true })
    const Kept = defineDataClass('Kept', { ID })
    const tags = { name: 'tags', database: open({ max: 1 }), schema: newSchema() }
    for (const key of [ID, attribute.uuid({ key: true })]) {
      await migrateDatabase({ ...tags, dataClasses: [Kept] }, { drop: true })
      const Tag = defineDataClass('Tag', { ID: key, name: attribute.string({ unique: true }) })
      const options = { ...tags, dataClasses: [Kept, Tag] }
      await migrateDatabase(options)
      for (let times = 0; times < 3; times++)
        expect(await verifyDatabase(options)).toEqual({ entities: 0, count: 0, problems: [] })
    }
  })
})
