import type {
  AttributeModel,
  Catalog,
  ClassModel,
  ConditionNode,
  EntiaError,
  StorageAttribute,
  ToManyAttribute,
} from '@entia/core'
import type { FilterText } from '../request/filter-text.ts'
import type { ComputeAction } from '../request/parameters.ts'
import type { Caller } from './caller.ts'
import type { EntityRecord, Projection } from './projection.ts'

export type Awaitable<T> = T | Promise<T>

/**
 * Everything the adapter asks of an engine, in a few coarse calls. Each may answer a promise, so an engine that waits can
 * stand behind the same adapter. Names are resolved and hidden ones refused before a call; values are not yet checked.
 */
export interface EngineDoor {
  /** The model. It does not change while the engine lives. */
  catalog(): Catalog
  /** One id per engine instance: 32 hexadecimal digits. */
  readonly instanceId: string
  /** Number of the last commit. */
  globalStamp(): number
  /** Null when there is no such entity, or the filter does not select it. */
  readEntity(query: EntityQuery, caller: Caller): Awaitable<EntityAnswer | null>
  /** Null when the entity whose relation is read does not exist. */
  readSelection(query: PageQuery, caller: Caller): Awaitable<PageAnswer | null>
  compute(query: ComputeQuery, caller: Caller): Awaitable<ComputeAnswer | null>
  distinct(query: DistinctQuery, caller: Caller): Awaitable<DistinctAnswer | null>
  write(query: WriteQuery, caller: Caller): Awaitable<WriteAnswer>
  remove(query: RemoveQuery, caller: Caller): Awaitable<RemoveAnswer>
}

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

export interface SelectionQuery {
  readonly source: SelectionSource
  readonly filter: FilterText | null
  readonly orderBy: string | null
  /** Answer the filter's plan too. */
  readonly withPlan: boolean
}

/** How much an answer may hold. */
export interface AnswerBounds {
  /** Entities of an expanded to-many relation. */
  readonly relatedTop: number
  /** Entities altogether; above it `budgetExceeded`. */
  readonly maxEntities: number
}

export interface EntityQuery extends AnswerBounds {
  readonly reference: EntityReference
  /** Follow this to-one relation and answer its target. */
  readonly through: AttributeModel | null
  readonly filter: FilterText | null
  /** Answer the filter's plan too. */
  readonly withPlan: boolean
  readonly projection: Projection
}

/** `record` is null where a to-one relation was followed and is empty; `condition` is null unless a plan was asked for. */
export interface EntityAnswer {
  readonly globalStamp: number
  readonly record: EntityRecord | null
  readonly condition: ConditionNode | null
}

export interface PageQuery extends SelectionQuery, AnswerBounds {
  readonly projection: Projection
  readonly skip: number
  readonly top: number
}

export interface PageAnswer {
  readonly globalStamp: number
  /** Of the whole selection. */
  readonly count: number
  /** A member deleted since keeps its place as null. */
  readonly records: readonly (EntityRecord | null)[]
  readonly condition: ConditionNode | null
}

/** An attribute, or a property below an object attribute; `path` is how it was asked for. */
export interface AggregatePath {
  readonly path: string
  readonly isNumeric: boolean
  /** Dates are answered as date-times by aggregates, as in entities by distinct. */
  readonly type: 'date' | 'dateOnly' | 'other'
}

export interface ComputeQuery extends SelectionQuery {
  readonly action: ComputeAction
  readonly paths: readonly AggregatePath[]
  /** Compute over the distinct values. */
  readonly distinct: boolean
}

/** Sum and average only where the values are numbers. */
export interface Aggregates {
  readonly count: number
  readonly sum?: number
  readonly average?: number | null
  readonly min: unknown
  readonly max: unknown
}

/** One set of aggregates per path, in order. */
export interface ComputeAnswer {
  readonly aggregates: readonly Aggregates[]
  readonly condition: ConditionNode | null
}

export interface DistinctQuery extends SelectionQuery {
  readonly path: AggregatePath
  readonly skip: number
  readonly top: number
}

export interface DistinctAnswer {
  readonly values: readonly unknown[]
  readonly condition: ConditionNode | null
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
  readonly precondition: number | null
  /** Attribute names of the dataclass with values to be checked by the engine. */
  readonly values: ReadonlyMap<string, unknown>
  /** Values that cannot be written and may only repeat what is stored: clients send back what they read. */
  readonly echoes: ReadonlyMap<string, unknown>
}

export interface WriteQuery extends AnswerBounds {
  readonly dataClass: ClassModel
  readonly items: readonly WriteItem[]
  readonly atomic: boolean
  /** Compute what saving would give and store nothing. */
  readonly refresh: boolean
  /** Updated entities must be selected by it. */
  readonly filter: FilterText | null
  readonly projection: Projection
}

export interface WriteAnswer {
  /** One per item, in order. */
  readonly outcomes: readonly WriteOutcome[]
  /** Failures of the batch that belong to no single item. */
  readonly failures: readonly EntiaError[]
}

export type WriteOutcome =
  | { readonly kind: 'saved'; readonly record: EntityRecord }
  /** Would have been saved: `$refresh`, or a batch that failed elsewhere. A new entity has the key null and the stamp 0. */
  | { readonly kind: 'notStored'; readonly record: EntityRecord }
  /** `stored` is the entity as it is now, where it exists. */
  | {
      readonly kind: 'failed'
      readonly error: EntiaError
      readonly keyText: string | null
      readonly stored: EntityRecord | null
    }

export interface RemoveItem {
  readonly reference: EntityReference
  readonly keyText: string
  readonly stamp: number | null
  readonly precondition: number | null
}

export interface RemoveQuery extends AnswerBounds {
  readonly dataClass: ClassModel
  /** Named entities; null for all that `filter` selects. An item that could not be read is its error: it fails. */
  readonly items: readonly (RemoveItem | EntiaError)[] | null
  readonly filter: FilterText | null
  readonly atomic: boolean
  /** What a refused entity shows. */
  readonly projection: Projection
}

export type RemoveOutcome =
  | { readonly kind: 'removed'; readonly keyText: string }
  | {
      readonly kind: 'failed'
      readonly error: EntiaError
      readonly keyText: string | null
      readonly stored: EntityRecord | null
    }

/** `committed` is false when an atomic deletion was undone. */
export interface RemoveAnswer {
  readonly outcomes: readonly RemoveOutcome[]
  readonly committed: boolean
}
