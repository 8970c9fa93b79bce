import { overBudget } from '../errors.ts'
import type { StoredValue } from '../value/types.ts'
import { type AfterHooks, type HookRunner, hookContext } from './hooks.ts'
import type { WriteContext } from './port.ts'
import { type RecordRef, type References, type Removal, removalOf } from './referential.ts'
import type { StageSet } from './stage-set.ts'
import { entityInvalid } from './write-errors.ts'

/** What a removal works with, in one transaction. */
export interface CascadeParts {
  readonly stages: StageSet
  readonly port: WriteContext
  readonly hooks: HookRunner
  readonly writer: { readonly after: AfterHooks }
  readonly references: References
  /** Entities that `onDelete` rules have removed or changed so far. */
  reached: number
}

/**
 * Stages a removal with its hooks and the `onDelete` rules of relations that lead to the removed
 * entities. `maxCascade` limits how many entities the removals of the transaction reach. Throws
 * `budgetExceeded` and `validationFailed`.
 */
export function removeCascading(
  parts: CascadeParts,
  record: RecordRef,
  maxCascade: number | undefined,
): void {
  const { stages, references, writer } = parts
  const { emptied, removed, restricted } = agreedRemoval(parts, record, maxCascade)
  parts.reached += Math.max(0, removed.length + emptied.length - 1)
  for (const { record, ordinals } of emptied) {
    const nulls = new Array<StoredValue>(ordinals.length).fill(null)
    stages.update(record.table, record.slot, ordinals, nulls)
  }
  // Farthest first, so that no staged record refers to a removed one.
  for (let i = removed.length - 1; i >= 0; i--) {
    const { table, slot } = removed[i]
    const { afterRemove, afterSave } = table.model.hooks
    if (afterRemove !== undefined || afterSave !== undefined)
      writer.after.removed(removed[i], entityAt(parts, removed[i]))
    stages.remove(table, slot)
  }
  references.restrict(restricted)
}

/**
 * The consequences of a removal, accepted by all `validateRemove` hooks and locks concerned.
 * Stages nothing.
 */
function agreedRemoval(
  parts: CascadeParts,
  record: RecordRef,
  maxCascade: number | undefined,
): Removal {
  const { stages, port, reached } = parts
  const room = maxCascade === undefined ? Number.POSITIVE_INFINITY : maxCascade - reached
  const validated = new Set<number>()
  for (;;) {
    const { version } = stages
    const removal = removalOf(stages, record, room)
    if (removal === null)
      throw overBudget(
        'entities reached by onDelete rules in one transaction',
        maxCascade ?? 0,
        'maxCascade',
      )
    for (const removed of removal.removed) {
      if (validated.has(removed.birth)) continue
      validated.add(removed.birth)
      validateRemove(parts, removed)
      if (version !== stages.version) break
    }
    if (version === stages.version) checkLocks(port, removal)
    if (version === stages.version) return removal
    // A hook, or the clock by which locks expire, may have changed references, or removed the
    // entity itself.
    if (!stages.of(record.table).isLive(record.slot, record.birth))
      return { removed: [], emptied: [], restricted: [] }
  }
}

/** Checks the locks of all records that the removal removes or changes. */
function checkLocks({ beforeWrite }: WriteContext, { removed, emptied }: Removal): void {
  if (beforeWrite === undefined) return
  for (const { table, slot, birth } of removed) beforeWrite(table, slot, birth)
  for (const { record } of emptied) beforeWrite(record.table, record.slot, record.birth)
}

function validateRemove(parts: CascadeParts, record: RecordRef): void {
  const { stages, port, hooks } = parts
  const { model } = record.table
  if (model.hooks.validateRemove === undefined) return
  const context = hookContext(port, null)
  const refusals = hooks.refusals(model, 'validateRemove', entityAt(parts, record), context)
  if (refusals.length === 0) return
  throw entityInvalid(model, String(stages.of(record.table).keyOf(record.slot)), refusals)
}

function entityAt({ stages, port }: CascadeParts, { table, slot }: RecordRef): object {
  const { values, stamp, timestamp } = stages.view(table, slot)
  return port.entityOf(table, values, stamp, timestamp)
}
