/** What a stream is made of. */
export interface EventSource {
  /** The next text to be sent; null for nothing yet, undefined for the end. */
  take(): string | null | undefined
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
    const resolve = this.#waiting
    if (resolve === null) return
    const text = this.#isEnded ? undefined : this.#source.take()
    if (text === null) return
    this.#waiting = null
    if (text === undefined) {
      resolve({ done: true, value: undefined })
      this.end()
    } else resolve({ done: false, value: text })
  }

  /** Nobody gets anything more. */
  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#source.ended()
    this.wake()
  }
}
