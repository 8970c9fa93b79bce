import type { ClassModel, SessionUser, ToOneAttribute } from '@entia/core'
import type { OutgoingReply } from './function-reply.ts'
import type { EntityRecord, Projection } from './projection.ts'
import type { AnswerBounds, WriteItem } from './query-parts.ts'
import type { EntityReference, Keeping, SelectionQuery } from './selection-source.ts'

/** What a function works on. */
export type CallTarget =
  | { readonly kind: 'store' }
  | { readonly kind: 'singleton'; readonly singleton: string }
  | { readonly kind: 'dataClass'; readonly dataClass: ClassModel }
  | { readonly kind: 'selection'; readonly query: SelectionQuery }
  /** `through`: follow this relation, and work on its target. */
  | { readonly kind: 'entity'; readonly reference: EntityReference; readonly through: ToOneAttribute | null }

/** One parameter as it was sent. An entity is not saved by being one. */
export type CallParameter =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'entity'; readonly dataClass: ClassModel; readonly item: WriteItem }
  /** The members of an entity set; `dataClass` is the one that was named, or null. */
  | { readonly kind: 'selection'; readonly id: string; readonly dataClass: string | null }

export interface CallQuery extends AnswerBounds {
  readonly target: CallTarget
  readonly name: string
  /** What has the function, for messages: `The "Employee" dataclass`. */
  readonly owner: string
  readonly parameters: readonly CallParameter[]
  /** How an entity or selection is shown, once it is known of which dataclass it is. Throws for unknown names. */
  readonly projectionOf: (dataClass: ClassModel) => Projection
  /** The page of a selection. */
  readonly skip: number
  readonly top: number
  /** Keep a selection as an entity set. */
  readonly keep: Keeping | null
  /** Nesting of a result. */
  readonly maxDepth: number
}

export interface ShownEntity {
  readonly kind: 'entity'
  readonly projection: Projection
  readonly record: EntityRecord
}

export interface ShownSelection {
  readonly kind: 'selection'
  readonly projection: Projection
  readonly count: number
  readonly first: number
  /** A member deleted since keeps its place as null. */
  readonly records: readonly (EntityRecord | null)[]
  readonly entitySetId: string | null
}

/** A result as JSON has it (an object is a map), but for entities and selections, which are yet to be written. */
export type ResultValue =
  | null
  | boolean
  | number
  | string
  | readonly ResultValue[]
  | ReadonlyMap<string, ResultValue>
  | ShownEntity
  | ShownSelection

/** What a function gave. */
export type CallResult =
  | { readonly kind: 'value'; readonly value: ResultValue }
  | { readonly kind: 'reply'; readonly reply: OutgoingReply }
  /** The caller is this user from now on. */
  | {
      readonly kind: 'login'
      readonly user: SessionUser
      readonly lifetimeSeconds: number | null
      readonly value: ResultValue
    }
