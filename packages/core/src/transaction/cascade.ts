import { EntiaError } from '../errors.ts'
import type { StoredValue } from '../value/types.ts'
import type { AfterHooks } from './after-hooks.ts'
import { type HookRunner, hookContext } from './hooks.ts'
import type { TransactionPort } from './port.ts'
import { type RecordRef, type References, type Removal, removalOf } from './referential.ts'
import type { StageSet } from './stage-set.ts'
import { entityInvalid } from './write-errors.ts'

/** Stages removals with all that follows from them: hooks, and the `onDelete` rules of relations that lead to what is removed. */
export class Cascade {
  readonly #stages: StageSet
  readonly #port: TransactionPort
  readonly #hooks: HookRunner
  readonly #after: AfterHooks
  readonly #references: References
  /** Entities that removals took along or emptied so far. */
  #reached = 0

  constructor(stages: StageSet, port: TransactionPort, hooks: HookRunner, after: AfterHooks, references: References) {
    this.#stages = stages
    this.#port = port
    this.#hooks = hooks
    this.#after = after
    this.#references = references
  }

  /** `maxCascade` limits how many entities the removals of the transaction reach. Throws `budgetExceeded` and `validationFailed`. */
  remove(record: RecordRef, maxCascade: number | undefined): void {
    const stages = this.#stages
    const room = maxCascade === undefined ? Number.POSITIVE_INFINITY : maxCascade - this.#reached
    const { emptied, removed, restricted } = this.#agreedRemoval(record, room, maxCascade)
    this.#reached += Math.max(0, removed.length + emptied.length - 1)
    for (const { record, ordinals } of emptied) {
      stages.update(record.table, record.slot, ordinals, new Array<StoredValue>(ordinals.length).fill(null))
    }
    // Farthest first: nothing refers to what is gone.
    for (let i = removed.length - 1; i >= 0; i--) {
      const { table, slot } = removed[i]
      const { afterRemove, afterSave } = table.model.hooks
      if (afterRemove !== undefined || afterSave !== undefined)
        this.#after.removed(removed[i], this.#entityAt(removed[i]))
      stages.remove(table, slot)
    }
    this.#references.restrict(restricted)
  }

  /** What a removal leads to, agreed to by every `validateRemove` concerned; nothing of it is staged yet. */
  #agreedRemoval(record: RecordRef, room: number, maxCascade: number | undefined): Removal {
    const asked = new Set<number>()
    for (;;) {
      const { version } = this.#stages
      const removal = removalOf(this.#stages, record, room)
      if (removal === null)
        throw new EntiaError('budgetExceeded', {
          what: 'entities reached by onDelete rules in one transaction',
          limit: maxCascade ?? 0,
          option: 'maxCascade',
        })
      for (const removed of removal.removed) {
        if (asked.has(removed.birth)) continue
        asked.add(removed.birth)
        this.#askRemove(removed)
        if (version !== this.#stages.version) break
      }
      if (version === this.#stages.version) this.#askEach(removal)
      if (version === this.#stages.version) return removal
      // A hook that wrote, or the clock that locks end by, may have changed who refers to whom, or removed the entity itself.
      if (!this.#stages.of(record.table).isLive(record.slot, record.birth))
        return { removed: [], emptied: [], restricted: [] }
    }
  }

  /** Locks of what goes along, or loses its relation, count as those of the entity itself. */
  #askEach({ removed, emptied }: Removal): void {
    const { beforeWrite } = this.#port
    if (beforeWrite === undefined) return
    for (const { table, slot, birth } of removed) beforeWrite(table, slot, birth)
    for (const { record } of emptied) beforeWrite(record.table, record.slot, record.birth)
  }

  #askRemove(record: RecordRef): void {
    const { model } = record.table
    if (model.hooks.validateRemove === undefined) return
    const refusal = this.#hooks.refusal(model, 'validateRemove', this.#entityAt(record), hookContext(this.#port, null))
    if (refusal === null) return
    throw entityInvalid(model, String(this.#stages.of(record.table).keyOf(record.slot)), [refusal])
  }

  #entityAt({ table, slot }: RecordRef): object {
    const { values, stamp, timestamp } = this.#stages.view(table, slot)
    return this.#port.entityOf(table, values, stamp, timestamp)
  }
}
