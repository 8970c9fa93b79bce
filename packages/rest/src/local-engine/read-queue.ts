import type { EntiaError } from '@entia/core'
import type { Caller } from '../engine/caller.ts'
import { restError } from '../errors/rest-error.ts'

/** Long reads that run concurrently; a write waits for at most these. */
const MAX_RUNNING = 2
const RETRY_AFTER_SECONDS = 1

interface WaitingRead {
  readonly caller: Caller | null
  start(): void
  refuse(error: EntiaError): void
}

/**
 * Orders long reads and the writes that arrive meanwhile. A write waits for running reads only,
 * ahead of waiting ones. Then the next read runs, so neither can starve the other.
 */
export class ReadQueue {
  /** Long operations in progress. */
  running = 0
  readonly #maxWaiting: number
  readonly #writes: (() => void)[] = []
  #reads: WaitingRead[] = []
  /** True while a long write runs; no read may start. */
  #isAlone = false

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting
  }

  /**
   * Waits until a long read may start; `end` must follow. Rejects with serverBusy if too many wait.
   */
  async beginRead(caller: Caller | null): Promise<void> {
    if (this.#mayRead) {
      this.running++
      return
    }
    if (this.#reads.length >= this.#maxWaiting) this.#dropGone()
    if (this.#reads.length >= this.#maxWaiting) throw this.#busy()
    await new Promise<void>((start, refuse) => {
      this.#reads.push({ caller, start, refuse })
    })
  }

  /** Waits until no long operation runs, and blocks all others; `end` must follow. */
  async beginAlone(): Promise<void> {
    if (this.running === 0) {
      this.#startAlone()
      return
    }
    await new Promise<void>((start) => {
      this.#writes.push(() => {
        this.#startAlone()
        start()
      })
    })
  }

  #startAlone(): void {
    this.running++
    this.#isAlone = true
  }

  get #mayRead(): boolean {
    return this.running < MAX_RUNNING && !this.#isAlone && this.#writes.length === 0
  }

  /** Writes as soon as no long operation runs, before any other starts. */
  write<R>(write: () => R): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#writes.push(() => {
        try {
          resolve(write())
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  end(): void {
    this.running--
    this.#isAlone = false
    while (this.running === 0 && this.#writes.length > 0) this.#writes.shift()?.()
    while (this.#mayRead && this.#reads.length > 0) {
      this.running++
      this.#reads.shift()?.start()
    }
  }

  /** Removes reads of disconnected clients from the queue. */
  #dropGone(): void {
    const gone = this.#reads.filter(({ caller }) => caller?.isGone?.() === true)
    this.#reads = this.#reads.filter((each) => !gone.includes(each))
    for (const { refuse } of gone) refuse(this.#busy())
  }

  #busy(): EntiaError {
    return restError('serverBusy', {
      what: 'more long reads',
      limit: this.#maxWaiting,
      option: 'limits.maxWaitingReads',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }
}
