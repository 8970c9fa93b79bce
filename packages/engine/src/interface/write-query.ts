import type { ClassModel, EntiaError } from '@entia/core'
import type { EntityRecord, Projection } from './projection.ts'
import type {
  AnswerBounds,
  EntityReference,
  EntitySetSource,
  FilterText,
  Precondition,
  WriteItem,
} from './selection-source.ts'

export interface WriteQuery extends AnswerBounds {
  readonly dataClass: ClassModel
  readonly items: readonly WriteItem[]
  readonly atomic: boolean
  /** Compute the result of saving, and store nothing. */
  readonly refresh: boolean
  /** Only entities that it selects may be updated. */
  readonly filter: FilterText | null
  readonly projection: Projection
}

export interface WriteAnswer {
  readonly globalStamp: number
  /** One per item, in order. */
  readonly outcomes: readonly WriteOutcome[]
  /** Failures of the batch as a whole. */
  readonly failures: readonly EntiaError[]
}

export type WriteOutcome =
  | { readonly kind: 'saved'; readonly record: EntityRecord }
  /**
   * The item would have been saved: `$refresh`, or a batch that failed elsewhere. A new entity has
   * the key null and the stamp 0.
   */
  | { readonly kind: 'notStored'; readonly record: EntityRecord }
  | FailedOutcome

/** `stored` is the entity in its current state, if it exists. */
interface FailedOutcome {
  readonly kind: 'failed'
  readonly error: EntiaError
  readonly keyText: string | null
  readonly stored: EntityRecord | null
}

export interface RemoveItem {
  readonly reference: EntityReference
  readonly keyText: string
  readonly stamp: number | null
  readonly precondition: Precondition | null
}

export interface RemoveQuery extends AnswerBounds {
  readonly dataClass: ClassModel
  /**
   * Named entities; null for all that `entitySet` and `filter` select. An item that could not be
   * read is its error, and fails.
   */
  readonly items: readonly (RemoveItem | EntiaError)[] | null
  /** Restricts the deletion to its members. */
  readonly entitySet: EntitySetSource | null
  readonly filter: FilterText | null
  readonly atomic: boolean
  /** The most entities that one atomic deletion may name. */
  readonly maxAtomicItems: number
  /** The most entities that `onDelete` rules may remove or change in one transaction. */
  readonly maxCascade: number
  /** The projection for entities that were refused. */
  readonly projection: Projection
}

export type RemoveOutcome = { readonly kind: 'removed'; readonly keyText: string } | FailedOutcome

/** `committed` is false if an atomic deletion was rolled back. */
export interface RemoveAnswer {
  readonly globalStamp: number
  readonly outcomes: readonly RemoveOutcome[]
  readonly committed: boolean
}
