import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { people } from '../../../testing/src/conformance/fixtures/people.ts'
import { createPorts } from '../../../testing/src/conformance/index.ts'
import { describeDatabases } from '../database.ts'
import { openCopy } from './sql-host.ts'

/** Requests that need a computed attribute, which the database does not know. */
const REQUESTS = [
  '/rest/People?$filter="fullName=\'@a@\'"&$orderby=fullName desc',
  '/rest/People?$filter="fullName=\'@a@\' and salary>20000"&$top=2&$skip=1',
  '/rest/People?$orderby=fullName&$top=3',
  '/rest/People?$attributes=fullName,employer&$expand=employer&$top=3',
  '/rest/People/fullName?$distinct=true',
  '/rest/People/fullName?$compute=count&$filter="ID<4"',
  '/rest/People?$filter="fullName=\'@a@\'"&$method=entityset&$orderby=fullName',
  '{set}?$filter="fullName=\'@a@\'"',
  '{set}?$orderby=fullName',
  '/rest/People/$entityset/0123456789ABCDEF0123456789ABCDEF?$savedfilter="fullName=\'@a@\'"',
  '{set}?$attributes=fullName&$top=2',
  '{set}/fullName?$distinct=true',
  // Each part of a filter alone, also if it does not narrow the loaded rows.
  '/rest/People?$querypath=true&$filter="fullName=\'@a@\' and salary>20000"',
  '/rest/People?$querypath=true&$filter="not(fullName=\'@a@\') and ID=1"',
  '/rest/People?$querypath=true&$filter="ID=1 and (fullName=\'@a@\' or ID=2)"',
  "/rest/People?$querypath=true&$filter=\"ID=3 and employer.name='@m@' and fullName='@a@'\"",
  '/rest/People(3)?$querypath=true&$filter="ID=3 and fullName=\'@a@\'"',
  // Needs no entity: the only query is that for the stamp of the answer.
  '{empty}?$filter="fullName=\'@a@\'"',
]

const comparable = (body: string) => body.replace(/"(time|timeTaken)":[\d.e-]+/g, '"$1":0')

describeDatabases('computed attributes', { on: 'one' }, ({ pool, newSchema }) => {
  const memory = people.create(createPorts().ports)
  const copied = people.create(createPorts().ports)
  const inMemory = createRestHandler(memory, people.options)
  let overSql: ReturnType<typeof createRestHandler>
  const sets: string[] = []
  const empty: string[] = []

  beforeAll(async () => {
    overSql = createRestHandler(await openCopy(copied, pool, newSchema()), people.options)
    for (const handler of [inMemory, overSql]) {
      const { body } = await get(handler, '/rest/People?$filter="ID<6"&$method=entityset')
      const set = /"__ENTITYSET":"([^"]+)"/.exec(body)![1]!
      sets.push(set)
      const none = await get(handler, '/rest/People?$filter="ID<0"&$method=entityset')
      empty.push(/"__ENTITYSET":"([^"]+)"/.exec(none.body)![1]!)
    }
  })
  afterAll(() => {
    memory.close()
    copied.close()
  })

  const get = async (handler: typeof inMemory, url: string) => {
    const { status, body } = await handler.handle({
      method: 'GET',
      url: encodeURI(url),
      headers: { host: 'localhost' },
      remoteAddress: '127.0.0.1',
    })
    return { status, body: String(body) }
  }

  test.each(REQUESTS)('%s', async (url) => {
    const asked = async (handler: typeof inMemory, at: number) => {
      const named = url.replace('{set}', sets[at]!).replace('{empty}', empty[at]!)
      const { status, body } = await get(handler, named)
      return { status, body: comparable(body.replaceAll(sets[at]!, '{set}')) }
    }
    const expected = await asked(inMemory, 0)
    expect(expected.status).toBe(200)
    expect(await asked(overSql, 1)).toEqual(expected)
  })
})

/** A link whose depth asks for the link before it. */
const Link = defineDataClass('Link', {
  ID: attribute.long({ key: true }),
  before: attribute.relatedEntity('Link'),
  after: attribute.relatedEntities('Link', 'before'),
  marks: attribute.relatedEntities('Mark', 'link'),
  notes: attribute.relatedEntities('Note', 'link'),
  depth: attribute.computed('long', {
    get: ({ before }: { before: { depth: number } | null }): number => 1 + (before?.depth ?? 0),
  }),
})
const Mark = defineDataClass('Mark', {
  ID: attribute.long({ key: true, autoSequence: true }),
  link: attribute.relatedEntity('Link'),
})
const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true, autoSequence: true }),
  link: attribute.relatedEntity('Link'),
})

describeDatabases('computed attributes that lead far', { on: 'one' }, ({ pool, newSchema }) => {
  test.each([
    // Each entity of the chain is known when the one after it is read.
    '/rest/Link(40)?$attributes=depth',
    '/rest/Link?$filter="depth > 38"&$expand=after,marks,notes',
    '/rest/Link?$orderby=depth desc,ID&$top=200&$expand=after,marks,notes,before&$attributes=depth',
  ])('%s', async (url) => {
    const links = createDataStore({ name: 'links', dataClasses: [Link, Mark, Note] })
    links.Link.load(
      Array.from({ length: 200 }, (_, at) => ({ ID: at + 1, before: at < 40 ? at || null : 1 })),
    )
    for (let at = 0; at < 300; at++) {
      links.Mark.insert({ link: (at % 200) + 1 })
      links.Note.insert({ link: ((at * 7) % 200) + 1 })
    }
    const overSql = createRestHandler(await openCopy(links as never, pool, newSchema()))
    const inMemory = createRestHandler(links)
    const request = { method: 'GET', url: encodeURI(url), headers: { host: 'localhost' } }
    const expected = await inMemory.handle(request)
    expect(expected.status).toBe(200)
    const found = await overSql.handle(request)
    expect([found.status, String(found.body)]).toEqual([200, String(expected.body)])
    links.close()
  })
})
