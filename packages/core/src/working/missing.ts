import type { Predicate } from '../filter/predicate.ts'
import type { ClassModel, StorageAttribute, ToOneAttribute } from '../model/catalog.ts'
import type { SessionInfo } from '../model/session-types.ts'
import type { Key } from '../storage/stored-key.ts'
import type { StoredValue } from '../value/types.ts'

/** A fact of the database that a decision needs and the working store does not know. */
export type Missing =
  /** The entity with a key. */
  | { readonly kind: 'entity'; readonly dataClass: ClassModel; readonly key: Key }
  /** The entity with a value of a unique attribute, compared by the attribute's collation. */
  | { readonly kind: 'holder'; readonly attribute: StorageAttribute; readonly value: StoredValue }
  /** All entities whose relation leads to a key. */
  | { readonly kind: 'referrers'; readonly relation: ToOneAttribute; readonly key: Key }
  /** All entities that a predicate without computed attributes selects. */
  | { readonly kind: 'matches'; readonly dataClass: ClassModel; readonly predicate: Predicate }
  /** Numbers of the automatic sequence. */
  | { readonly kind: 'sequence'; readonly dataClass: ClassModel }

/** One entity as the database holds it. */
export interface WorkingRow {
  readonly dataClass: ClassModel
  /** Entities without an order are in the order of these numbers; messages name them. */
  readonly record: number
  readonly stamp: number
  /** Epoch milliseconds. */
  readonly timestamp: number
  /** By column (`StorageAttribute.ordinal`). */
  readonly values: readonly StoredValue[]
  /** The session that has locked the entity; null for none. */
  readonly lockedBy: SessionInfo | null
}

/**
 * The answer to one `Missing`: the entities, in any order (none or one for an entity or a holder),
 * the next number of a sequence that waits for this decision, or some numbers of a sequence that
 * others draw from too. Further numbers add to those that were found before.
 */
export type Found =
  | {
      readonly missing: Exclude<Missing, { kind: 'sequence' }>
      readonly rows: readonly WorkingRow[]
    }
  | { readonly missing: Extract<Missing, { kind: 'sequence' }>; readonly next: number }
  | {
      readonly missing: Extract<Missing, { kind: 'sequence' }>
      readonly numbers: readonly number[]
    }
