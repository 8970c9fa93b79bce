import type { After } from './request-time.ts'

/** A trip may wait for something that others do not need: from then on it does not count. */
const MAX_COUNTED_MILLISECONDS = 20

/** Lets few round trips of a kind be under way, so that what comes meanwhile can share the next. */
export class Turns {
  readonly #after: After
  readonly #most: number
  #underWay = 0

  constructor(after: After, most: number) {
    this.#after = after
    this.#most = most
  }

  /** Calls `begin` while a trip may begin; it answers one that never rejects, or null for none. */
  go(begin: () => Promise<void> | null): void {
    while (this.#underWay < this.#most) {
      const trip = begin()
      if (trip === null) return
      this.#underWay++
      let isCounted = true
      const end = (): void => {
        if (!isCounted) return
        isCounted = false
        this.#underWay--
        this.go(begin)
      }
      const stop = this.#after(MAX_COUNTED_MILLISECONDS, end)
      void trip.then(() => {
        stop()
        end()
      })
    }
  }
}
