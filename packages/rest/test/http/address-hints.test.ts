import { expect, test } from 'vitest'
import { createRestHandler } from '../../src/index.ts'
import { createHr } from './models.ts'
import { expectError, get, post, type Reply, send } from './send.ts'

const hr = createRestHandler(createHr())
const message = ({ body }: Reply): string => body.__ERROR[0].message

test('a key as a path segment is refused with a hint on how to address an entity', async () => {
  for (const reply of [
    await get(hr, '/rest/Company/1'),
    await send(hr, 'DELETE', '/rest/Company/1'),
  ]) {
    expectError(reply, 404, 1500, 1804)
    expect(message(reply)).toMatch(
      /^The "1" attribute cannot be found .* An entity is addressed by its key in brackets: Company\[…\]\.$/,
    )
  }
})

test('the error for an unknown function names the functions that clients can call', async () => {
  for (const url of ['/rest/Company/nosuch', '/rest/Company(1)/nosuch']) {
    const reply = await post(hr, url, [])
    expectError(reply, 404, 1500, 1804)
    expect(message(reply)).toMatch(/ Clients can call functions with "exposed: true"\.$/)
  }
})

test('errors about names in lists or below an entity have no such hint', async () => {
  for (const url of [
    '/rest/Company/name,nosuch',
    '/rest/Company(1)/nosuch',
    '/rest/Company?$attributes=nosuch',
    '/rest/Company/staff.nosuch',
  ])
    expect(message(await get(hr, url))).toMatch(/Known: [A-Za-z, ]+\.$/)
})

test('a service that the server does not offer names its option', async () => {
  const replica = await post(hr, '/rest/$replica', {})
  expectError(replica, 404, 9108)
  expect(message(replica)).toBe(
    'There is no such resource: the option "replicas" of this server is off.',
  )
  expect(message(await get(hr, '/rest/Company?$live=true'))).toMatch(/option "live"/)
})
