import type { History } from './history.ts'

/** Keeps history from a global stamp on. */
export interface Pin {
  /**
   * Moves the pin to another stamp. The previous one stays pinned until the returned function is
   * called. Does nothing after `release`.
   */
  move(globalStamp: number): () => void
  /** Ends the pin. Further calls do nothing. */
  release(): void
}

/**
 * Pins of one store's history. A pin ends when it is released or its holder is garbage-collected.
 */
export class Pins {
  readonly #history: History
  readonly #forgotten: FinalizationRegistry<Pin> | null

  constructor(history: History) {
    this.#history = history
    this.#forgotten =
      typeof FinalizationRegistry === 'undefined'
        ? null
        : new FinalizationRegistry((pin) => pin.release())
  }

  /** Pins history from a global stamp on, for as long as `holder` lives. */
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
