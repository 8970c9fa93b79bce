import { storeError } from './store-errors.ts'

/** Whether a store can be used. A closed store cannot, nor one whose data may be inconsistent. */
export class StoreState {
  readonly #name: string
  #isClosed = false
  /** Why the store is unusable, or null. */
  #broken: string | null = null

  constructor(name: string) {
    this.#name = name
  }

  /** Throws `storeClosed` or `storeBroken`. */
  guard(): void {
    if (this.#isClosed) throw storeError('storeClosed', { store: this.#name })
    if (this.#broken !== null) throw storeError('storeBroken', { problem: this.#broken })
  }

  close(): void {
    this.#isClosed = true
  }

  /** Marks the store as unusable after a failed rollback. Returns the error. */
  broke(error: unknown): unknown {
    this.#broken = error instanceof Error ? error.message : String(error)
    return error
  }
}
