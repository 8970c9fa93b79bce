import type { History } from './history.ts'

/** History that is kept from a global stamp on. */
export interface Pin {
  /** Keeps it from another stamp on, and from the one before until what this returns is called. Does nothing once it is released. */
  move(globalStamp: number): () => void
  /** Keeps it no longer; once is enough. */
  release(): void
}

/** Who needs the history of a store: what is released, or whose holder is collected, needs it no longer. */
export class Pins {
  readonly #history: History
  readonly #forgotten: FinalizationRegistry<Pin> | null

  constructor(history: History) {
    this.#history = history
    this.#forgotten =
      typeof FinalizationRegistry === 'undefined' ? null : new FinalizationRegistry((pin) => pin.release())
  }

  /** Keeps history from a global stamp on, for `holder`. */
  set(globalStamp: number, holder: object): Pin {
    const history = this.#history
    history.pin(globalStamp)
    let held: number | null = globalStamp
    const pin: Pin = {
      move(next) {
        if (held === null) return () => {}
        const before = held
        held = next
        history.pin(next)
        return () => history.unpin(before)
      },
      release() {
        const before = held
        held = null
        if (before !== null) history.unpin(before)
      },
    }
    this.#forgotten?.register(holder, pin)
    return pin
  }
}
