import type { Clock, Ids } from '@entia/core/internal'

/** The answers of a port to calls without arguments: a repeated run gets the same ones. */
class Recorded<T> {
  readonly #ask: () => T
  #answers: T[] = []
  #at = 0

  constructor(ask: () => T) {
    this.#ask = ask
  }

  next(): T {
    if (this.#at === this.#answers.length) this.#answers.push(this.#ask())
    return this.#answers[this.#at++]
  }
  again(): void {
    this.#at = 0
  }
  forget(): void {
    this.#at = 0
    this.#answers = []
  }
}

/**
 * Time and ids of a decision. Each run gets the same ones in the same order, so that the keys that
 * one run generates, and asks the database for, are those of the next run.
 */
export class RecordedPorts {
  readonly clock: Clock
  readonly ids: Ids
  readonly #all: readonly Recorded<unknown>[]

  /** `firstId` answers the first call, that of the store which is being created. */
  constructor(clock: Clock, ids: Ids, firstId: string) {
    const times = new Recorded(() => clock.now())
    let created = false
    const uuids = new Recorded(() => {
      if (created) return ids.uuid()
      created = true
      return firstId
    })
    const tokens = new Recorded(() => ids.token())
    this.clock = { now: () => times.next(), monotonic: () => clock.monotonic() }
    this.ids = { uuid: () => uuids.next(), token: () => tokens.next() }
    this.#all = [times, uuids, tokens]
  }

  /** The next run of the same decision begins. */
  again(): void {
    for (const recorded of this.#all) recorded.again()
  }
  /** The decision has ended. */
  forget(): void {
    for (const recorded of this.#all) recorded.forget()
  }
}
