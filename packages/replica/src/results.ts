import type { AnyDataStore, AnySelection } from '@entia/core'
import { type Contents, type Draft, newDraft } from './contents.ts'
import type { KeptBatch } from './kept-batch.ts'
import { ReplicaBatch } from './own-classes.ts'

/** The most results that are kept, and their length as JSON altogether. */
const MAX_RESULTS = 100
const MAX_RESULT_CHARACTERS = 1_000_000

/**
 * The results of calls, which a program may read after it has started again. Each is kept until it
 * is dismissed, or until newer ones take its space.
 */
export class Results {
  readonly #store: AnyDataStore
  readonly #contents: Contents

  constructor(store: AnyDataStore, contents: Contents) {
    this.#store = store
    this.#contents = contents
  }

  /** All of them, as entities. */
  get all(): AnySelection {
    return this.#table.query('state = done').orderBy('number')
  }

  /** Keeps the result of a call that ends, unless it was dismissed. False for other batches. */
  keep(draft: Draft, { number, result }: KeptBatch): boolean {
    if (result === null) return false
    draft.own.set(`batch ${number}`, [ReplicaBatch.name, number, { state: 'done' }])
    return true
  }

  /** Drops the oldest results above the limits. */
  limit(): void {
    const draft = newDraft()
    let count = 0
    let characters = 0
    const newestFirst = this.#table.query('state = done').orderBy('number desc')
    for (const { number, result } of newestFirst as Iterable<KeptBatch>) {
      const { length } = JSON.stringify(result)
      if (count < MAX_RESULTS && characters + length <= MAX_RESULT_CHARACTERS) {
        count++
        characters += length
      } else draft.own.set(`batch ${number}`, [ReplicaBatch.name, number, null])
    }
    this.#contents.commit(draft)
  }

  /** Removes a result. Part of the open transaction. Throws a TypeError for an unknown number. */
  dismiss(number: number): void {
    const batch = this.#table.get(number) as object as KeptBatch | undefined
    if (batch?.state === 'done') this.#table.remove(number)
    // The call ends without it, once its effects are here.
    else if (batch?.state === 'applied') this.#table.update(number, { result: null })
    else throw new TypeError(`There is no result ${number}: it was dismissed, or never existed.`)
  }

  get #table() {
    return this.#store.dataClass(ReplicaBatch.name)
  }
}
