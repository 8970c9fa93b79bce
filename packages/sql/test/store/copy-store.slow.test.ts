import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import { pgPool } from '../../src/pg.ts'
import { copyStore } from '../../src/store/copy-store.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import { verifyDatabase } from '../../src/store/verify-database.ts'
import { describeDatabases } from '../database.ts'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ unique: true }),
  staff: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  notes: attribute.object(),
  employer: attribute.relatedEntity('Company'),
})
const model = { name: 'staff', dataClasses: [Company, Employee] }

/** A store whose order, stamps and next keys do not follow from its entities. */
function filledStore() {
  const store = createDataStore(model)
  const [acme, zenith] = [{ name: 'Acme' }, { name: 'Zénith' }].map((row) =>
    store.Company.insert(row),
  )
  for (const employer of [acme, zenith, null]) store.Employee.insert({ employer: employer ?? null })
  store.Employee.update(1, { notes: { b: 1, a: 'É' } })
  store.Employee.remove(3)
  return store
}

describeDatabases('copyStore', { on: 'one' }, ({ pool, newSchema, open }) => {
  test('copies entities, stamps, order and sequences, and the answers are the same', async () => {
    const memory = filledStore()
    const options = { ...model, database: pool, schema: newSchema() }
    await migrateDatabase(options)
    expect(await copyStore(memory, options)).toBe(4)
    const handlers = [memory, await openSqlStore(options)].map((store) => createRestHandler(store))
    for (const [method, path, body] of [
      ['GET', 'Employee?$expand=employer'],
      ['GET', 'Company?$filter="name=zenith"&$expand=staff'],
      ['POST', 'Employee', '{"employer": 2}'],
      ['GET', 'Employee?$attributes=ID&$orderby=ID'],
    ] as const) {
      const replies = handlers.map(async ({ fetch }) => {
        const init = { method, ...(body === undefined ? {} : { body }) }
        const reply = await fetch(new Request(`http://localhost/rest/${path}`, init))
        return (await reply.text()).replaceAll(/"__TIMESTAMP":"[^"]*"/g, '')
      })
      const [inMemory, inDatabase] = await Promise.all(replies)
      expect([path, inDatabase]).toEqual([path, inMemory])
    }
  })

  test('into tables whose entities were removed is a new commit, with new numbers of all kinds', async () => {
    const options = { ...model, database: pool, schema: newSchema() }
    await migrateDatabase(options)
    const store = await openSqlStore({ ...options, database: open() })
    const { fetch } = createRestHandler(store, { live: true })
    const ask = async (path: string, headers = {}) => {
      const reply = await fetch(new Request(`http://localhost/rest/${path}`, { headers }))
      return { status: reply.status, etag: reply.headers.get('etag'), body: await reply.text() }
    }
    for (let i = 1; i <= 9; i++) await store.Company.insert({ name: `Old ${i}` })
    const { etag } = await ask('Company(1)')
    const { body } = await ask('Company?$method=entityset')
    const { pathname } = new URL(JSON.parse(body).__ENTITYSET, 'http://localhost')
    for (let i = 1; i <= 9; i++) await store.Company.remove(i)
    const before = Number(JSON.parse((await ask('Company')).body).__GlobalStamp)
    const updates = (await fetch(new Request('http://localhost/rest/Company?$live=true'))).body!
    const reader = updates.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader.read()).value).toContain('"__COUNT":0')

    await copyStore(filledStore(), options)
    let received = ''
    while (!received.includes('Acme')) received += (await reader.read()).value
    await reader.cancel()
    expect(await ask('Company(1)', { 'if-none-match': etag! })).toMatchObject({ status: 200 })
    const members = JSON.parse((await ask(pathname.slice('/rest/'.length))).body)
    expect(members.__ENTITIES).toEqual(Array(9).fill({ __STAMP: 0 }))
    expect(JSON.parse((await ask('Company')).body)).toMatchObject({
      __COUNT: 2,
      __GlobalStamp: before + 1,
    })
    await expect(store.changes({ since: before })[Symbol.asyncIterator]().next()).rejects.toThrow(
      expect.objectContaining({ code: 'historyTrimmed' }),
    )
    expect(await store.Company.insert({ name: 'New' })).toMatchObject({ key: 10 })
    await store.close()
    expect((await verifyDatabase(options)).problems).toEqual([])
  })

  test('names the entity that the database cannot hold, and copies nothing', async () => {
    const options = { ...model, database: pool, schema: newSchema() }
    await migrateDatabase(options)
    for (const [name, found] of [
      [
        'x\0',
        'takes text without U+0000, not the text "x\ufffd" of the entity whose key is the number 7.',
      ],
      [
        'É'.repeat(2700),
        `not the text "${'É'.repeat(39)}…" of the entity whose key is the number 7.`,
      ],
    ] as const) {
      const memory = createDataStore(model)
      memory.Company.load([
        { ID: 6, name: 'fits' },
        { ID: 7, name },
      ])
      await expect(copyStore(memory, options)).rejects.toThrow(found)
    }
    expect(await copyStore(filledStore(), options)).toBe(4)
  })

  test('refuses tables that have entities or another form, and changes nothing', async () => {
    const memory = filledStore()
    const options = { ...model, database: pool, schema: newSchema() }
    await expect(copyStore(memory, options)).rejects.toMatchObject({
      code: 'databaseDiffers',
      message: expect.stringContaining('The schema has no store.'),
    })
    await migrateDatabase(options)
    await copyStore(memory, options)
    await expect(copyStore(memory, options)).rejects.toMatchObject({
      code: 'databaseDiffers',
      message: expect.stringContaining('Dataclass "Company" has entities already.'),
    })
    const { fetch } = createRestHandler(await openSqlStore(options))
    const reply = await fetch(new Request('http://localhost/rest/Company?$attributes=name'))
    expect(await reply.json()).toMatchObject({ __COUNT: 2 })
  })
})

test('a pool without an address is refused where it is created', () => {
  expect(() => pgPool({ connectionString: process.env.NOT_SET! })).toThrow(
    /option connectionString .*postgres:.*undefined/,
  )
})
