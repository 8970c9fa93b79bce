import { type ReadingLimits, TimeSlices } from '../execute/time-slices.ts'
import type { Reading } from '../model/store-types.ts'
import { refusePromise } from '../transaction/user-code.ts'
import { refused } from '../value/check-options.ts'
import type { Reader } from './reader.ts'

export class StoreReading<R> implements Reading<R> {
  readonly #reader: Reader
  /** Refuses a broken or closed store, and an open transaction. */
  readonly #enter: () => void
  readonly #body: () => R
  readonly #slices: TimeSlices
  #state = -1
  #result: { readonly value: R } | undefined

  constructor(reader: Reader, limits: ReadingLimits, enter: () => void, body: () => R) {
    this.#reader = reader
    this.#enter = enter
    enter()
    this.#body = body
    this.#slices = new TimeSlices(() => reader.monotonic(), limits)
  }

  advance(): boolean {
    if (this.#result !== undefined) return true
    this.#enter()
    const { database, state } = this.#reader
    // A write makes earlier results wrong.
    if (state !== this.#state) this.#slices.forget()
    this.#state = state
    const outer = database.slices
    database.slices = this.#slices
    try {
      this.#result = this.#slices.run(this.#body)
    } finally {
      database.slices = outer
    }
    if (this.#result === undefined) return false
    refusePromise(this.#result.value, 'The body of reading', 'Await before it or after it.')
    return true
  }

  get value(): R {
    if (this.#result === undefined)
      throw refused(
        'The reading',
        'one that has come to its end',
        'one whose advance has not answered true',
      )
    return this.#result.value
  }
}
