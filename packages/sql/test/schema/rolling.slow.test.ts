import { type AnyDataClass, attribute, defineDataClass, type Untyped } from '@entia/core'
import { createRestHandler, type RestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import { send } from '../../../rest/test/http/send.ts'
import {
  type MigrateDatabaseOptions,
  migrateDatabase,
  openSqlStore,
  verifyDatabase,
} from '../../src/index.ts'
import { describeDatabases, run } from '../database.ts'

// The table of docs/how-to/runbook.md: what a process does whose database was migrated.

const ID = attribute.long({ key: true })
const person = (attributes: Parameters<typeof defineDataClass>[1]): readonly AnyDataClass[] => [
  defineDataClass('Person', { ID, ...attributes }),
]
const name = attribute.string({ indexed: true })
const exact = attribute.string({ indexed: true, collation: 'exact' })

interface Row {
  readonly change: string
  readonly from: readonly AnyDataClass[]
  readonly to: readonly AnyDataClass[]
  readonly how?: MigrateDatabaseOptions
  /** What the new process inserts; the old one inserts the same with the name only. */
  readonly inserted?: object
  /** What the old process answers to reads by a filter, to insertions, and to updates of a name. */
  readonly reads: 200 | 503
  readonly inserts: 200 | 503
  /** As `inserts` unless given. */
  readonly updates?: 200
}

const ROWS: readonly Row[] = [
  {
    change: 'a new index',
    from: person({ name: attribute.string() }),
    to: person({ name }),
    reads: 200,
    inserts: 200,
  },
  {
    change: 'an index less',
    from: person({ name }),
    to: person({ name: attribute.string() }),
    reads: 200,
    inserts: 200,
  },
  {
    change: 'a new attribute',
    from: person({ name }),
    to: person({ name, rank: attribute.long() }),
    reads: 200,
    inserts: 200,
  },
  {
    change: 'a new attribute with notNull',
    from: person({ name }),
    to: person({ name, rank: attribute.long({ notNull: true, default: 1 }) }),
    reads: 200,
    inserts: 503,
    updates: 200,
  },
  {
    change: 'a new dataclass',
    from: person({ name }),
    to: [...person({ name }), defineDataClass('Other', { ID })],
    reads: 200,
    inserts: 200,
  },
  {
    change: 'an attribute less',
    from: person({ name, rank: attribute.long() }),
    to: person({ name }),
    reads: 200,
    inserts: 200,
  },
  {
    change: 'an attribute less, with drop',
    from: person({ name, rank: attribute.long() }),
    to: person({ name }),
    how: { drop: true },
    reads: 503,
    inserts: 503,
  },
  {
    change: 'a rename',
    from: person({ name }),
    to: person({ title: name }),
    how: { renamed: { 'Person.title': 'name' } },
    inserted: { title: 'New' },
    reads: 503,
    inserts: 503,
  },
  {
    change: 'a wider type',
    from: person({ name, rank: attribute.long() }),
    to: person({ name, rank: attribute.number() }),
    inserted: { name: 'New', rank: 1.5 },
    reads: 200,
    inserts: 200,
  },
  {
    change: 'unique',
    from: person({ name }),
    to: person({ name: attribute.string({ unique: true }) }),
    reads: 200,
    inserts: 503,
    updates: 200,
  },
  {
    change: 'collation exact instead of folded',
    from: person({ name }),
    to: person({ name: exact }),
    reads: 503,
    inserts: 503,
  },
  {
    change: 'collation folded instead of exact',
    from: person({ name: exact }),
    to: person({ name }),
    reads: 200,
    inserts: 503,
  },
]

describeDatabases('A process of an older model', { on: 'one' }, (database) => {
  const opened = async (schema: string, dataClasses: readonly AnyDataClass[]) => {
    const store: Untyped = await openSqlStore(optionsOf(schema, dataClasses))
    return { store, rest: createRestHandler(store) }
  }
  const optionsOf = (schema: string, dataClasses: readonly AnyDataClass[]) => ({
    name: 'people',
    dataClasses,
    database: database.open(),
    schema,
  })
  const found = async (rest: RestHandler, filter: string) =>
    send(rest, 'GET', `/rest/Person?$filter="${filter}"&$orderby=ID`)
  const insert = (rest: RestHandler, entity: object) =>
    send(rest, 'POST', '/rest/Person?$method=update', entity)
  const keysOf = (text: string) =>
    (JSON.parse(text).__ENTITIES as { ID: number }[]).map(({ ID: key }) => key)

  test.each(ROWS)('$change', async (row) => {
    const { from, to, how, inserted, reads, inserts, updates = inserts } = row
    const schema = database.newSchema()
    await migrateDatabase(optionsOf(schema, from))
    const old = await opened(schema, from)
    expect((await insert(old.rest, { ID: 1, name: 'New' })).status).toBe(200)
    expect((await insert(old.rest, { ID: 2, name: 'Other' })).status).toBe(200)
    // Statements are prepared from their second use on.
    for (let time = 0; time < 3; time++) await found(old.rest, 'name = Other')
    await migrateDatabase(optionsOf(schema, to), how)
    const young = await opened(schema, to)
    const field = Object.keys(inserted ?? { name: 0 })[0]!
    const isUnique = inserts === 503 && reads === 200 && to[0] !== undefined
    const youngName = isUnique ? 'Third' : 'New'
    const saved = await insert(young.rest, { ...inserted, ID: 3, [field]: youngName })
    expect([saved.status, saved.text]).toEqual([200, expect.anything()])

    // The old process finds everything that the new one wrote, or says why it does not.
    const read = await found(old.rest, `name = ${youngName}`)
    expect([read.status, read.text]).toEqual([reads, expect.anything()])
    if (reads === 200) expect(keysOf(read.text)).toContain(3)
    else expect(read.text).toContain('"errCode":9160')
    // The new process finds everything that the old one wrote.
    const written = await insert(old.rest, { ID: 4, name: 'New' })
    expect([written.status, written.text]).toEqual([inserts, expect.anything()])
    if (inserts === 503) expect(written.text).toContain('"errCode":9160')
    // An update writes the text alone or with its comparison key, as the new model demands.
    const changed = await insert(old.rest, { ID: 2, __KEY: '2', __STAMP: 1, name: 'Changed' })
    expect([changed.status, changed.text]).toEqual([updates, expect.anything()])
    if (updates === 503) expect(changed.text).toContain('"errCode":9160')
    const shown = keysOf((await found(young.rest, `${field} = New`)).text)
    expect(shown.includes(4)).toBe(inserts === 200)
    expect((await verifyDatabase(optionsOf(schema, to))).problems).toEqual([])
    await Promise.all([old.store.close(), young.store.close()])
  })

  const numbered = (dataClass: string) => [
    defineDataClass(dataClass, { ID: attribute.long({ key: true, autoSequence: true }), name }),
  ]
  test('another name of the dataclass: it has no automatic keys any more', async () => {
    const schema = database.newSchema()
    await migrateDatabase(optionsOf(schema, numbered('Person')))
    const old = await opened(schema, numbered('Person'))
    expect((await insert(old.rest, { name: 'New' })).status).toBe(200)
    await migrateDatabase(optionsOf(schema, numbered('Human')), { renamed: { Human: 'Person' } })
    const written = await insert(old.rest, { name: 'New' })
    expect([written.status, written.text]).toEqual([503, expect.stringContaining('9160')])
    await old.store.close()
  })

  test.each([
    ['another name of the dataclass', numbered('Human'), { renamed: { Human: 'Person' } }],
    ['the dataclass is dropped', [defineDataClass('Other', { ID })], { drop: true }],
  ])('%s: its streams end, also without a commit', async (_, to, how) => {
    const schema = database.newSchema()
    const from = [...numbered('Person'), defineDataClass('Other', { ID })]
    await migrateDatabase(optionsOf(schema, from))
    const store: Untyped = await openSqlStore(optionsOf(schema, from))
    const rest = createRestHandler(store, { live: true })
    const { body } = await rest.fetch(new Request('http://localhost/rest/Person?$live=true'))
    const stream = new Response(body).text()
    await migrateDatabase(optionsOf(schema, to), how)
    expect(await stream).toMatch(/event: end\ndata: {"reason":"databaseMigrated"}/)
    await store.close()
  })

  test('another Unicode: writes are refused', async () => {
    const schema = database.newSchema()
    const model = person({ name })
    await migrateDatabase(optionsOf(schema, model))
    const old = await opened(schema, model)
    await run(database.pool, `UPDATE "${schema}".entia_store SET unicode = '1.0'`)
    await migrateDatabase(optionsOf(schema, model))
    const written = await insert(old.rest, { ID: 1, name: 'New' })
    expect([written.status, written.text]).toEqual([503, expect.stringContaining('9160')])
    await old.store.close()
  })
})
