import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRestHandler } from '@entia/rest'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished, test } from 'vitest'
import { createMcpHandler, interfaceAt, type McpHandlerOptions } from '../src/index.ts'
import { calledOf, createOffice } from './office.ts'

const users = [{ ID: 'ada', name: 'ada', password: 'x', fullName: 'Ada', groups: [] }]

/** A server on a free port that answers assistants. */
async function listenWith(
  options: McpHandlerOptions = {},
  source = createRestHandler(createOffice()),
) {
  const handler = createMcpHandler(source, options)
  const server = createServer((request, response) => void handler.node(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
}

async function connectTo(url: URL, fetchBy?: typeof fetch) {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(url, fetchBy && { fetch: fetchBy }))
  onTestFinished(() => client.close())
  return client
}

test('answers the client of the SDK over node:http', async () => {
  const client = await connectTo(await listenWith())
  const result = calledOf(
    await client.callTool({
      name: 'aggregate',
      arguments: { dataClass: 'Employee', attribute: 'ID' },
    }),
  )
  expect(result.data.count).toBe(4)
})

test('answers web-standard requests', async () => {
  const { fetch } = createMcpHandler(createRestHandler(createOffice()))
  const client = await connectTo(new URL('http://localhost/mcp'), (input, init) =>
    fetch(new Request(input, init)),
  )
  expect((await client.listTools()).tools).toHaveLength(6)
})

test('refuses other host names and origins, and other methods', async () => {
  const { fetch } = createMcpHandler(createRestHandler(createOffice()), {
    allowedOrigins: ['https://desk.example'],
  })
  const statusOf = async (url: string, init: RequestInit) =>
    (await fetch(new Request(url, init))).status
  const message = { method: 'POST', body: '{}' }
  expect(await statusOf('http://evil.example/mcp', message)).toBe(403)
  const from = (origin: string) => ({ ...message, headers: { origin } })
  expect(await statusOf('http://localhost/mcp', from('http://evil.example'))).toBe(403)
  expect(await statusOf('http://localhost/mcp', from('https://desk.example'))).not.toBe(403)
  expect(await statusOf('http://localhost/mcp', { method: 'GET' })).toBe(405)
  const open = createMcpHandler(createRestHandler(createOffice()), { allowedHosts: '*' })
  expect((await open.fetch(new Request('http://evil.example/', message))).status).not.toBe(403)
})

test('the credentials of a request reach the interface for this request only', async () => {
  const rest = createRestHandler(createOffice(), {
    users,
    authorize: ({ session }) => session?.user?.ID === 'ada',
  })
  const login = await rest.fetch(
    new Request('http://localhost/rest/$directory/login', {
      method: 'POST',
      body: JSON.stringify(['ada', 'x']),
    }),
  )
  const cookie = login.headers
    .getSetCookie()
    .map((set) => set.split(';', 1)[0])
    .join('; ')
  const { fetch } = createMcpHandler(rest)
  const ask = async (headers: Record<string, string>) => {
    const client = await connectTo(new URL('http://localhost/'), (input, init) => {
      const request = new Request(input, init)
      for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
      return fetch(request)
    })
    return calledOf(await client.callTool({ name: 'query', arguments: { dataClass: 'Company' } }))
  }
  expect((await ask({ cookie })).data.count).toBe(2)
  const refused = await ask({})
  expect(refused.isError).toBe(true)
  expect(refused.text).toContain('cannot be found')
})

test('serves an interface at an address', async () => {
  const rest = createRestHandler(createOffice())
  const server = createServer(async (request, response) => {
    const answer = await rest.fetch(new Request(`http://localhost${request.url}`))
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(await answer.text())
  }).listen(0)
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const call = async (address: string) => {
    const { fetch } = createMcpHandler(interfaceAt(address))
    const client = await connectTo(new URL('http://localhost/'), (input, init) =>
      fetch(new Request(input, init)),
    )
    return calledOf(await client.callTool({ name: 'query', arguments: { dataClass: 'Company' } }))
  }
  expect((await call(`${base}/rest/`)).data.count).toBe(2)
  expect((await call(`${base}/nowhere`)).isError).toBe(true)
})
