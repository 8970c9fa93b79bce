import { invariant } from '../errors.ts'

interface Busy {
  readonly done: Promise<void>
  /** What is written then; settles as that does. */
  next: { readonly done: Promise<void>; write: () => Promise<void> } | null
}

/** Writes of whole states to places: one at a time for each place, and of those that wait only the newest, in the name of all. */
export class LatestWrites {
  readonly #busy = new Map<string, Busy>()

  /** Runs `write` when nothing else is written there. Settles with it, or with the later one that took its turn. */
  run(place: string, write: () => Promise<void>): Promise<void> {
    const busy = this.#busy.get(place)
    if (busy === undefined) return this.#begin(place, write)
    const done = busy.next?.done ?? busy.done.catch(() => undefined).then(() => this.#beginNext(place, busy))
    busy.next = { done, write }
    return done
  }

  #beginNext(place: string, { next }: Busy): Promise<void> {
    invariant(next !== null, 'a turn was given to nobody.')
    return this.#begin(place, next.write)
  }

  #begin(place: string, write: () => Promise<void>): Promise<void> {
    const done = write().finally(() => {
      if (busy.next === null) this.#busy.delete(place)
    })
    const busy: Busy = { done, next: null }
    this.#busy.set(place, busy)
    return done
  }
}
