import type { Every } from '@entia/engine'
import { DatabaseError } from '../connect/database-error.ts'

/** Deletes some rows that are no longer needed, and returns how many: 0 if none are left. */
export type Sweep = () => Promise<number>

export interface HousekeepingOptions {
  readonly every: Every
  readonly sweeps: readonly Sweep[]
  /** Told of failures, except those of a database that is away. */
  readonly onError: (error: unknown) => void
}

const INTERVAL = 60_000
/**
 * Of each sweep in one run. One process alone must delete what all of them write meanwhile: with
 * some hundred rows a round, that of some thousand commits a second.
 */
const MAX_ROUNDS = 1000

/** Deletes rows that are no longer needed, from time to time. No answer depends on it. */
export class Housekeeping {
  readonly #options: HousekeepingOptions
  readonly #stop: () => void
  #running: Promise<void> | null = null
  #isClosed = false

  constructor(options: HousekeepingOptions) {
    this.#options = options
    this.#stop = options.every(INTERVAL, () => {
      this.#running ??= this.#run().finally(() => {
        this.#running = null
      })
    })
  }

  /** Settles when what is being done has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#stop()
    await this.#running
  }

  async #run(): Promise<void> {
    for (const sweep of this.#options.sweeps)
      try {
        for (let round = 0; round < MAX_ROUNDS && !this.#isClosed; round++)
          if ((await sweep()) === 0) break
      } catch (error) {
        if (!(error instanceof DatabaseError) || error.failure !== 'unavailable')
          this.#options.onError(error)
      }
  }
}
