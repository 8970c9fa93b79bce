import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { ExplorerFile } from '@entia/explorer'
import { CliError } from './cli-error.ts'

/** Closes slow and idle clients early: Node's defaults wait for minutes and limit nothing. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 5_000,
  // The REST adapter refuses such requests with a JSON error.
  requireHostHeader: false,
}
const maxHeadersCount = 100
const maxConnections = 1_000
/** Milliseconds for open requests to finish after the server is asked to stop. */
const CLOSE_GRACE = 10_000

export interface Site {
  /** Files by path, next to the REST interface. */
  readonly files: ReadonlyMap<string, ExplorerFile>
  readonly rest: RequestListener
  /** Answers heads that Node refuses before a request exists: malformed or oversized ones. */
  readonly onClientError: (error: Error, socket: Socket) => void
}

export interface SiteServer {
  readonly http: Server
  /** From now on the answer to a request ends its connection. New ones are still accepted. */
  readonly endConnections: () => void
  readonly closeUnused: () => void
}

/**
 * Creates a server that serves the files and passes other requests to the REST adapter. It does not
 * listen yet. `current` is called for each request, since a site may be replaced.
 */
export function createSiteServer(current: () => Site): SiteServer {
  const answer: RequestListener = (request, response) => {
    const site = current()
    const path = request.url?.split('?', 1)[0]
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const file = isRead && path !== undefined ? site.files.get(path) : undefined
    if (file !== undefined) {
      response.writeHead(200, file.headers)
      response.end(file.body)
    } else if (isRead && path === '/favicon.ico') {
      response.writeHead(204).end()
    } else {
      site.rest(request, response)
    }
  }
  const http = createServer(limits, answer)
  // Clients may send unknown expectations; by default Node answers them with an empty refusal.
  http.on('checkExpectation', answer)
  http.maxHeadersCount = maxHeadersCount
  http.maxConnections = maxConnections
  http.on('clientError', (error, socket) => current().onClientError(error, socket as Socket))
  return { http, ...trackConnections(http) }
}

/** Starts listening and returns the actual port. Throws `CliError` if that fails. */
export async function listen({ http }: SiteServer, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    http.once('error', (error) => reject(listenFailure(error, port, host)))
    http.listen(port, host, resolve)
  })
  return (http.address() as AddressInfo).port
}

function listenFailure(error: NodeJS.ErrnoException, port: number, host: string): CliError {
  switch (error.code) {
    case 'EADDRINUSE':
      return new CliError(
        `Port ${port} on ${host} is in use by another program. Choose another with --port or the variable PORT, or 0 for any free one.`,
      )
    case 'EACCES':
      return new CliError(
        `Port ${port} on ${host} is not permitted to this user. Choose one above 1023 with --port.`,
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new CliError(
        `${host} is not an address of this machine. Use --host 127.0.0.1, or --host 0.0.0.0 for all.`,
      )
    default:
      return new CliError(`Port ${port} on ${host} cannot be opened: ${error.message}`)
  }
}

/**
 * Stops accepting connections and waits for open requests, at most for some milliseconds.
 * Connections without a request are closed immediately: browsers open some in advance, and Node
 * would wait.
 */
export async function close(server: SiteServer, milliseconds = CLOSE_GRACE): Promise<void> {
  server.endConnections()
  const sweep = setInterval(() => server.closeUnused(), 50)
  const impatience = setTimeout(() => server.http.closeAllConnections(), milliseconds)
  await new Promise<void>((resolve) => {
    server.http.close(() => resolve())
    server.closeUnused()
  })
  clearInterval(sweep)
  clearTimeout(impatience)
}

/** Counts the open requests of each connection. */
function trackConnections(http: Server): Pick<SiteServer, 'endConnections' | 'closeUnused'> {
  const requests = new Map<Socket, number>()
  const responses = new Set<ServerResponse>()
  let isEnding = false
  http.on('connection', (socket) => {
    requests.set(socket, 0)
    socket.once('close', () => requests.delete(socket))
  })
  // Before the listener that answers: it may do so at once.
  http.prependListener('request', ({ socket }, response) => {
    const add = (change: number) => {
      const count = requests.get(socket)
      if (count !== undefined) requests.set(socket, count + change)
    }
    add(1)
    if (isEnding) endWith(response)
    responses.add(response)
    response.once('close', () => {
      add(-1)
      responses.delete(response)
    })
  })
  return {
    endConnections() {
      isEnding = true
      for (const response of responses) endWith(response)
    },
    closeUnused() {
      for (const [socket, count] of requests) if (count === 0) socket.destroySoon()
    },
  }
}

function endWith(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}
