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
  test.each(['"2"', 'W/"2"', '"1", "2"', '"1",W/"2"', '*', ' * ', '"a,b" , "2"'])('%s: not modified', async (tags) => {
    const full = await read({})
    for (const method of ['GET', 'HEAD']) {
      const reply = await read({ 'if-none-match': tags }, ADDRESS, method)
      expect([reply.status, reply.text]).toEqual([304, ''])
      const { 'content-type': _, ...kept } = full.headers
      expect(reply.headers).toEqual(kept)
    }
  })

  test.each(['"1"', '"22"', '2', '', 'W/2', '"*"', "'2'"])('%s: the whole answer', async (tags) => {
    expect((await read({ 'if-none-match': tags })).status).toBe(200)
  })

  test('after a save, and for what is not there, nothing is held', async () => {
    store.Employee.update(1, { salary: 1 })
    expect((await read({ 'if-none-match': '"2"' })).status).toBe(200)
    expect((await read({ 'if-none-match': '*' }, '/rest/Employee(99)')).status).toBe(404)
    expect((await read({ 'if-none-match': '*' }, '/rest/Employee')).status).toBe(200)
  })

  test('an answer that may change while the stamp stays is always given whole', async () => {
    for (const url of [
      '/rest/Employee(1)?$attributes=fullName',
      '/rest/Employee(1)?$attributes=employerName',
      '/rest/Employee(1)?$attributes=employer.name',
      '/rest/Employee(1)?$attributes=lastName&$expand=employer',
      '/rest/Company(1)?$attributes=name&$expand=employees',
    ]) {
      const { etag = '' } = (await read({}, url)).headers
      expect([url, etag]).not.toEqual([url, ''])
      expect([url, (await read({ 'if-none-match': etag }, url)).status]).toEqual([url, 200])
    }
  })

  test('another modification date speaks against what is held: a store made anew begins its stamps again', async () => {
    const { 'last-modified': date = '' } = (await read({})).headers
    expect(date).toBe('Wed, 31 Jan 2024 12:30:15 GMT')
    expect((await read({ 'if-none-match': '"2"', 'if-modified-since': date })).status).toBe(304)
    const other = 'Wed, 31 Jan 2024 12:30:14 GMT'
    expect((await read({ 'if-none-match': '"2"', 'if-modified-since': other })).status).toBe(200)
    expect((await read({ 'if-modified-since': date })).status).toBe(200)
  })

  test('a read that changes something says what came of it', async () => {
    expect((await read({ 'if-none-match': '*' }, '/rest/Employee(1)?$lock=true')).status).toBe(200)
  })

  test('over fetch the answer has no body', async () => {
    const response = await rest.fetch(
      new Request(`http://db.example${ADDRESS}`, { headers: { 'if-none-match': '"2"' } }),
    )
    expect([response.status, response.body, response.headers.get('etag')]).toEqual([304, null, '"2"'])
  })
})

describe('If-Match', () => {
  test('lets a change through for the stamp that is there, and for no other', async () => {
    const put = (ifMatch: string) => send(rest, 'PUT', '/rest/Employee(1)', { salary: 1 }, { 'if-match': ifMatch })
    expectError(await put('"1"'), 412, 9110)
    expectError(await put('"x"'), 412, 9110)
    expect((await put('"2"')).status).toBe(200)
    expect((await put('*')).status).toBe(200)
    const remove = (ifMatch: string) => send(rest, 'DELETE', '/rest/Employee(1)', undefined, { 'if-match': ifMatch })
    expectError(await remove('"2"'), 412, 9110)
    expect((await remove('"3"')).status).toBe(200)
  })
})
