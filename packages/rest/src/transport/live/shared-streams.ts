import type { Session } from '@entia/core'
import type { Awaitable, HandlerHost } from '@entia/engine'
import type { StreamSharing } from '../../endpoints/context/answer.ts'
import { restError } from '../../errors/rest-error.ts'
import { HEARTBEAT } from '../../render/live-events.ts'
import { EventStream } from './event-stream.ts'

/** Numbers of removed queries that a stream remembers. */
const MAX_REMOVED = 1000

/** A text that waits until the one before it was sent. */
interface Waiting {
  readonly text: string
  readonly taken: () => void
}

/**
 * One event stream that carries several live queries, so that a page needs one connection. Each
 * query is an `EventStream` of its own, with its own checks; its texts get its number. It gives its
 * next text when the previous one was sent. Ends with its last query.
 */
class SharedStream {
  readonly stream: EventStream
  readonly #session: string | null
  readonly #user: string | null
  readonly #waiting: Waiting[] = []
  readonly #queries = new Map<number, EventStream>()
  /** Queries that were removed before they arrived. */
  readonly #removed = new Set<number>()
  #isEnded = false

  constructor(session: Session | null, ended: () => void) {
    this.#session = session?.id ?? null
    this.#user = session?.user?.ID ?? null
    this.stream = new EventStream({
      take: () => {
        const next = this.#waiting.shift()
        next?.taken()
        return next?.text ?? null
      },
      ended: () => {
        this.#isEnded = true
        for (const query of [...this.#queries.values()]) query.end()
        ended()
      },
    })
  }

  /** True for the session and the user that opened it. */
  isOf(session: Session | null): boolean {
    return this.#session === (session?.id ?? null) && this.#user === (session?.user?.ID ?? null)
  }

  /** Carries a query. One with the same number ends. */
  add(number: number, query: EventStream): void {
    this.#queries.get(number)?.end()
    if (this.#isEnded || this.#removed.delete(number)) {
      query.end()
      return
    }
    this.#queries.set(number, query)
    void this.#carry(number, query)
  }

  /** Ends a query, also one whose request is still on its way. */
  remove(number: number): void {
    const query = this.#queries.get(number)
    if (query !== undefined) query.end()
    else if (this.#removed.size < MAX_REMOVED) this.#removed.add(number)
  }

  async #carry(number: number, query: EventStream): Promise<void> {
    const prefix = number === 0 ? '' : `query: ${number}\n`
    for await (const text of query) {
      // Any text is a sign of life for the whole stream.
      if (text === HEARTBEAT && this.#waiting.length > 0) continue
      await this.#send(text === HEARTBEAT ? text : prefix + text)
    }
    if (this.#queries.get(number) !== query) return
    this.#queries.delete(number)
    // A query may end without an event, for example at a heartbeat.
    if (this.#queries.size > 0)
      await this.#send(`${prefix}event: end\ndata: {"reason":"closed"}\n\n`)
    else this.stream.end()
  }

  #send(text: string): Promise<void> {
    return new Promise((taken) => {
      this.#waiting.push({ text, taken })
      this.stream.wake()
    })
  }
}

/** Milliseconds that a request waits for the stream to which it adds a query. */
const LONGEST_WAIT = 1000

/** The shared streams of one handler, by their ids. */
export class SharedStreams {
  readonly #host: HandlerHost
  readonly #streams = new Map<string, SharedStream>()
  /** Requests that wait for a stream that is about to be opened. */
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor(host: HandlerHost) {
    this.#host = host
  }

  /** The stream of a caller; undefined if there is none. */
  find(id: string, session: Session | null): SharedStream | undefined {
    const shared = this.#streams.get(id)
    return shared?.isOf(session) === true ? shared : undefined
  }

  /** See `StreamRule.admitSharing`. */
  admit({ id, query, isOpening }: StreamSharing, session: Session | null): Awaitable<void> {
    const isOpen = this.#streams.has(id)
    if (query === 0) {
      if (!isOpen) return
      const expected = 'an id that no stream has'
      throw restError('parameterInvalid', { parameter: 'Live-Stream', expected, found: id })
    }
    if (isOpen || !isOpening) return void this.#require(id, session)
    return this.#opened(id).then(() => void this.#require(id, session))
  }

  /** Opens a stream with its first query. It ends with the connection. */
  open(
    id: string,
    query: EventStream,
    session: Session | null,
    signal: AbortSignal | null,
  ): EventStream {
    const end = (): void => shared.stream.end()
    const shared = new SharedStream(session, () => {
      this.#streams.delete(id)
      signal?.removeEventListener('abort', end)
    })
    this.#streams.set(id, shared)
    signal?.addEventListener('abort', end)
    shared.add(0, query)
    if (signal?.aborted === true) end()
    for (const go of [...(this.#waiting.get(id) ?? [])]) go()
    return shared.stream
  }

  /** Adds a query. Throws liveStreamUnknown, and ends the query, if the stream ended meanwhile. */
  add({ id, query: number }: StreamSharing, query: EventStream, session: Session | null): void {
    try {
      this.#require(id, session).add(number, query)
    } catch (error) {
      query.end()
      throw error
    }
  }

  endAll(): void {
    for (const { stream } of [...this.#streams.values()]) stream.end()
  }

  #require(id: string, session: Session | null): SharedStream {
    const shared = this.find(id, session)
    if (shared === undefined) throw restError('liveStreamUnknown', {})
    return shared
  }

  /** Resolves when a stream is opened, or after a while. */
  #opened(id: string): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(id) ?? new Set()
      this.#waiting.set(id, waiting)
      const go = (): void => {
        stopTimer()
        waiting.delete(go)
        if (waiting.size === 0) this.#waiting.delete(id)
        resolve()
      }
      const stopTimer = this.#host.every(LONGEST_WAIT, go)
      waiting.add(go)
    })
  }
}
