import { invariant } from '../errors.ts'

interface Busy {
  readonly done: Promise<void>
  /** The latest write; the promise settles as that write does. */
  next: { readonly done: Promise<void>; write: () => Promise<void> } | null
}

/**
 * Runs whole-state writes one at a time for each place. Of those that wait only the latest runs,
 * and all of them settle as it does.
 */
export class LatestWrites {
  readonly #busy = new Map<string, Busy>()

  /**
   * Runs `write` after the current write to that place. Settles with it, or with the later one that
   * replaced it.
   */
  run(place: string, write: () => Promise<void>): Promise<void> {
    const busy = this.#busy.get(place)
    if (busy === undefined) return this.#begin(place, write)
    const done =
      busy.next?.done ?? busy.done.catch(() => undefined).then(() => this.#beginNext(place, busy))
    busy.next = { done, write }
    return done
  }

  #beginNext(place: string, { next }: Busy): Promise<void> {
    invariant(next !== null, 'a turn was given without a writer.')
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
