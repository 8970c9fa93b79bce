import { isPromise } from '../../engine/awaitable.ts'

/** What a stream is made of. */
export interface EventSource {
  /** The next text to be sent, or a promise of it that never rejects; null for nothing yet, undefined for the end. */
  take(): string | Promise<string> | null | undefined
  /** It is over, for whatever reason. Called once. */
  ended(): void
}

type Result = IteratorResult<string, undefined>

/**
 * Texts that are asked for when the one before is out: what comes meanwhile waits in the source, as one. Both what can be iterated and the one
 * iterator of it.
 */
export class EventStream implements AsyncIterableIterator<string, undefined> {
  readonly #source: EventSource
  #waiting: ((result: Result) => void) | null = null
  /** The source has promised a text and is not asked for another one until that is there. */
  #isPromised = false
  #isEnded = false

  constructor(source: EventSource) {
    this.#source = source
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Result> {
    return new Promise((resolve) => {
      this.#waiting?.({ done: true, value: undefined })
      this.#waiting = resolve
      this.wake()
    })
  }

  return(): Promise<Result> {
    this.end()
    return Promise.resolve({ done: true, value: undefined })
  }

  /** There may be something to send. */
  wake(): void {
    if (this.#waiting === null || (this.#isPromised && !this.#isEnded)) return
    const text = this.#isEnded ? undefined : this.#source.take()
    if (text === null) return
    if (text === undefined) {
      this.#give({ done: true, value: undefined })
      this.end()
    } else if (isPromise(text)) {
      this.#isPromised = true
      void text.then((value) => {
        this.#isPromised = false
        // The end has been told where the stream ended meanwhile.
        if (!this.#isEnded) this.#give({ done: false, value })
      })
    } else this.#give({ done: false, value: text })
  }

  #give(result: Result): void {
    const resolve = this.#waiting
    this.#waiting = null
    resolve?.(result)
  }

  /** Nobody gets anything more. */
  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#source.ended()
    this.wake()
  }
}
