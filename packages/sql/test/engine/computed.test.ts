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
]

describeDatabases('computed attributes', { on: 'one' }, ({ pool, newSchema }) => {
  const memory = people.create(createPorts().ports)
  const copied = people.create(createPorts().ports)
  const inMemory = createRestHandler(memory, people.options)
  let overSql: ReturnType<typeof createRestHandler>
  const sets: string[] = []

  beforeAll(async () => {
    overSql = createRestHandler(await openCopy(copied, pool, newSchema()), people.options)
    for (const handler of [inMemory, overSql]) {
      const { body } = await get(handler, '/rest/People?$filter="ID<6"&$method=entityset')
      const set = /"__ENTITYSET":"([^"]+)"/.exec(body)![1]!
      sets.push(set)
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
    const expected = await get(inMemory, url.replace('{set}', sets[0]!))
    const found = await get(overSql, url.replace('{set}', sets[1]!))
    expect(expected.status).toBe(200)
    expect(found.body.replaceAll(sets[1]!, '{set}')).toBe(
      expected.body.replaceAll(sets[0]!, '{set}'),
    )
  })
})
