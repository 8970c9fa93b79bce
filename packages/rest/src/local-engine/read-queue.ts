import type { EntiaError } from '@entia/core'
import type { Caller } from '../engine/caller.ts'
import { restError } from '../errors/rest-error.ts'

/** Long reads that take their slices side by side: a write waits for no more than these. */
const MAX_RUNNING = 2
const RETRY_AFTER_SECONDS = 1

interface WaitingRead {
  readonly caller: Caller | null
  start(): void
  refuse(error: EntiaError): void
}

/**
 * The order of long reads and of the writes that come meanwhile. A write waits for the reads that are running, and goes ahead of those that wait.
 * After it a read has its turn, so that neither keeps the other out.
 */
export class ReadQueue {
  /** Long operations that have begun and not ended. */
  running = 0
  readonly #maxWaiting: number
  readonly #writes: (() => void)[] = []
  #reads: WaitingRead[] = []
  /** A long write is running: no read begins. */
  #isAlone = false

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting
  }

  /** Waits until a long read may begin; `end` must follow. Rejects with serverBusy where too many wait. */
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

  /** Waits until nothing long is running, and keeps all else waiting; `end` must follow. */
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

  /** Writes when nothing long is running, before anything else begins. */
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

  /** Clients that have gone leave their place to others. */
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
