import { beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { createHr } from './models.ts'
import { expectError, send } from './send.ts'

let store: ReturnType<typeof createHr>
let rest: RestHandler
beforeEach(() => {
  store = createHr()
  rest = createRestHandler(store)
})

const ADDRESS = '/rest/Employee(1)?$attributes=lastName,employer'
const read = (headers: { readonly [name: string]: string }, url = ADDRESS, method = 'GET') =>
  send(rest, method, url, undefined, headers)

describe('If-None-Match', () => {
  test.each(['TAG', 'W/TAG', '"1", TAG', '"1",W/TAG', '*', ' * ', '"a,b" , TAG'])(
    '%s: not modified',
    async (tags) => {
      const full = await read({})
      for (const method of ['GET', 'HEAD']) {
        const reply = await read(
          { 'if-none-match': tags.replace('TAG', full.headers.etag!) },
          ADDRESS,
          method,
        )
        expect([reply.status, reply.text]).toEqual([304, ''])
        const { 'content-type': _, ...kept } = full.headers
        expect(reply.headers).toEqual(kept)
      }
    },
  )

  test.each(['"1"', '"2"', '"22"', '2', '', 'W/2', '"*"', "'2'"])(
    '%s: the whole answer',
    async (tags) => {
      expect((await read({ 'if-none-match': tags })).status).toBe(200)
    },
  )

  test('does not match after a save, nor for missing entities', async () => {
    const { etag = '' } = (await read({})).headers
    store.Employee.update(1, { salary: 1 })
    expect((await read({ 'if-none-match': etag })).status).toBe(200)
    expect((await read({ 'if-none-match': '*' }, '/rest/Employee(99)')).status).toBe(404)
    expect((await read({ 'if-none-match': '*' }, '/rest/Employee')).status).toBe(200)
  })

  test('an answer that may change without a new stamp has no ETag', async () => {
    for (const url of [
      '/rest/Employee(1)?$attributes=fullName',
      '/rest/Employee(1)?$attributes=employerName',
      '/rest/Employee(1)?$attributes=employer.name',
      '/rest/Employee(1)?$attributes=lastName&$expand=employer',
      '/rest/Company(1)?$attributes=name&$expand=employees',
    ]) {
      const reply = await read({ 'if-none-match': '*' }, url)
      expect([url, reply.status, reply.headers.etag]).toEqual([url, 200, undefined])
    }
  })

  test('overrides If-Modified-Since', async () => {
    const { etag = '', 'last-modified': date = '' } = (await read({})).headers
    expect(date).toBe('Wed, 31 Jan 2024 12:30:15 GMT')
    for (const since of [date, 'Wed, 31 Jan 2024 12:30:14 GMT'])
      expect((await read({ 'if-none-match': etag, 'if-modified-since': since })).status).toBe(304)
    expect((await read({ 'if-modified-since': date })).status).toBe(200)
  })

  test('is ignored by a read that has an effect, such as a lock', async () => {
    expect((await read({ 'if-none-match': '*' }, '/rest/Employee(1)?$lock=true')).status).toBe(200)
  })

  test('a 304 over fetch has no body', async () => {
    const { etag = '' } = (await read({})).headers
    const request = new Request(`http://db.example${ADDRESS}`, {
      headers: { 'if-none-match': etag },
    })
    const response = await rest.fetch(request)
    expect([response.status, response.body, response.headers.get('etag')]).toEqual([
      304,
      null,
      etag,
    ])
  })
})

describe('If-Match', () => {
  test('permits a change only for the current stamp', async () => {
    const put = (ifMatch: string) =>
      send(rest, 'PUT', '/rest/Employee(1)', { salary: 1 }, { 'if-match': ifMatch })
    expectError(await put('"1"'), 412, 9110)
    expectError(await put('"x"'), 412, 9110)
    expect((await put('"2"')).status).toBe(200)
    expect((await put('*')).status).toBe(200)
    const remove = (ifMatch: string) =>
      send(rest, 'DELETE', '/rest/Employee(1)', undefined, { 'if-match': ifMatch })
    expectError(await remove('"2"'), 412, 9110)
    expect((await remove('"3"')).status).toBe(200)
  })
})
