import { type ReadingLimits, Turns } from '../execute/turns.ts'
import { refusePromise } from '../transaction/user-code.ts'
import { refused } from '../value/check-options.ts'
import type { Reader } from './reader.ts'

/** A read that is carried out in turns; see `Reading` of the public types. */
export class StoreReading<R> {
  readonly #reader: Reader
  /** Refuses a broken or closed store, and an open transaction. */
  readonly #enter: () => void
  readonly #body: () => R
  readonly #turns: Turns
  #state = -1
  #result: { readonly value: R } | undefined

  constructor(reader: Reader, limits: ReadingLimits, enter: () => void, body: () => R) {
    this.#reader = reader
    this.#enter = enter
    enter()
    this.#body = body
    this.#turns = new Turns(() => reader.monotonic(), limits)
  }

  advance(): boolean {
    if (this.#result !== undefined) return true
    this.#enter()
    const { database, state } = this.#reader
    // What was found before something was written is no longer so.
    if (state !== this.#state) this.#turns.forget()
    this.#state = state
    const outer = database.turns
    database.turns = this.#turns
    try {
      this.#result = this.#turns.run(this.#body)
    } finally {
      database.turns = outer
    }
    if (this.#result === undefined) return false
    refusePromise(this.#result.value, 'The body of reading', 'Await before it or after it.')
    return true
  }

  get value(): R {
    if (this.#result === undefined)
      throw refused('The reading', 'one that has come to its end', 'one whose advance has not answered true')
    return this.#result.value
  }
}
