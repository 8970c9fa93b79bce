import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { close, createSiteServer, listen } from '../src/http-server.ts'

const files = new Map([['/', { headers: { 'content-type': 'text/html' }, body: 'front' }]])
const site = { files, rest: () => {}, onClientError: () => {} }

describe('the server', () => {
  test('closes slow and idle clients early and limits headers and connections', () => {
    const server = createSiteServer(() => site).http
    expect(server.headersTimeout).toBe(10_000)
    expect(server.requestTimeout).toBe(30_000)
    expect(server.keepAliveTimeout).toBe(5_000)
    expect(server.maxHeadersCount).toBe(100)
    expect(server.maxConnections).toBe(1_000)
  })

  test('answers / itself and passes other requests to the adapter', async () => {
    const requests: string[] = []
    const server = createSiteServer(() => ({
      ...site,
      rest: (request, response) => {
        requests.push(`${request.method} ${request.url}`)
        response.end('rest')
      },
    }))
    const port = await listen(server, 0, '127.0.0.1')
    const get = async (path: string, method = 'GET') =>
      (await fetch(`http://127.0.0.1:${port}${path}`, { method })).text()
    expect(await get('/')).toBe('front')
    expect(await get('/?a=1')).toBe('front')
    expect(await get('/rest')).toBe('rest')
    expect(await get('/', 'POST')).toBe('rest')
    expect(requests).toEqual(['GET /rest', 'POST /'])
    await close(server)
  })

  test('finishes an open request before it closes', async () => {
    let answer = () => {}
    const server = createSiteServer(() => ({
      ...site,
      rest: (_request, response) => (answer = () => response.end('done')),
    }))
    const port = await listen(server, 0, '127.0.0.1')
    const arrived = once(server.http, 'request')
    const pending = fetch(`http://127.0.0.1:${port}/rest`)
    await arrived
    const closed = close(server)
    answer()
    expect(await (await pending).text()).toBe('done')
    await closed
    await expect(fetch(`http://127.0.0.1:${port}/rest`)).rejects.toThrow()
  })

  test('ends connections with their answers once it is about to close', async () => {
    const server = createSiteServer(() => ({
      ...site,
      rest: (_request, response) => response.end('rest'),
    }))
    const port = await listen(server, 0, '127.0.0.1')
    const connection = async () =>
      (await fetch(`http://127.0.0.1:${port}/rest`)).headers.get('connection')
    expect(await connection()).toBe('keep-alive')
    server.endConnections()
    expect(await connection()).toBe('close')
    await close(server)
  })

  test('closes connections whose requests take longer than it may wait', async () => {
    const server = createSiteServer(() => site)
    const port = await listen(server, 0, '127.0.0.1')
    const arrived = once(server.http, 'request')
    const pending = fetch(`http://127.0.0.1:${port}/rest`).catch(() => 'closed')
    await arrived
    await close(server, 50)
    expect(await pending).toBe('closed')
  })

  test('does not wait for a connection without a request', async () => {
    const server = createSiteServer(() => site)
    const idle = connect(await listen(server, 0, '127.0.0.1'), '127.0.0.1')
    await once(server.http, 'connection')
    const ended = once(idle.resume(), 'close')
    await close(server)
    await ended
  })

  test('reports an invalid port or host', async () => {
    const first = createSiteServer(() => site)
    const port = await listen(first, 0, '127.0.0.1')
    await expect(
      listen(
        createSiteServer(() => site),
        port,
        '127.0.0.1',
      ),
    ).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use`)
    await expect(
      listen(
        createSiteServer(() => site),
        0,
        '203.0.113.7',
      ),
    ).rejects.toThrow('203.0.113.7 is not an address of this machine')
    await close(first)
  })
})
