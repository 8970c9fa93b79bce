import type { ClassModel, Session, SetOperator, StorageAttribute, ToManyAttribute } from '@entia/core'
import type { FilterText } from '../request/filter-text.ts'

/** A key as the engine takes it: already of the key attribute's type. */
export type KeyValue = string | number

/** One entity: by key, or the first in record order whose attribute equals a value. */
export type EntityReference =
  | { readonly kind: 'key'; readonly dataClass: ClassModel; readonly key: KeyValue }
  | {
      readonly kind: 'attribute'
      readonly dataClass: ClassModel
      readonly attribute: StorageAttribute
      readonly value: KeyValue | boolean
    }

/** Where a selection begins, before its filter. */
export type SelectionSource =
  | { readonly kind: 'all'; readonly dataClass: ClassModel }
  | { readonly kind: 'related'; readonly owner: EntityReference; readonly relation: ToManyAttribute }
  | EntitySetSource

/**
 * A selection that was kept, as it is or combined with another one. Every use renews the lifetimes of the sets. Calls with it
 * throw entitySetNotFound, entitySetOfOtherClass, otherCollectionInvalid.
 */
export interface EntitySetSource {
  readonly kind: 'entitySet'
  readonly dataClass: ClassModel
  /** As it was sent; null for the set that is always empty. */
  readonly id: string | null
  /** Leave out the members that were deleted since. */
  readonly clean: boolean
  readonly combination: SetCombination | null
}

/** Only entities that exist take part: `AND` and `EXCEPT` keep the first order, `OR` adds what the other one has beside. */
export interface SetCombination {
  readonly operator: Exclude<SetOperator, 'INTERSECT'>
  readonly other: string | null
}

/** Whose sets are: anybody's who has the id, or that session's alone which made them. */
export type EntitySetScope = 'store' | 'session'

/** How a selection is kept as an entity set. */
export interface Keeping {
  /** Null for the engine's own default. */
  readonly lifetimeSeconds: number | null
  /** Whose set it is, null for anybody's. Asked when the set is made, since asking may open a session. */
  readonly owner: () => Session | null
}

/** What an entity set that is gone is made of again, under its id. */
export interface SavedCriteria {
  readonly filter: FilterText | null
  readonly orderBy: string | null
  /** Null: the criteria are checked, and no set is made of them. */
  readonly keep: Keeping | null
}

export interface SelectionQuery {
  readonly source: SelectionSource
  readonly filter: FilterText | null
  readonly orderBy: string | null
  /** Checked whenever they are there; null where a set that is gone is an error. */
  readonly saved: SavedCriteria | null
  /** Answer the filter's plan too. */
  readonly withPlan: boolean
  /** Run the filter part by part too, and answer what each found. */
  readonly withPath: boolean
}

/** The dataclass that a selection is of. */
export function classOf(source: SelectionSource): ClassModel {
  return source.kind === 'related' ? source.relation.target : source.dataClass
}
