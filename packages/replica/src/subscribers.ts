/** Functions that are called after changes of a replica. */
export class Subscribers {
  readonly #listeners = new Set<() => void>()

  add(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  call(): void {
    for (const listener of [...this.#listeners]) listener()
  }

  /** Resolves once a condition holds. */
  until(isReached: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!isReached()) return
        stop()
        resolve()
      }
      const stop = this.add(check)
      check()
    })
  }
}
