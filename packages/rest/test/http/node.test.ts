import { createServer, request as httpRequest, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, toNodeHandler } from '../../src/index.ts'
import { createHr } from './models.ts'
import { json } from './send.ts'

// Opens a port, which most tests do without.

let server: Server
let store: ReturnType<typeof createHr>
let port: number
beforeEach(async () => {
  store = createHr()
  const rest = createRestHandler(store, { limits: { maxBodyBytes: 10_000 } })
  server = createServer(toNodeHandler(rest))
  server.on('clientError', rest.onClientError)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const url = (path: string) => `http://127.0.0.1:${port}${path}`

/** Writes raw bytes and collects the answer until the connection ends. */
function raw(text: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}

describe('over node:http', () => {
  test('reads, creates and deletes', async () => {
    const read = await fetch(url('/rest/Employee?$filter="lastName = \'Zola\'"'))
    expect(read.headers.get('content-length')).toBe(
      String(new TextEncoder().encode(await read.clone().text()).length),
    )
    expect((await json(read)).__ENTITIES[0].firstName).toBe('Émile')
    const created = await fetch(url('/rest/Employee?$method=update'), {
      method: 'POST',
      body: '{"lastName":"Čapek"}',
    })
    expect((await json(created)).lastName).toBe('Čapek')
    const removed = await fetch(url('/rest/Employee(5)'), { method: 'DELETE' })
    expect(await json(removed)).toEqual({ ok: true })
    const head = await fetch(url('/rest/Employee(1)'), { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  test('a body that is too long gets 413 while it is still sent, and the server continues', async () => {
    const status = await new Promise<number>((resolve, reject) => {
      const sending = httpRequest(url('/rest/Employee'), { method: 'POST' }, (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
      })
      sending.on('error', reject)
      for (let i = 0; i < 40; i++) sending.write('x'.repeat(10_000))
      sending.end()
    })
    expect(status).toBe(413)
    expect(
      await raw('POST /rest/Employee HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000000\r\n\r\n'),
    ).toContain('413')
    expect((await fetch(url('/rest/Employee(1)'))).status).toBe(200)
  })

  test('a request that becomes malformed during its answer is answered once', async () => {
    const head = 'POST /rest/Employee HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(`${head}4e20\r\n${'x'.repeat(20_000)}\r\n`),
      )
      let text = ''
      socket.on('data', (chunk) => {
        if (text === '') socket.write('no chunk\r\n')
        text += chunk.toString('latin1')
      })
      socket.on('error', () => undefined)
      socket.on('close', () => resolve(text))
    })
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413'])
  })

  test('a truncated body saves nothing', async () => {
    const before = store.globalStamp
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(
          'POST /rest/Employee HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"lastName":"x"}',
        )
        setTimeout(() => socket.destroy(), 50)
      })
      socket.on('close', () => resolve())
    })
    expect((await fetch(url('/rest/Employee(1)'))).status).toBe(200)
    expect(store.globalStamp).toBe(before)
  })

  test('requests that node:http rejects get a JSON answer', async () => {
    for (const [text, status] of [
      ['GARBAGE\r\n\r\n', '400'],
      [`GET /rest/${'a'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, '431'],
      ['GET /rest/Company HTTP/9.9\r\n\r\n', '400'],
    ] as const) {
      const answer = await raw(text)
      expect(answer.split(' ')[1]).toBe(status)
      const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))
      expect(body.__ERROR).toHaveLength(1)
    }
  })

  test('a body parsed upstream is used, but not the empty object of a parser that skipped it', async () => {
    const rest = createRestHandler(store)
    const handler = toNodeHandler(rest)
    const express = createServer(async (request, response) => {
      const parsed = request.headers['x-parse'] === 'yes'
      let text = ''
      if (parsed) for await (const chunk of request) text += chunk
      await handler(
        Object.assign(request, { originalUrl: request.url, body: parsed ? JSON.parse(text) : {} }),
        response,
      )
    })
    await new Promise<void>((resolve) => express.listen(0, '127.0.0.1', resolve))
    const target = `http://127.0.0.1:${(express.address() as AddressInfo).port}/rest/Employee`
    for (const parse of ['yes', 'no']) {
      const reply = await fetch(target, {
        method: 'POST',
        body: '{"lastName":"Parsed"}',
        headers: { 'x-parse': parse },
      })
      expect([parse, (await json(reply)).lastName]).toEqual([parse, 'Parsed'])
    }
    express.closeAllConnections()
    await new Promise((resolve) => express.close(resolve))
  })
})
