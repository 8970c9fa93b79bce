import type { ErrorEntry } from '../errors.ts'

// The outcomes of writes to an asynchronous store. What a caller has to expect is a value, and
// everything else is an error. Types only.

/** The holder of a lock, as the store knows it; texts are empty if unknown. */
export interface LockHolder {
  readonly host: string
  readonly ipAddress: string
  readonly userAgent: string
}

/** The entity was saved since it was read; `current` is its state now. */
export interface StampChanged<E> {
  readonly kind: 'stampChanged'
  readonly current: E
}
/** Another session holds the lock. */
export interface Locked {
  readonly kind: 'locked'
  readonly holder: LockHolder
}
/** The entity does not exist, or no longer exists. */
export interface Absent {
  readonly kind: 'absent'
}
/** A rule of the model or a hook refused the values. */
export interface Refused {
  readonly kind: 'refused'
  readonly message: string
  /** The deepest cause first. */
  readonly errors: readonly ErrorEntry[]
}
/** Another change of the same batch failed, so this one is not stored. */
export interface Undone {
  readonly kind: 'undone'
}

/** The result of changing an entity. */
export type SaveOutcome<E> =
  | { readonly kind: 'saved'; readonly entity: E }
  | StampChanged<E>
  | Locked
  | Absent
  | Refused
/** The result of one change of a batch that is stored as a whole or not at all. */
export type BatchOutcome<E> = SaveOutcome<E> | Undone
export type RemoveOutcome = { readonly kind: 'removed' } | Locked | Absent | Refused
/** The result of locking an entity for one's own session. */
export type HoldOutcome =
  | { readonly kind: 'held' }
  | { readonly kind: 'alreadyLocked'; readonly holder: LockHolder }
  | Absent
