import type {
  ClassModel,
  Session,
  SetOperator,
  StorageAttribute,
  ToManyAttribute,
} from '@entia/core'
import type { FilterText } from '../request/filter-text.ts'
import type { Awaitable } from './awaitable.ts'

/** A key of the key attribute's type. */
export type KeyValue = string | number

/** One entity: by its key, or the first in record order whose attribute equals a value. */
export type EntityReference =
  | { readonly kind: 'key'; readonly dataClass: ClassModel; readonly key: KeyValue }
  | {
      readonly kind: 'attribute'
      readonly dataClass: ClassModel
      readonly attribute: StorageAttribute
      readonly value: KeyValue | boolean
    }

/** The source of a selection, before its filter. */
export type SelectionSource =
  | { readonly kind: 'all'; readonly dataClass: ClassModel }
  | {
      readonly kind: 'related'
      readonly owner: EntityReference
      readonly relation: ToManyAttribute
    }
  | EntitySetSource

/**
 * An entity set, as it is or combined with another one. Every use renews the lifetimes of the sets.
 * Calls with it throw entitySetNotFound, entitySetOfOtherClass, otherCollectionInvalid.
 */
export interface EntitySetSource {
  readonly kind: 'entitySet'
  readonly dataClass: ClassModel
  /** The id as it was sent; null for the set that is always empty. */
  readonly id: string | null
  /** Omit the members that were deleted since. */
  readonly clean: boolean
  readonly combination: SetCombination | null
}

/**
 * Combines entities that exist: `AND` and `EXCEPT` keep the order of the first set, `OR` appends
 * the additional members of the other one.
 */
export interface SetCombination {
  readonly operator: Exclude<SetOperator, 'INTERSECT'>
  readonly other: string | null
}

/** Who may use an entity set: every caller with its id, or only the session that created it. */
export type EntitySetScope = 'store' | 'session'

/** How a selection is kept as an entity set. */
export interface Keeping {
  /** Null for the engine's default. */
  readonly lifetimeSeconds: number | null
  /**
   * The owner; null if every caller may use it. Called when the set is created, since it may open a
   * session.
   */
  readonly owner: () => Awaitable<Session | null>
}

/** The criteria that recreate an expired entity set under its id. */
export interface SavedCriteria {
  readonly filter: FilterText | null
  readonly orderBy: string | null
  /** Null: the criteria are checked, and no set is created. */
  readonly keep: Keeping | null
}

export interface SelectionQuery {
  readonly source: SelectionSource
  readonly filter: FilterText | null
  readonly orderBy: string | null
  /** Always checked if present; null makes an expired set an error. */
  readonly saved: SavedCriteria | null
  /** Include the filter's plan in the answer. */
  readonly withPlan: boolean
  /** Also run the filter part by part, and report what each part found. */
  readonly withPath: boolean
}

/** The dataclass of a selection's members. */
export function classOf(source: SelectionSource): ClassModel {
  return source.kind === 'related' ? source.relation.target : source.dataClass
}
