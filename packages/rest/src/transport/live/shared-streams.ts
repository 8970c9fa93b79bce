import type { Session } from '@entia/core'
import type { Awaitable } from '../../engine/awaitable.ts'
import type { HandlerHost } from '../../engine/host.ts'
import { restError } from '../../errors/rest-error.ts'
import type { StreamSharing } from '../../handle/context/answer.ts'
import type { EventStream } from './event-stream.ts'
import { SharedStream } from './shared-stream.ts'

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
