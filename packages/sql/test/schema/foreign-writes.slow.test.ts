import { PGlite } from '@electric-sql/pglite'
import { attribute, defineDataClass, type Untyped } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrateDatabase, openSqlStore, verifyDatabase } from '../../src/index.ts'
import { pglitePool } from '../../src/pglite.ts'
import { run } from '../database.ts'

// The claims of docs/how-to/existing-database.md about other programs that write.

const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ indexed: true }),
  rank: attribute.long({ indexed: true }),
  born: attribute.date({ dateOnly: true }),
})

const database = pglitePool(new PGlite())
const options = {
  name: 'staff',
  dataClasses: [Person],
  database,
  tables: { Person: { existing: true, table: 'person', columns: { ID: 'id' } } },
  schema: 'public',
}
let store: Untyped
let rest: ReturnType<typeof createRestHandler>
const sqlOf = (text: string) => run(database, text)
const get = async (path: string, headers: Record<string, string> = {}) => {
  const reply = await rest.fetch(new Request(`http://localhost/rest/${path}`, { headers }))
  return { status: reply.status, etag: reply.headers.get('etag'), text: await reply.text() }
}
const namesOf = async (path: string) => {
  const { text } = await get(path)
  return (JSON.parse(text).__ENTITIES as { name: string }[]).map(({ name }) => name)
}

beforeAll(async () => {
  await sqlOf('CREATE TABLE person (id integer PRIMARY KEY, name text, rank integer, born date)')
  await sqlOf(
    "INSERT INTO person VALUES (1, 'Ada', 1, '1815-12-10'), (2, 'Ben', 2, NULL), (3, 'Cy', 3, NULL)",
  )
  await migrateDatabase(options)
  store = await openSqlStore(options)
  rest = createRestHandler(store)
})
afterAll(() => store.close())

test('an updated text is shown, but filters and orders use the old one', async () => {
  await sqlOf("UPDATE person SET name = 'Zoe', rank = 9 WHERE id = 1")
  expect(await namesOf('Person?$filter="name = ada"')).toEqual(['Zoe'])
  expect(await namesOf('Person?$filter="name = zoe"')).toEqual([])
  expect(await namesOf('Person?$orderby=name')).toEqual(['Zoe', 'Ben', 'Cy'])
  // A date has a copy, which is what Entia reads.
  await sqlOf("UPDATE person SET born = '2000-01-01' WHERE id = 1")
  expect(await namesOf('Person?$filter="born < 1900-01-01"')).toEqual(['Zoe'])
  expect((await get('Person(1)')).text).toContain('!!1815-12-10!!')
  // Numbers have no column of keys.
  expect(await namesOf('Person?$filter="rank = 9"')).toEqual(['Zoe'])
})

test('an update keeps stamp and ETag, so that clients do not detect it', async () => {
  const before = await get('Person(2)')
  await sqlOf('UPDATE person SET rank = 5 WHERE id = 2')
  const after = await get('Person(2)')
  expect(after.text).not.toBe(before.text)
  expect(after.etag).toBe(before.etag)
  expect((await get('Person(2)', { 'if-none-match': before.etag! })).status).toBe(304)
  const saved = await store.Person.update({ key: 2, stamp: 1 }, { rank: 6 })
  expect(saved.kind).toBe('saved')
})

test('an inserted row is shown, but not counted, not found by its text, and blocks its automatic key', async () => {
  await sqlOf("INSERT INTO person VALUES (4, 'Dan', 4)")
  expect(JSON.parse((await get('Person')).text)).toMatchObject({ __COUNT: 3, __SENT: 4 })
  expect(await namesOf('Person?$filter="name = dan"')).toEqual([])
  expect(await namesOf('Person?$filter="rank = 4"')).toEqual(['Dan'])
  await expect(store.Person.insert({ name: 'Eve' })).rejects.toMatchObject({
    code: 'transactionConflict',
  })
})

test('verify reports all of these, and migrateDatabase with rewrite repairs them', async () => {
  const { problems } = await verifyDatabase(options)
  expect(problems.map(({ kind }) => kind).sort()).toEqual(['count', 'key', 'key', 'sequence'])
  expect(await migrateDatabase(options, { rewrite: true })).toEqual([
    'Write the keys, counts and sequences of Person again',
  ])
  expect((await verifyDatabase(options)).problems).toEqual([])
  expect(await namesOf('Person?$filter="name = zoe or name = dan"&$orderby=name desc')).toEqual([
    'Zoe',
    'Dan',
  ])
  expect((await get('Person(1)')).text).toContain('!!2000-01-01!!')
  expect(JSON.parse((await get('Person')).text)).toMatchObject({ __COUNT: 4, __SENT: 4 })
  expect((await store.Person.insert({ name: 'Eve' })).ID).toBe(5)
})
