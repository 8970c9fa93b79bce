import { overBudget } from '../errors.ts'
import type { StoredValue } from '../value/types.ts'
import { type AfterHooks, type HookRunner, hookContext } from './hooks.ts'
import type { TransactionPort } from './port.ts'
import { type RecordRef, type References, type Removal, removalOf } from './referential.ts'
import type { StageSet } from './stage-set.ts'
import { entityInvalid } from './write-errors.ts'

/**
 * Stages removals with their hooks and the `onDelete` rules of relations that lead to the removed
 * entities.
 */
export class Cascade {
  readonly #stages: StageSet
  readonly #port: TransactionPort
  readonly #hooks: HookRunner
  readonly #after: AfterHooks
  readonly #references: References
  /** Entities that `onDelete` rules have removed or changed so far. */
  #reached = 0

  constructor(
    stages: StageSet,
    port: TransactionPort,
    hooks: HookRunner,
    after: AfterHooks,
    references: References,
  ) {
    this.#stages = stages
    this.#port = port
    this.#hooks = hooks
    this.#after = after
    this.#references = references
  }

  /**
   * `maxCascade` limits how many entities the removals of the transaction reach. Throws
   * `budgetExceeded` and `validationFailed`.
   */
  remove(record: RecordRef, maxCascade: number | undefined): void {
    const stages = this.#stages
    const room = maxCascade === undefined ? Number.POSITIVE_INFINITY : maxCascade - this.#reached
    const { emptied, removed, restricted } = this.#agreedRemoval(record, room, maxCascade)
    this.#reached += Math.max(0, removed.length + emptied.length - 1)
    for (const { record, ordinals } of emptied) {
      stages.update(
        record.table,
        record.slot,
        ordinals,
        new Array<StoredValue>(ordinals.length).fill(null),
      )
    }
    // Farthest first, so that no staged record refers to a removed one.
    for (let i = removed.length - 1; i >= 0; i--) {
      const { table, slot } = removed[i]
      const { afterRemove, afterSave } = table.model.hooks
      if (afterRemove !== undefined || afterSave !== undefined)
        this.#after.removed(removed[i], this.#entityAt(removed[i]))
      stages.remove(table, slot)
    }
    this.#references.restrict(restricted)
  }

  /**
   * The consequences of a removal, accepted by all `validateRemove` hooks and locks concerned.
   * Stages nothing.
   */
  #agreedRemoval(record: RecordRef, room: number, maxCascade: number | undefined): Removal {
    const validated = new Set<number>()
    for (;;) {
      const { version } = this.#stages
      const removal = removalOf(this.#stages, record, room)
      if (removal === null)
        throw overBudget(
          'entities reached by onDelete rules in one transaction',
          maxCascade ?? 0,
          'maxCascade',
        )
      for (const removed of removal.removed) {
        if (validated.has(removed.birth)) continue
        validated.add(removed.birth)
        this.#validateRemove(removed)
        if (version !== this.#stages.version) break
      }
      if (version === this.#stages.version) this.#checkLocks(removal)
      if (version === this.#stages.version) return removal
      // A hook, or the clock by which locks expire, may have changed references, or removed the
      // entity itself.
      if (!this.#stages.of(record.table).isLive(record.slot, record.birth))
        return { removed: [], emptied: [], restricted: [] }
    }
  }

  /** Checks the locks of all records that the removal removes or changes. */
  #checkLocks({ removed, emptied }: Removal): void {
    const { beforeWrite } = this.#port
    if (beforeWrite === undefined) return
    for (const { table, slot, birth } of removed) beforeWrite(table, slot, birth)
    for (const { record } of emptied) beforeWrite(record.table, record.slot, record.birth)
  }

  #validateRemove(record: RecordRef): void {
    const { model } = record.table
    if (model.hooks.validateRemove === undefined) return
    const refusals = this.#hooks.refusals(
      model,
      'validateRemove',
      this.#entityAt(record),
      hookContext(this.#port, null),
    )
    if (refusals.length === 0) return
    throw entityInvalid(model, String(this.#stages.of(record.table).keyOf(record.slot)), refusals)
  }

  #entityAt({ table, slot }: RecordRef): object {
    const { values, stamp, timestamp } = this.#stages.view(table, slot)
    return this.#port.entityOf(table, values, stamp, timestamp)
  }
}
