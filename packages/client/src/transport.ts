import { checkConnection } from './check-input.ts'
import { LiveConnection, type LiveRequest } from './live-connection.ts'
import { type ErrorEntry, isUnavailable, RemoteError, storeEntry } from './remote-error.ts'

/** Options of a connection. */
export interface ConnectOptions {
  /** Replaces the global `fetch`: `rest.fetch` of a handler, for tests. */
  readonly fetch?: (request: Request) => Promise<Response>
  /** Sent with every request, for example an authorization. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  /** Parsed JSON. */
  readonly body: unknown
}

export type Parameters = Readonly<Record<string, string | number | boolean | undefined>>

const transports = new WeakMap<object, Transport>()

/** Notes what sends the requests of a client. */
export const sendBy = (remote: object, transport: Transport): void =>
  void transports.set(remote, transport)

/** What sends the requests of a client that `connect` returned; undefined for another object. */
export const transportOf = (remote: object): Transport | undefined => transports.get(remote)

/** Sends requests below one address and keeps the session's cookie if the browser does not. */
export class Transport {
  readonly base: string
  /** The live queries of this connection. */
  readonly live = new LiveConnection(this)
  /** Called when the server answers a request: by live queries that wait to connect again. */
  readonly answered = new Set<() => void>()
  readonly #send: (request: Request) => Promise<Response>
  readonly #headers: Readonly<Record<string, string>>
  readonly #cookies = new Map<string, string>()
  /** What this client has seen, from a server whose processes may be behind; else null. */
  #position: string | null = null

  constructor(base: string, options: ConnectOptions) {
    checkConnection(base, options)
    const { fetch: send = (request) => fetch(request), headers = {} } = options
    this.base = base.replace(/\/+$/, '')
    this.#send = send
    this.#headers = headers
  }

  /** Resolves to a response with a status below 400. Throws `RemoteError` for any other. */
  async ask(
    method: string,
    path: string,
    parameters: Parameters = {},
    body?: unknown,
    signal?: AbortSignal,
  ): Promise<unknown> {
    const answer = await this.request(method, path, parameters, body, signal)
    if (answer.status >= 400) throw errorOf(answer)
    return answer.body
  }

  /**
   * Resolves to a response of any status. Throws `RemoteError` if there is none, or if it is not
   * JSON.
   */
  async request(
    method: string,
    path: string,
    parameters: Parameters = {},
    body?: unknown,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const response = await this.#respond(method, this.#at(path, parameters), { body, signal })
    return this.#answer(path, response)
  }

  /**
   * As `ask`, for functions: a body that is not JSON is the function's own, and becomes a `Blob`.
   */
  async call(path: string, parameters: Parameters, body: readonly unknown[]): Promise<unknown> {
    const response = await this.#respond('POST', this.#at(path, parameters), { body })
    const type = response.headers.get('content-type') ?? ''
    if (response.status < 400 && !/^application\/json\b/.test(type)) return response.blob()
    const answer = await this.#answer(path, response)
    if (answer.status >= 400) throw errorOf(answer)
    return answer.body
  }

  /** Reads the content of an address that the server emitted. Throws `RemoteError`. */
  async bytes(uri: string): Promise<Uint8Array> {
    // Another origin must not receive the session and the headers.
    if (!/^\/[^/]/.test(uri)) throw new RemoteError(0, `"${uri}" is not an address of the server.`)
    const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i.exec(this.base)?.[0] ?? ''
    const response = await this.#respond('GET', origin + uri)
    if (response.status >= 400) throw errorOf(await this.#answer(uri, response))
    // Content is never JSON: `{}` stands for none.
    if (!/^application\/json\b/.test(response.headers.get('content-type') ?? ''))
      return new Uint8Array(await response.arrayBuffer())
    throw new RemoteError(response.status, `"${uri}" is empty by now. Read the entity again.`)
  }

  /**
   * Opens an answer that goes on, of lines of JSON. Throws `RemoteError` for any other, and the
   * reason of the signal.
   */
  async lines(
    path: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#respond('POST', this.#at(path, {}), { body, signal })
    const type = response.headers.get('content-type') ?? ''
    if (response.status < 400 && response.body !== null && /^application\/x-ndjson\b/.test(type))
      return response.body
    throw await this.#streamError(path, response)
  }

  /** Uploads an image or BLOB. Resolves to the form in which a write names it. */
  async upload(raw: Uint8Array, isImage: boolean): Promise<unknown> {
    const path = `$upload?${isImage ? '$rawPict' : '$binary'}=true`
    const response = await this.#respond('POST', this.#at(path, {}), { raw })
    const answer = await this.#answer(path, response)
    if (answer.status >= 400) throw errorOf(answer)
    return answer.body
  }

  async #answer(path: string, response: Response): Promise<Answer> {
    const text = await response.text()
    try {
      return { status: response.status, body: text === '' ? null : JSON.parse(text) }
    } catch {
      throw this.#foreign(path, response.status)
    }
  }

  /**
   * Opens an event stream after the last event received. With the id of a stream as `sharing` it
   * takes further queries, if the server answers with the same id. Throws `RemoteError`.
   */
  async open(
    request: LiveRequest,
    signal: AbortSignal,
    sharing?: string,
  ): Promise<{ readonly body: ReadableStream<Uint8Array>; readonly stream: string | null }> {
    const { path } = request
    const response = await this.#requestLive(request, signal, sharing)
    const { status, body } = response
    if (
      status < 400 &&
      body !== null &&
      /^text\/event-stream\b/.test(response.headers.get('content-type') ?? '')
    )
      return { body, stream: response.headers.get('live-stream') }
    throw await this.#streamError(path, response)
  }

  /**
   * Adds a live query to a shared event stream. Resolves to null, or to a stream of its own from a
   * server that does not share streams. Throws `RemoteError`.
   */
  async addLive(
    request: LiveRequest,
    signal: AbortSignal,
    sharing: string,
  ): Promise<ReadableStream<Uint8Array> | null> {
    const response = await this.#requestLive(request, signal, sharing)
    if (response.status === 200) return response.body
    if (response.status !== 202) throw await this.#streamError(request.path, response)
    await response.text()
    return null
  }

  #requestLive(
    { path, parameters, lastEventId }: LiveRequest,
    signal: AbortSignal,
    sharing: string | undefined,
  ): Promise<Response> {
    const liveHeaders = {
      ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }),
      ...(sharing === undefined ? {} : { 'live-stream': sharing }),
    }
    return this.#respond('GET', this.#at(path, parameters), { liveHeaders, signal })
  }

  async #streamError(path: string, response: Response): Promise<RemoteError> {
    const text = await response.text()
    try {
      return errorOf({ status: response.status, body: JSON.parse(text) })
    } catch {
      return this.#foreign(path, response.status)
    }
  }

  #at(path: string, parameters: Parameters): string {
    return `${this.base}/${path}${searchOf(parameters)}`
  }

  async #respond(
    method: string,
    address: string,
    more: {
      /** Sent as JSON. */
      readonly body?: unknown
      /** Sent as it is. */
      readonly raw?: Uint8Array
      /** Of a live query: its answer wakes none of those that wait for an answer. */
      readonly liveHeaders?: Readonly<Record<string, string>>
      readonly signal?: AbortSignal | undefined
    } = {},
  ): Promise<Response> {
    const { body, raw, liveHeaders, signal } = more
    signal?.throwIfAborted()
    const headers = new Headers({ ...this.#headers, ...liveHeaders })
    if (body !== undefined) headers.set('content-type', 'application/json')
    if (raw !== undefined) headers.set('content-type', 'application/octet-stream')
    if (this.#position !== null) headers.set('entia-position', this.#position)
    if (this.#cookies.size > 0)
      headers.set(
        'cookie',
        [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      )
    const request = this.#request(address, {
      method,
      headers,
      credentials: 'include',
      ...(body === undefined ? {} : { body: jsonOf(body) }),
      // A copy: fetch takes no memory that is shared with other threads.
      ...(raw === undefined ? {} : { body: new Uint8Array(raw) }),
      ...(signal === undefined ? {} : { signal }),
    })
    let response: Response
    try {
      response = await this.#send(request)
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      throw new RemoteError(0, `${this.base} does not answer: ${problemOf(error)}`, [], error)
    }
    this.#keep(response)
    if (liveHeaders === undefined && !isUnavailable(response.status))
      for (const goOn of this.answered) goOn()
    return response
  }

  /** Outside of a page, no host completes an address that begins with a slash. */
  #request(address: string, init: RequestInit): Request {
    try {
      return new Request(address, init)
    } catch (error) {
      if (!this.base.startsWith('/')) throw error
      const problem = `"${this.base}" has no host, and only a page adds its own. Connect to a whole address, such as http://localhost:8080${this.base}.`
      throw new RemoteError(0, problem, [], error)
    }
  }

  #foreign(path: string, status: number): RemoteError {
    const problem = `${this.base}/${path} answered ${status} without JSON. Check that the address is an entity interface.`
    return new RemoteError(status, problem)
  }

  /**
   * Notes that the client has seen the commits up to a position: `<global stamp>-<dataset>`. Only
   * for a server whose answers have positions.
   */
  saw(position: string): void {
    if (this.#position === null) return
    const [stamp, dataset] = position.split('-')
    const [known, ours] = this.#position?.split('-') ?? []
    if (dataset !== ours || Number(stamp) > Number(known)) this.#position = `${stamp}-${dataset}`
  }

  /** Browsers hide cookies from code and keep them themselves. */
  #keep({ headers }: Response): void {
    const position = headers.get('entia-position')
    if (position !== null) {
      this.#position ??= position
      this.saw(position)
    }
    for (const cookie of headers.getSetCookie?.() ?? []) {
      const [, name, value] = /^([^=;]+)=([^;]*)/.exec(cookie) ?? []
      if (name === undefined || value === undefined) continue
      if (value === '' || /;\s*max-age=0/i.test(cookie)) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
  }
}

/**
 * The JSON of a request body. Throws a TypeError for values that JSON leaves out, or writes as null
 * or as an object without members: the server would store another value.
 */
function jsonOf(body: unknown): string {
  return JSON.stringify(body, function (this: unknown, name: string, value: unknown) {
    const found = lostInJson(this, (this as { readonly [name: string]: unknown })[name])
    if (found === null) return value
    throw new TypeError(`"${name}" is ${found}, which JSON cannot hold.`)
  })
}

/** What JSON cannot hold, in words; null for other values. `undefined` leaves a member out. */
function lostInJson(holder: unknown, value: unknown): string | null {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? null : String(value)
    case 'undefined':
      return Array.isArray(holder) ? 'undefined' : null
    case 'bigint':
    case 'function':
    case 'symbol':
      return `a ${typeof value}`
    case 'object': {
      if (value === null) return null
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid date' : null
      if (ArrayBuffer.isView(value)) return 'bytes'
      if ('toJSON' in value && typeof value.toJSON === 'function')
        // Among the values for an entity, its result would replace all of them.
        return Object.hasOwn(value, 'toJSON') ? 'an object with a function "toJSON"' : null
      const kind = Object.prototype.toString.call(value).slice(8, -1)
      return kind === 'Object' || kind === 'Array' ? null : `an instance of ${kind}`
    }
    default:
      return null
  }
}

/** Node's `fetch` says only that it failed; what failed is in the cause. */
function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause, message } = error
  // A host with several addresses has one error for each, and none of its own.
  const deepest = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause
  return deepest instanceof Error ? `${message}: ${problemOf(deepest)}` : message
}

/** The error that a response describes. */
export function errorOf({ status, body }: Answer): RemoteError {
  const errors = errorsIn(body)
  const message = storeEntry(errors)?.message ?? `The request was answered with ${status}.`
  return new RemoteError(status, message, errors)
}

function errorsIn(body: unknown): readonly ErrorEntry[] {
  if (
    typeof body !== 'object' ||
    body === null ||
    !('__ERROR' in body) ||
    !Array.isArray(body.__ERROR)
  )
    return []
  return body.__ERROR as readonly ErrorEntry[]
}

// Parameter names start with a plain `$` and blanks are `%20`: URLSearchParams would write `%24`
// and `+`.
export function searchOf(parameters: Parameters): string {
  const parts = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}
