import { EntiaError } from '@entia/core'
import type { EntityReference } from './selection-source.ts'

/** How much an answer may hold. */
export interface AnswerBounds {
  /** Entities of an expanded to-many relation. */
  readonly relatedTop: number
  /** Entities altogether; above it `budgetExceeded`. */
  readonly maxEntities: number
}

/** What `If-Match` asks of an entity. */
export interface Precondition {
  readonly stamp: number
  /** As entity answers tell it; null where any life will do. */
  readonly life: string | null
}

/** One entity to be saved. */
export interface WriteItem {
  /** Null creates. */
  readonly reference: EntityReference | null
  /** The key as it was sent, for messages; null for a creation. */
  readonly keyText: string | null
  /** Why the item could not be read; it takes part, and fails. Null for one that could. */
  readonly refusal: EntiaError | null
  /** Null is not checked. */
  readonly stamp: number | null
  /** From `If-Match`; null is not checked. */
  readonly precondition: Precondition | null
  /** Attribute names of the dataclass with values to be checked by the engine. */
  readonly values: ReadonlyMap<string, unknown>
  /** Values that cannot be written and may only repeat what is stored: clients send back what they read. */
  readonly echoes: ReadonlyMap<string, unknown>
}

/** Refuses a batch that is too large for one transaction, which is one turn of the event loop. Throws budgetExceeded. */
export function refuseTooManyAtOnce(items: number, limit: number): void {
  if (items > limit)
    throw new EntiaError('budgetExceeded', {
      what: 'entities written together',
      limit,
      option: 'limits.maxAtomicItems',
    })
}
