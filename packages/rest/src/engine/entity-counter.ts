import { EntiaError } from '@entia/core'
import type { AnswerBounds } from './query-parts.ts'

/** Counts the entities of one answer, related ones included, and bounds them. */
export class EntityCounter {
  readonly #limit: number
  #count = 0

  constructor({ maxEntities }: Pick<AnswerBounds, 'maxEntities'>) {
    this.#limit = maxEntities
  }

  get count(): number {
    return this.#count
  }

  /** Throws budgetExceeded. */
  add(): void {
    if (++this.#count > this.#limit)
      throw new EntiaError('budgetExceeded', {
        what: 'entities in the answer',
        limit: this.#limit,
        option: 'limits.maxEntitiesPerAnswer',
      })
  }
}
