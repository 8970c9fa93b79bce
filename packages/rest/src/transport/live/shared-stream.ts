import type { Session } from '@entia/core'
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
export class SharedStream {
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
