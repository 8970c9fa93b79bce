import type { EntiaError } from '@entia/core'
import { overLimit } from '../request/limits.ts'
import type { EntityReference } from './selection-source.ts'

/** Bounds of an answer. */
export interface AnswerBounds {
  /** The most entities per expanded to-many relation. */
  readonly relatedTop: number
  /** The most entities altogether. Beyond it the call throws budgetExceeded. */
  readonly maxEntities: number
}

/** What `If-Match` requires of an entity: to be in one of these states. */
export type Precondition = readonly RequiredState[]

export interface RequiredState {
  readonly stamp: number
  /** The life as reported in entity answers; null accepts any. */
  readonly life: string | null
}

/** One entity to save. */
export interface WriteItem {
  /** Null creates an entity. */
  readonly reference: EntityReference | null
  /** The key as it was sent, for messages; null for a creation. */
  readonly keyText: string | null
  /** Why the item could not be read, in which case it fails. Null for a valid item. */
  readonly refusal: EntiaError | null
  /** The stamp that the entity must have; null checks nothing. */
  readonly stamp: number | null
  /** From `If-Match`; null checks nothing. */
  readonly precondition: Precondition | null
  /** Values by attribute name. The engine checks them. */
  readonly values: ReadonlyMap<string, unknown>
  /**
   * Values of attributes that cannot be written. They must equal what is stored: clients send back
   * entities as they read them.
   */
  readonly echoes: ReadonlyMap<string, unknown>
}

/**
 * Refuses a batch that is too large for one transaction, which blocks the event loop. Throws
 * budgetExceeded.
 */
export function refuseTooManyAtOnce(items: number, limit: number): void {
  if (items > limit) throw overLimit('entities written together', 'maxAtomicItems', limit)
}
