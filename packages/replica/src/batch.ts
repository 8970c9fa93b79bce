import type { StorageAttribute } from '@entia/core'
import { coerceInput, formatDate, Refusal, type StoredValue } from '@entia/core/internal'

/** Stored values as JSON, by the names of attributes and to-one relations. */
export type BatchValues = { readonly [name: string]: unknown }

/** One change of a batch, as it is sent. */
export type BatchItem = {
  readonly dataClass: string
  readonly key: string | number
} & (
  | { readonly kind: 'insert'; readonly values: BatchValues }
  | {
      readonly kind: 'update'
      readonly values: BatchValues
      /** The values that these replace. */
      readonly before: BatchValues
      readonly stamp: number
    }
  | { readonly kind: 'remove'; readonly before: BatchValues; readonly stamp: number }
)

/** A conflict as the server reports it. */
export interface SentConflict {
  readonly dataClass: string
  readonly key: string | number
  readonly base: BatchValues | null
  readonly mine: BatchValues | null
  readonly theirs: BatchValues | null
  /** The stamp of the entity at the server; 0 if it does not exist. */
  readonly stamp: number
}

export interface BatchRefusal {
  readonly conflicts: readonly SentConflict[]
  readonly errors: readonly {
    readonly code: string
    readonly errCode: number
    readonly message: string
  }[]
}

/** What the server has decided. */
export type BatchOutcome =
  | { readonly number: number; readonly kind: 'applied'; readonly globalStamp: number }
  | { readonly number: number; readonly kind: 'refused'; readonly refusal: BatchRefusal }

/** A stored value in the form that entities have. */
export const shownValue = (attribute: StorageAttribute, value: unknown): unknown =>
  attribute.type === 'date' && typeof value === 'number'
    ? formatDate(value, attribute.dateOnly)
    : (value ?? null)

/** A value that a program gives as stored. Throws a TypeError for one of another type. */
export function storedValue(attribute: StorageAttribute, value: unknown): StoredValue {
  const stored = coerceInput(attribute.type, attribute.dateOnly, value)
  if (!(stored instanceof Refusal)) return stored
  throw new TypeError(`"${attribute.name}" must be ${stored.expected}, not ${stored.found}.`)
}
