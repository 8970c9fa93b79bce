import type { ClassModel, Key, StoredValue } from '@entia/core/internal'

/** One entity in a commit. Several writes of an entity in one commit are one change. */
export interface WorkingChange {
  readonly dataClass: ClassModel
  readonly kind: 'insert' | 'update' | 'remove'
  /** Null for an entity that the decision inserted. */
  readonly record: number | null
  readonly key: Key
  /** After the change; those before it for a removal. */
  readonly stamp: number
  /** Epoch milliseconds. */
  readonly timestamp: number
  /** By column; null for a new entity. */
  readonly before: readonly StoredValue[] | null
  /** By column; null for a removed entity. */
  readonly after: readonly StoredValue[] | null
  /** Columns of an update whose values differ, ascending; empty for other changes. */
  readonly changed: readonly number[]
}

/** One commit of a decision. */
export interface WorkingCommit {
  readonly globalStamp: number
  readonly timestamp: number
  /** In the order of their first write. */
  readonly changes: readonly WorkingChange[]
  /** Next numbers of the sequences that moved. */
  readonly sequences: readonly { readonly dataClass: ClassModel; readonly next: number }[]
}

/** What a decision depends on. */
export interface WorkingReads {
  /**
   * Dataclasses that the decision found no entity in, or any number of entities, where the database
   * would let another transaction add one: queried by predicate, referrers, key or unique value.
   */
  readonly queried: ReadonlySet<ClassModel>
}

/** An after-hook of a commit, to be run once, after the database has committed. */
export interface PendingAfterHook {
  readonly dataClass: ClassModel
  readonly kind: 'afterSave' | 'afterRemove'
  /** Runs the hook over the same working store. Throws what the hook throws. */
  run(): void
}

/** What the runs of a body leave behind. */
export interface Effects {
  readonly commits: readonly WorkingCommit[]
  readonly reads: WorkingReads
  readonly afterHooks: readonly PendingAfterHook[]
}
