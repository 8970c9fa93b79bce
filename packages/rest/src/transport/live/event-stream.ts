import { isPromise } from '@entia/engine'

/** The source of a stream. */
export interface EventSource {
  /**
   * The next text to send, or a promise of it that never rejects. Null if there is none yet,
   * undefined at the end.
   */
  take(): string | Promise<string> | null | undefined
  /** Called once at the end of the stream, whatever the reason. */
  ended(): void
}

type Result = IteratorResult<string, undefined>

/**
 * An async iterator of texts that takes each text when the previous one was sent. Changes meanwhile
 * accumulate in the source.
 */
export class EventStream implements AsyncIterableIterator<string, undefined> {
  readonly #source: EventSource
  /** Called at the end of the stream, also if its consumer does not take the next text. */
  onEnd = (): void => {}
  #waiting: ((result: Result) => void) | null = null
  /** True while the source's promise of a text is pending; it is not called meanwhile. */
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

  /** Call this when the source may have a text. */
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
        // The consumer knows of the end if the stream ended meanwhile.
        if (!this.#isEnded) this.#give({ done: false, value })
      })
    } else this.#give({ done: false, value: text })
  }

  #give(result: Result): void {
    const resolve = this.#waiting
    this.#waiting = null
    resolve?.(result)
  }

  /** Ends the stream. */
  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#source.ended()
    this.onEnd()
    this.wake()
  }
}
