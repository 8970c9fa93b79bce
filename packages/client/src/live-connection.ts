import { RemoteError } from './remote-error.ts'
import { type ServerEvent, ServerEvents } from './server-events.ts'
import type { Parameters, Transport } from './transport.ts'

/** The events of one live query, until its connection or the query ends. */
export interface QueryEvents {
  /** Milliseconds to wait before reconnecting; null if the server did not say. */
  readonly retry: number | null
  read(): AsyncGenerator<ServerEvent, void, undefined>
}

/** What is requested. */
export interface LiveRequest {
  readonly path: string
  readonly parameters: Parameters
  readonly lastEventId: string
  /** Not undefined for a query that needs a connection of its own. */
  readonly silence: number | undefined
}

const STREAM_UNKNOWN = 9167
/** Events of one query that wait for their reader. */
const MAX_WAITING = 100

/**
 * The live queries of one page share one event stream, because browsers allow six connections to a
 * server over HTTP/1.1. The first query opens it, and others are added by short requests. A query
 * whose stream another process has opens the next one. Servers of earlier versions do not share.
 */
export class LiveConnection {
  readonly #transport: Transport
  #shared: SharedEvents | null = null
  #canShare = true

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Opens a live query after the last event received. Throws `RemoteError`. */
  async open(request: LiveRequest, signal: AbortSignal): Promise<QueryEvents> {
    while (this.#canShare && request.silence === undefined) {
      const shared = this.#shared
      if (shared === null || shared.isEnded) return this.#openFirst(request, signal)
      const added = await shared.add(request, signal)
      if (added === 'ended') continue
      // The user has logged in since, or another process has the stream: later queries share this.
      if (added === 'unknown') return this.#openFirst(request, signal)
      if (added instanceof ServerEvents) this.#canShare = false
      return added
    }
    const { body } = await this.#transport.open(request, signal)
    return new ServerEvents(body, request.silence, signal)
  }

  /** Opens the stream. Other queries are added to it at once, before the server answers. */
  async #openFirst(request: LiveRequest, signal: AbortSignal): Promise<QueryEvents> {
    const shared = new SharedEvents(this.#transport)
    this.#shared = shared
    const abort = (): void => shared.end(signal.reason)
    signal.addEventListener('abort', abort)
    try {
      const opening = this.#transport.open(request, shared.signal, `${shared.id} 0`)
      const { body, stream } = await opening
      signal.removeEventListener('abort', abort)
      if (stream === shared.id) return shared.begin(body, signal)
      // A server of an earlier version: the stream has this query only.
      this.#canShare = false
      signal.addEventListener('abort', abort)
      return new ServerEvents(body, undefined, signal)
    } catch (error) {
      shared.end(error)
      throw error
    }
  }
}

/** A query of a shared stream: its events that were not read yet. */
interface Reader {
  readonly waiting: ServerEvent[]
  wake: () => void
  isEnded: boolean
}

class SharedEvents {
  readonly id = unguessable()
  readonly #transport: Transport
  readonly #connection = new AbortController()
  #events: ServerEvents | null = null
  readonly #readers = new Map<number, Reader>()
  #last = 0
  isEnded = false

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Aborted when the stream ends. */
  get signal(): AbortSignal {
    return this.#connection.signal
  }

  /** Takes the answer that opened the stream. Returns the events of its first query. */
  begin(body: ReadableStream<Uint8Array>, signal: AbortSignal): QueryEvents {
    const events = new ServerEvents(body, undefined, this.signal)
    this.#events = events
    const first = this.#follow(0, signal)
    void this.#distribute(events)
    return first
  }

  /**
   * Adds a query to the stream. `ended` if the stream ends meanwhile, `unknown` if the server does
   * not find it; a stream of its own from a server of an earlier version. Throws `RemoteError`.
   */
  async add(request: LiveRequest, signal: AbortSignal): Promise<QueryEvents | 'ended' | 'unknown'> {
    const query = ++this.#last
    // Its first event may arrive before the answer.
    const events = this.#follow(query, signal)
    const asking = new AbortController()
    const abort = (): void => asking.abort(signal.reason)
    signal.addEventListener('abort', abort)
    this.signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
    try {
      const opening = this.#events === null ? ' opening' : ''
      const sharing = `${this.id} ${query}${opening}`
      const own = await this.#transport.addLive(request, asking.signal, sharing)
      if (own === null) return events
      this.#end(query, false)
      return new ServerEvents(own, undefined, signal)
    } catch (error) {
      this.#end(query, signal.aborted)
      if (signal.aborted) throw error
      if (this.isEnded) return 'ended'
      if (error instanceof RemoteError && error.errCode === STREAM_UNKNOWN) return 'unknown'
      throw error
    } finally {
      signal.removeEventListener('abort', abort)
      this.signal.removeEventListener('abort', abort)
    }
  }

  /** Ends all queries. */
  end(reason: unknown): void {
    if (this.isEnded) return
    this.isEnded = true
    for (const query of [...this.#readers.keys()]) this.#end(query, false)
    this.#connection.abort(reason)
  }

  /** The events of a query. Aborting the signal ends the query, also before it is read. */
  #follow(query: number, signal: AbortSignal): QueryEvents {
    const reader: Reader = { waiting: [], wake: () => {}, isEnded: this.isEnded }
    this.#readers.set(query, reader)
    const abort = (): void => this.#end(query, true)
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
    const retry = (): number | null => this.#events?.retry ?? null
    const end = (): void => {
      signal.removeEventListener('abort', abort)
      this.#end(query, true)
    }
    return {
      get retry() {
        return retry()
      },
      async *read() {
        try {
          for (;;) {
            const event = reader.waiting.shift()
            if (event !== undefined) yield event
            else if (reader.isEnded) return
            else
              await new Promise<void>((wake) => {
                reader.wake = wake
              })
          }
        } finally {
          end()
        }
      },
    }
  }

  async #distribute(events: ServerEvents): Promise<void> {
    for await (const event of events.read()) {
      const reader = this.#readers.get(event.query)
      if (reader === undefined) continue
      if (event.name === 'end') this.#end(event.query, false)
      else {
        reader.waiting.push(event)
        reader.wake()
        // A slow reader must not fill the memory: it reconnects, and gets the rest as one event.
        if (reader.waiting.length >= MAX_WAITING) this.#end(event.query, true)
      }
    }
    this.end(undefined)
  }

  /** Ends a query, here and on the server, and the connection with the last one. */
  #end(query: number, tellsServer: boolean): void {
    const reader = this.#readers.get(query)
    if (reader === undefined) return
    this.#readers.delete(query)
    reader.isEnded = true
    reader.wake()
    if (this.isEnded) return
    // Before it is open, the stream waits for its first query.
    if (this.#events === null) return
    if (this.#readers.size === 0) this.end(undefined)
    else if (tellsServer)
      // If it is lost, the server sends events that are ignored until the connection ends.
      void this.#transport.ask('DELETE', `$live/${this.id}/${query}`).catch(() => {})
  }
}

/** An id for a stream. Pages without HTTPS have no `randomUUID`. */
const unguessable = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
