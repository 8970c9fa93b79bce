import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createRestHandler, type RestOptions, toNodeHandler } from '../../src/index.ts'
import { createHr } from './models.ts'

// Opens a port, since the tests send several requests over one connection.

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

async function serve(
  options: RestOptions = {},
  wrap: (handler: RequestListener) => RequestListener = (handler) => handler,
  more: object = {},
) {
  const store = createHr()
  const rest = createRestHandler(store, options)
  const server = createServer({ requireHostHeader: false, ...more }, wrap(toNodeHandler(rest)))
  server.on('clientError', rest.onClientError)
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { store, port: (server.address() as AddressInfo).port }
}

/**
 * Sends raw bytes and collects the answer until the connection ends or `count` answers have
 * arrived.
 */
function raw(port: number, text: string, count = Number.POSITIVE_INFINITY): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
      if (statuses(answer).length >= count && /\r\n\r\n.+$/s.test(answer)) socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}

const statuses = (answer: string): readonly string[] =>
  [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status!)
const put = (key: number, body: string): string =>
  `POST /rest/Employee(${key})?$attributes=salary HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const GET = 'GET /rest/Employee(1)/salary HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
const CHUNKED = 'POST /rest/Employee(1) HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'

/** A permission hook that is slow for the first request and fast for all others. */
function slowAtFirst(): RestOptions {
  let asked = 0
  return {
    admit: async () => {
      if (asked++ === 0) await new Promise((resolve) => setTimeout(resolve, 40))
      return true
    },
  }
}

describe('requests of one connection', () => {
  test.each([
    ['', {}],
    [', although the first takes longer', slowAtFirst()],
  ])('are executed in order%s', async (_how, options) => {
    const { port } = await serve(options)
    const answer = await raw(port, put(1, '{"salary":4321}') + GET)
    expect(statuses(answer)).toEqual(['200', '200'])
    expect(answer.slice(answer.lastIndexOf('HTTP/1.1'))).toContain('4321')
  })

  test.each([
    ['ASCII', 'n'],
    ['other text', 'é😀'],
  ])(
    'are answered whole and in their order when answers of %s are long',
    async (_what, letters) => {
      const { store, port } = await serve()
      const ask = (key: number, verb = 'GET'): string =>
        `${verb} /rest/Company(${key})?$attributes=city HTTP/1.1\r\nHost: x\r\n\r\n`
      store.Company.update(1, { city: letters.repeat(9000) })
      store.Company.update(2, { city: 'short' })
      const answer = await raw(port, ask(1) + ask(2) + ask(1, 'HEAD') + ask(1) + GET)
      const bodies = Buffer.from(answer, 'latin1')
        .toString()
        .split('HTTP/1.1 200 OK')
        .map((part) => part.split('\r\n\r\n')[1])
      const cities = [1, 2, 4].map((at) => JSON.parse(bodies[at] as string).city)
      expect(cities).toEqual([letters.repeat(9000), 'short', letters.repeat(9000)])
      expect(bodies[3]).toBe('')
      expect(bodies).toHaveLength(6)
    },
  )

  test('are executed in order when the first has a long body', async () => {
    const { port, store } = await serve()
    const first = put(1, JSON.stringify({ lastName: 'x'.repeat(900_000) }))
    const answer = await raw(
      port,
      `${first}DELETE /rest/Employee(1) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    )
    expect(statuses(answer)).toEqual(['200', '200'])
    expect(store.Employee.get(1)).toBeUndefined()
  })

  test('are executed in order when middleware delays the first one', async () => {
    const { port } = await serve({}, (handler) => (request, response) => {
      if (request.method === 'POST') setTimeout(() => handler(request, response), 40)
      else handler(request, response)
    })
    const answer = await raw(port, put(1, '{"salary":4321}') + GET)
    expect(answer.slice(answer.lastIndexOf('HTTP/1.1'))).toContain('4321')
  })

  test('are not executed after the client has disconnected', async () => {
    const { port, store } = await serve(slowAtFirst())
    const before = store.globalStamp
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(GET.replace('Connection: close\r\n', '') + put(1, '{"salary":4321}'), () =>
          socket.destroy(),
        )
      })
      socket.on('close', () => resolve())
    })
    await raw(port, GET)
    await new Promise((resolve) => setTimeout(resolve, 80))
    expect(store.globalStamp).toBe(before)
  })
})

describe('malformed bytes after a request', () => {
  test.each([
    ['', {}],
    [' that takes its time', slowAtFirst()],
  ])('do not affect its answer%s, and are answered after it', async (_how, options) => {
    const { port, store } = await serve(options)
    const answer = await raw(port, `${put(1, '{"salary":504}')}GARBAGE\0\r\n\r\n`)
    expect(statuses(answer)).toEqual(['200', '400'])
    expect(store.Employee.get(1)?.salary).toBe(504)
    expect(answer).toContain('"errCode":1806')
  })

  test('get their answer after those of all requests before them', async () => {
    const { port, store } = await serve(slowAtFirst())
    const answer = await raw(
      port,
      `${put(1, '{"salary":1}')}${put(2, '{"salary":2}')}GARBAGE\r\n\r\n`,
    )
    expect(statuses(answer)).toEqual(['200', '200', '400'])
    expect([store.Employee.get(1)?.salary, store.Employee.get(2)?.salary]).toEqual([1, 2])
  })

  test('are answered once, even if they never end', async () => {
    const { port } = await serve(slowAtFirst())
    const answer = await new Promise<string>((resolve) => {
      let more: NodeJS.Timeout | undefined
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(`${put(1, '{"salary":1}')}GARBAGE\r\n\r\n`)
        more = setInterval(() => socket.write('GARBAGE\r\n\r\n'), 5)
      })
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1')
      })
      socket.on('error', () => undefined)
      socket.on('close', () => {
        clearInterval(more)
        resolve(text)
      })
    })
    expect(statuses(answer)).toEqual(['200', '400'])
  })

  test('in its body get a 400, and nothing is stored', async () => {
    for (const options of [{}, slowAtFirst()]) {
      const { port, store } = await serve(options)
      const before = store.globalStamp
      const answer = await raw(port, `${CHUNKED}e\r\n{"salary":504}\r\nno chunk\r\n`)
      expect([statuses(answer), store.globalStamp]).toEqual([['400'], before])
      expect(answer.toLowerCase()).toContain('connection: close')
      expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)).__ERROR[0].errCode).toBe(9102)
    }
  })

  test('in the body of the second request do not affect the first', async () => {
    const { port, store } = await serve()
    const answer = await raw(
      port,
      `${put(2, '{"salary":2}')}${CHUNKED}e\r\n{"salary":504}\r\nno chunk\r\n`,
    )
    expect([statuses(answer), store.Employee.get(2)?.salary]).toEqual([['200', '400'], 2])
    expect(store.Employee.get(1)?.salary).not.toBe(504)
  })

  test('in an unread body do not hide the result of the request', async () => {
    const { port, store } = await serve()
    const head =
      'GET /rest/Employee(1)?$lock=true HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'
    const answer = await raw(port, `${head}no chunk\r\n`)
    expect(answer.includes('"result":true')).toBe(store.locks.size === 1)
    expect(statuses(answer)).toHaveLength(1)
  })
})

describe('answers that node:http alone would send without JSON', () => {
  const errorOf = (answer: string) =>
    JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)).__ERROR[0]

  test('are JSON for a request without a host', async () => {
    const { port, store } = await serve()
    const before = store.globalStamp
    const answer = await raw(port, put(1, '{"salary":504}').replace('Host: x', 'Connection: close'))
    expect(statuses(answer)).toEqual(['400'])
    expect(errorOf(answer)).toMatchObject({
      errCode: 9116,
      message: expect.stringContaining('names no host'),
    })
    expect(store.globalStamp).toBe(before)
    expect(await raw(port, 'GET /rest/Employee(1) HTTP/1.0\r\n\r\n')).toContain('200 OK')
  })

  test('are JSON with 408 and its own code for a body that never arrives', async () => {
    const { port } = await serve({}, undefined, {
      requestTimeout: 60,
      headersTimeout: 60,
      connectionsCheckingInterval: 20,
    })
    for (const text of ['GET /rest/Emp', put(1, '{"salary":504}').slice(0, -3)]) {
      const answer = await raw(port, text)
      expect([statuses(answer), errorOf(answer).errCode]).toEqual([['408'], 9115])
    }
  })

  test('are those of the request if its expectation is unknown', async () => {
    const { port } = await serve()
    expect(statuses(await raw(port, GET.replace('Host: x', 'Host: x\r\nExpect: x')))).toEqual([
      '200',
    ])
  })
})
