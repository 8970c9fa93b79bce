import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRestHandler, toNodeHandler } from '@entia/rest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHostileStore, HOSTILE_TEXTS } from './hostile-store.mjs'
import { type Ask, asker, walk } from './walk.mjs'

// `npm run test:long -- proxies` sends the same addresses through proxies.
describe.each(['/rest', '/', "/a%20b/'c'/%C3%A9"])('below %s', (basePath) => {
  const store = createHostileStore()
  const server = createServer(toNodeHandler(createRestHandler(store, { basePath })))
  const base = basePath === '/' ? '' : basePath
  let ask: Ask
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    ask = asker((server.address() as AddressInfo).port)
  })
  afterAll(() => {
    server.close()
    server.closeAllConnections()
  })

  test('every emitted address is ASCII and works unchanged', async () => {
    const { answers, problems } = await walk(ask, base)
    expect(problems).toEqual([])
    // Each entity, its related entities and contents; dataclasses and sets.
    expect(answers.size).toBeGreaterThan(HOSTILE_TEXTS.length * 2.5)
  })

  test('an address leads to its own entity only', async () => {
    const page = await ask(`${base}/${encodeURIComponent('Größe')}?$top=1000`)
    for (const entity of JSON.parse(page.body.toString()).__ENTITIES) {
      const { uri, __KEY: key } = entity.größer.__deferred
      expect(JSON.parse((await ask(uri)).body.toString())).toMatchObject({
        __KEY: key,
        Schlüssel: key,
      })
    }
  })
})

test('a save returns the address of its entity; an empty key is refused', async () => {
  const rest = createRestHandler(createHostileStore())
  const send = async (method: string, url: string, body?: object) => {
    const reply = await rest.handle({
      method,
      url,
      headers: {},
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: reply.status, body: JSON.parse(String(reply.body)) }
  }
  const base = `/rest/${encodeURIComponent('Größe')}`
  for (const key of HOSTILE_TEXTS) {
    const { uri } = (await send('POST', base, { __KEY: key, Nummer: null })).body
    expect((await send('GET', uri)).body).toMatchObject({ __KEY: key, Nummer: null })
    expect((await send('DELETE', uri)).body).toEqual({ ok: true })
    expect((await send('POST', base, { Schlüssel: key })).body).toMatchObject({ __KEY: key, uri })
  }
  for (const query of ['', '?$refresh=true', '?$method=insert', '?$atomic=true']) {
    const { status, body } = await send('POST', `${base}${query}`, { Schlüssel: '' })
    expect([status, body.__ERROR[0].errCode, 'uri' in body]).toEqual([422, 9038, false])
  }
})
