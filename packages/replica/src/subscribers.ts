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

  /** Resolves once a condition holds. Rejects with what it throws. */
  until(isReached: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        try {
          if (!isReached()) return
          resolve()
        } catch (error) {
          reject(error)
        }
        stop()
      }
      const stop = this.add(check)
      check()
    })
  }
}
