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
  /** `through`: follow this relation and call the function on its target. */
  | {
      readonly kind: 'entity'
      readonly reference: EntityReference
      readonly through: ToOneAttribute | null
    }

/** One argument as it was sent. Sending an entity does not save it. */
export type CallParameter =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'entity'; readonly dataClass: ClassModel; readonly item: WriteItem }
  /** The members of an entity set. `dataClass` is the one that the client named, or null. */
  | { readonly kind: 'selection'; readonly id: string; readonly dataClass: string | null }

export interface CallQuery extends AnswerBounds {
  readonly target: CallTarget
  readonly name: string
  /** The function's owner, for messages: `The "Employee" dataclass`. */
  readonly owner: string
  readonly parameters: readonly CallParameter[]
  /**
   * The projection of an entity or selection, once its dataclass is known. Throws for unknown
   * names.
   */
  readonly projectionOf: (dataClass: ClassModel) => Projection
  /** The page of a selection. */
  readonly skip: number
  readonly top: number
  /** Keep a selection as an entity set. */
  readonly keep: Keeping | null
  /** The most levels of nesting in a result. */
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
  /** A member that was deleted since is null in its place. */
  readonly records: readonly (EntityRecord | null)[]
  readonly entitySetId: string | null
}

/**
 * A result as JSON values (objects are maps), except for entities and selections, which the
 * renderer writes.
 */
export type ResultValue =
  | null
  | boolean
  | number
  | string
  | readonly ResultValue[]
  | ReadonlyMap<string, ResultValue>
  | ShownEntity
  | ShownSelection

/** The result of a function. */
export type CallResult =
  | { readonly kind: 'value'; readonly globalStamp: number; readonly value: ResultValue }
  | { readonly kind: 'reply'; readonly reply: OutgoingReply }
  /** The function has logged the caller in as this user. */
  | {
      readonly kind: 'login'
      readonly globalStamp: number
      readonly user: SessionUser
      readonly lifetimeSeconds: number | null
      readonly value: ResultValue
    }
