import { storeError } from './store-errors.ts'

/** Whether a store can be used: it is closed for good, and so is one whose data may be half-changed. */
export class StoreState {
  readonly #name: string
  #isClosed = false
  /** Why nobody may use it any more. */
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

  /** Something was left half-done. Returns the error that did it. */
  broke(error: unknown): unknown {
    this.#broken = error instanceof Error ? error.message : String(error)
    return error
  }
}
