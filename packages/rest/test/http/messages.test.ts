import { describe, expect, test } from 'vitest'
import { createRestHandler, type RestOptions } from '../../src/index.ts'
import { createHr } from './models.ts'
import { serveDesk } from './permitted-desk.ts'
import { expectError, type Reply, send } from './send.ts'

function message({ body }: Reply): string {
  return body.__ERROR[0].message
}
const ask = async (
  method: string,
  url: string,
  {
    body,
    headers,
    options,
  }: { body?: unknown; headers?: Record<string, string>; options?: RestOptions } = {},
): Promise<string> =>
  message(await send(createRestHandler(createHr(), options), method, url, body, headers))

describe('a message names the valid choices', () => {
  test.each([
    [
      '/rest/$directory/nope',
      'Known here: /rest/$directory/login, /rest/$directory/logout, /rest/$directory/currentUser, /rest/$directory/currentUserBelongsTo.',
    ],
    ['/rest/$directory', 'Known here: /rest/$directory/login, '],
    ['/rest/$info/nope', 'Known here: /rest/$info, /rest/$info/cacheInfo, /rest/$info/entitySet, '],
    ['/rest/$singleton/VehicleFactory', 'Known here: /rest/$singleton/<name>/<function>.'],
    [
      '/rest/$entityset',
      'Known here: /rest/$entityset/$release, /rest/<dataclass>/$entityset/<id>.',
    ],
    ['/rest/$nope', 'Known here: /rest/$catalog, /rest/$directory/login, '],
    ['/elsewhere', 'Addresses begin with "/rest/".'],
  ])('%s', async (url, words) => {
    expect(await ask('GET', url)).toContain(words)
  })

  test('addresses in messages have the base path', async () => {
    expect(await ask('GET', '/db/$info/nope', { options: { basePath: '/db' } })).toContain(
      '/db/$info/cacheInfo',
    )
  })
})

describe('a message names its subject', () => {
  test('an attribute without an order, with the requested dataclass', async () => {
    expect(await ask('GET', '/rest/Company?$orderby=employees.salary')).toContain(
      'The "employees.salary" attribute of the "Company" dataclass cannot be used for sorting.',
    )
  })

  test.each([
    ['one', 'the text "one"'],
    [1.5, 'the number 1.5'],
    [true, 'the boolean true'],
    [['1'], 'an array'],
    [{ __KEY: 'one' }, 'an object'],
  ])('a key of a relation, with its type and what was sent: %j', async (employer, found) => {
    const { body } = await send(createRestHandler(createHr()), 'POST', '/rest/Employee', {
      employer,
    })
    const refusal = body.__ERROR.find(({ errCode }: { errCode: number }) => errCode === 9032)
    expect(refusal.message).toContain('takes ')
    expect(refusal.message).toContain('a key (long) ')
    expect(refusal.message).toContain(`, not ${found}.`)
  })

  test('an empty key', async () => {
    expect(await ask('GET', '/rest/Setting("")')).toContain('a key cannot be empty')
    expect(await ask('GET', '/rest/Employee()')).toContain('a key cannot be empty')
  })

  test('an entity that only a filter may have hidden', async () => {
    expect(await ask('GET', '/rest/Employee(1)/employer?$filter="name=x"')).toBe(
      'Cannot load entity# 1 in the "Employee" dataclass: there is none, or $filter does not select what its "employer" leads to.',
    )
    for (const key of [1, 99])
      expect(await ask('GET', `/rest/Employee(${key})?$filter="ID=2"`)).toBe(
        `Cannot load entity# ${key} in the "Employee" dataclass: there is none, or $filter does not select it.`,
      )
    expect(await ask('GET', '/rest/Employee(99)')).toBe(
      'Cannot load entity# 99 in the "Employee" dataclass.',
    )
  })

  test('the encoding of the body', async () => {
    expect(
      await ask('POST', '/rest/Employee', { body: '{}', headers: { 'content-encoding': 'gzip' } }),
    ).toBe('Content-Encoding gzip is not supported. Send the body as it is.')
  })

  test('the function that failed', async () => {
    expect(await ask('GET', '/rest/Employee(4)/greet?$params={"toString":1}')).toBe(
      'Function "greet" of the "Employee" dataclass failed: it threw an error.',
    )
  })
})

describe('a missing permission is named by the requested action', () => {
  const nothing = {
    'read Doc': false,
    'create Doc': false,
    'update Doc': false,
    'delete Doc': false,
    'lock Doc': false,
  }

  test.each([
    ['GET', 'Doc', 'read', 1557],
    ['GET', 'Doc(1)', 'read', 1557],
    ['GET', 'Doc(1)?$lock=true', 'lock', 1558],
    ['POST', 'Doc', 'create', 1559],
    ['POST', 'Doc?$method=insert', 'create', 1559],
    ['POST', 'Doc?$method=update', 'update', 1558],
    ['POST', 'Doc(1)', 'update', 1558],
    ['PUT', 'Doc(1)', 'update', 1558],
    ['DELETE', 'Doc(1)', 'delete', 1560],
    ['POST', 'Doc?$filter="ID=1"&$method=delete', 'delete', 1560],
    ['DELETE', 'Doc(1)/photo', 'update', 1558],
  ] as const)('%s %s', async (method, url, action, code) => {
    const { guest } = serveDesk(nothing)
    const reply = await guest.send(
      method,
      `/rest/${url}`,
      method === 'GET' ? undefined : '{"title":"x"}',
    )
    expectError(reply, 401, code, 9120)
    expect(message(reply)).toBe(`No permission to ${action} entities of the "Doc" dataclass.`)
  })

  test('if only reading is denied, reading is named', async () => {
    const { guest } = serveDesk({ 'read Doc': false })
    for (const method of ['POST', 'PUT', 'DELETE'])
      expectError(await guest.send(method, '/rest/Doc(1)', '{}'), 401, 1557, 9120)
  })

  test('a function of the datastore is named as such', async () => {
    const { guest } = serveDesk({ 'call -/ping': false })
    expect(message(await guest.send('POST', '/rest/$catalog/ping'))).toBe(
      'No permission to execute function "ping" of the datastore.',
    )
  })
})
