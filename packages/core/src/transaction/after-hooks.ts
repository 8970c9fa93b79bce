import type { RecordRef } from './referential.ts'

/** A hook to run after the commit. */
export interface PendingHook {
  readonly kind: 'afterSave' | 'afterRemove'
  readonly record: RecordRef
  /** The entity before the transaction; null for a new one. */
  readonly before: object | null
}

/**
 * The `afterSave` and `afterRemove` hooks of a transaction: at most one per record, in the order of
 * first writes.
 */
export class AfterHooks {
  /** Records with this birth or a later one are new in the transaction. */
  #firstBirth = Number.POSITIVE_INFINITY
  /** By birth. Null until the first write to a dataclass with such hooks. */
  #pending: Map<number, PendingHook> | null = null

  noteBirth(birth: number): void {
    this.#firstBirth = Math.min(this.#firstBirth, birth)
  }

  saved(record: RecordRef, before: object | null): void {
    if (record.table.model.hooks.afterSave === undefined) return
    this.#pending ??= new Map()
    if (!this.#pending.has(record.birth))
      this.#pending.set(record.birth, { kind: 'afterSave', record, before })
  }

  /** Takes the entity as it was before the removal. */
  removed(record: RecordRef, entity: object): void {
    this.#pending ??= new Map()
    this.#pending.delete(record.birth)
    if (record.birth >= this.#firstBirth || record.table.model.hooks.afterRemove === undefined)
      return
    this.#pending.set(record.birth, { kind: 'afterRemove', record, before: entity })
  }

  take(): readonly PendingHook[] {
    const pending = this.#pending
    this.#pending = null
    return pending === null ? [] : [...pending.values()]
  }
}
