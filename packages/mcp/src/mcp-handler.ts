import type { IncomingMessage, ServerResponse } from 'node:http'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { EntityInterface } from './entity-interface.ts'
import { createMcpServer } from './mcp-server.ts'
import { checkObject, checkOptions, checkSource, type McpOptions } from './options.ts'

export interface McpHandlerOptions extends McpOptions {
  /**
   * Host names (without port) that requests may be sent to, or `*` for all. The default is
   * `localhost`, `127.0.0.1` and `[::1]`: a web page may resolve a name of its own to this machine
   * (DNS rebinding).
   */
  readonly allowedHosts?: readonly string[] | '*'
  /** Origins of web pages that may send requests; by default none. */
  readonly allowedOrigins?: readonly string[]
}

/** Answers the Model Context Protocol over HTTP. Each request stands alone: there is no session. */
export interface McpHandler {
  /** For hosts with web-standard requests: Hono, Deno, Bun, workers. */
  fetch(request: Request): Promise<Response>
  /** For node:http, Express and alike. `parsedBody` is the body, if the host has read it. */
  node(request: IncomingMessage, response: ServerResponse, parsedBody?: unknown): Promise<void>
}

/** Headers of the assistant's request that identify its user to the entity interface. */
const FORWARDED = ['authorization', 'cookie'] as const
/** The headers of a request of node:http that this module looks at. */
const READ = ['host', 'origin', ...FORWARDED] as const
const LOCAL = ['localhost', '127.0.0.1', '[::1]']
const stateless = { enableJsonResponse: true }

/**
 * A Model Context Protocol server over HTTP ("streamable HTTP", stateless). The headers
 * `authorization` and `cookie` of a request go to the entity interface, which decides what the
 * caller may do. Throws a `TypeError` for a wrong option.
 *
 * @example
 * ```ts
 * const handler = createMcpHandler({ basePath: '/rest', fetch: rest.fetch })
 * ```
 */
export function createMcpHandler(
  source: EntityInterface,
  given: McpHandlerOptions = {},
): McpHandler {
  checkSource(source)
  const { allowedHosts = LOCAL, allowedOrigins = [], ...options } = checkObject(given)
  checkOptions(options)
  if (allowedHosts !== '*') checkTexts('allowedHosts', allowedHosts)
  checkTexts('allowedOrigins', allowedOrigins)
  const hosts =
    allowedHosts === '*' ? null : new Set(allowedHosts.map((host) => host.toLowerCase()))
  const refusalOf = (method: string, headers: Headers): Refused | null => {
    const host = (headers.get('host') ?? '').replace(/:\d+$/, '').toLowerCase()
    if (hosts?.has(host) === false)
      return refused(403, `Requests for the host "${host}" are refused (option allowedHosts).`)
    const origin = headers.get('origin')
    if (origin !== null && !allowedOrigins.includes(origin))
      return refused(403, `Requests from ${origin} are refused (option allowedOrigins).`)
    return method === 'POST' ? null : refused(405, 'Send messages with POST.')
  }
  const connected = async <T extends Transport>(transport: T, given: Headers): Promise<T> => {
    const headers = new Headers(options.headers)
    for (const name of FORWARDED) {
      const value = given.get(name)
      if (value !== null) headers.set(name, value)
    }
    await createMcpServer(source, { ...options, headers }).connect(transport)
    return transport
  }

  return {
    async fetch(request) {
      const headers = new Headers(request.headers)
      if (!headers.has('host')) headers.set('host', new URL(request.url).host)
      const refusal = refusalOf(request.method, headers)
      if (refusal !== null)
        return new Response(refusal.body, { status: refusal.status, headers: refusal.headers })
      const transport = new WebStandardStreamableHTTPServerTransport(stateless)
      return (await connected(transport, headers)).handleRequest(request)
    },
    async node(request, response, parsedBody) {
      const headers = new Headers()
      for (const name of READ) {
        const value = request.headers[name]
        if (value !== undefined) headers.set(name, value)
      }
      const refusal = refusalOf(request.method ?? '', headers)
      if (refusal !== null) {
        response.writeHead(refusal.status, refusal.headers).end(refusal.body)
        return
      }
      const transport = new StreamableHTTPServerTransport(stateless)
      // A client that disconnects ends the work for it.
      response.once('close', () => void transport.close())
      // The class declares optional callbacks in a form that exactOptionalPropertyTypes rejects.
      await (
        await connected(transport as Transport & StreamableHTTPServerTransport, headers)
      ).handleRequest(request, response, parsedBody)
    },
  }
}

function checkTexts(option: string, value: unknown): void {
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'string'))
    throw new TypeError(`The option ${option} must be an array of texts, not ${String(value)}.`)
}

interface Refused {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

const refused = (status: number, message: string): Refused => ({
  status,
  headers: { 'content-type': 'application/json', ...(status === 405 && { allow: 'POST' }) },
  body: JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }),
})
