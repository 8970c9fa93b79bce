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

  /**
   * Calls `begin` while a trip may begin, with the number of those that count; it answers one that
   * never rejects, or null for none.
   */
  go(begin: (underWay: number) => Promise<void> | null): void {
    while (this.#underWay < this.#most) {
      const trip = begin(this.#underWay)
      if (trip === null) return
      this.#underWay++
      let isCounted = true
      const end = (): void => {
        if (isCounted) this.#underWay--
        isCounted = false
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

/** A caller that waits for a round trip. */
export interface Waiting<I, R> {
  readonly item: I
  readonly resolve: (result: R) => void
  readonly reject: (error: unknown) => void
}

export interface SharedTripsOptions<I, R> {
  readonly after: After
  /** Trips that are under way at the same time. */
  readonly most: number
  /**
   * The callers of the next trip, at least one, and the others; null if none of them should begin
   * beside those that are under way: it is called again when one of these ends.
   */
  readonly take: (
    waiting: readonly Waiting<I, R>[],
    underWay: number,
  ) => readonly [group: readonly Waiting<I, R>[], others: Waiting<I, R>[]] | null
  /** Answers the callers of a trip. If it rejects, those that have no answer reject with that. */
  readonly send: (group: readonly Waiting<I, R>[]) => Promise<void>
}

/** Callers that come while round trips of their kind are on their way share the next one. */
export class SharedTrips<I, R> {
  readonly #options: SharedTripsOptions<I, R>
  readonly #turns: Turns
  #waiting: Waiting<I, R>[] = []

  constructor(options: SharedTripsOptions<I, R>) {
    this.#options = options
    this.#turns = new Turns(options.after, options.most)
  }

  /** One that comes alone is sent at once. */
  join(item: I): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.go()
    })
  }

  /** Begins the trips that may begin: call it when `take` would answer more than before. */
  go(): void {
    this.#turns.go((underWay) => (this.#waiting.length === 0 ? null : this.#next(underWay)))
  }

  #next(underWay: number): Promise<void> | null {
    const taken = this.#options.take(this.#waiting, underWay)
    if (taken === null) return null
    const [group, others] = taken
    this.#waiting = others
    return this.#options.send(group).catch((error: unknown) => {
      for (const { reject } of group) reject(error)
    })
  }
}
