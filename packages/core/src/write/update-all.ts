import { EntiaError } from '../errors.ts'
import { stampsUntil } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import { describeFound, refused } from '../value/check-options.ts'
import { type Patch, PatchDraft } from './patch.ts'
import type { TableStage } from './stage.ts'
import type { StageSet } from './stage-set.ts'
import type { Transaction } from './transaction.ts'
import type { EntityWriter } from './write-entity.ts'
import { entityMissing, staleStamp } from './write-errors.ts'
import type { Writer } from './writer.ts'

/** One update of a batch. After `readBatch` the patch is a `Patch` or a `PatchDraft`. */
interface BatchedUpdate {
  readonly key: unknown
  readonly stamp: number | undefined
  patch: unknown
}

/** A batch of updates. An invalid update is replaced by its error. */
type UpdateBatch = readonly (BatchedUpdate | EntiaError)[]

/**
 * Reads a batch completely before the first write, because the input may be code that writes to the
 * store. Throws `argumentInvalid` if the changes are not an array, and as `refuseStale`.
 */
function readBatch(
  stages: StageSet,
  writer: EntityWriter,
  table: Table,
  changes: unknown,
): UpdateBatch {
  const { model } = table
  if (!Array.isArray(changes))
    throw refused('The changes of updateAll', 'an array', describeFound(changes))
  const { length } = changes
  const batch = new Array<BatchedUpdate | EntiaError>(length)
  for (let i = 0; i < length; i++) batch[i] = readUpdate(changes[i])
  if (writer.canCheckFirst(table)) refuseStale(stages.of(table), batch)
  let draft = new PatchDraft()
  for (const update of batch) {
    if (update instanceof EntiaError) continue
    const isPlain = draft.read(model, update.patch).isPlain
    update.patch = isPlain ? draft.take() : draft
    if (!isPlain) draft = new PatchDraft()
  }
  return batch
}

/** Refuses functions: they may write to entities that come later in the batch. */
function readUpdate(given: unknown): BatchedUpdate | EntiaError {
  if (typeof given === 'object' && given !== null && 'patch' in given) {
    const { key, patch, stamp } = given as {
      readonly key?: unknown
      readonly patch: unknown
      readonly stamp?: number
    }
    if (typeof patch === 'object' && unknownIn(given) === null) return { key, stamp, patch }
  }
  return refused('An update of a batch', 'an object { key, patch, stamp? }', foundUpdate(given))
}

function foundUpdate(given: unknown): string {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return describeFound(given)
  if (!('patch' in given)) return 'an object without "patch"'
  const unknown = unknownIn(given)
  if (unknown !== null) return `an object with "${unknown}"`
  return `an object whose "patch" is ${describeFound(given.patch)}`
}

/** A misspelt stamp would make an update unconditional. */
function unknownIn(given: object): string | null {
  for (const name in given) if (name !== 'key' && name !== 'patch' && name !== 'stamp') return name
  return null
}

/**
 * Refuses a batch whose entities are missing or have other stamps, before anything is staged. Most
 * failing batches fail so. Costs two look-ups per entity and reads no patch. Only for dataclasses
 * whose writes run no code of the application. The writes themselves check what it cannot decide.
 * Throws `entityNotFound` and `stampChanged`.
 */
function refuseStale(stage: TableStage, list: UpdateBatch): void {
  const { model } = stage.table
  for (let i = 0; i < list.length; i++) {
    const change = list[i]
    if (change instanceof EntiaError) return
    const { key, stamp } = change
    const slot = stage.locate(key)
    if (slot < 0) throw entityMissing(model, key)
    if (stamp === undefined) continue
    const stored = stage.stampOf(slot)
    if (stamp === stored) continue
    // Earlier updates of the batch may bring the entity to this stamp.
    if (stampsUntil(stored, stamp) <= writesTo(stage, slot, list, i)) return
    throw staleStamp(model, key, stamp, stored, stage.table.recordNumber(slot))
  }
}

/** How many of the first `count` updates concern a record. */
function writesTo(stage: TableStage, slot: number, list: UpdateBatch, count: number): number {
  let writes = 0
  for (const change of list.slice(0, count))
    if (!(change instanceof EntiaError) && stage.locate(change.key) === slot) writes++
  return writes
}

/**
 * Updates many entities as one commit, or none where an entity is gone or a stamp is not the stored
 * one: that is checked first. Returns how many were given. Throws what `update` throws.
 */
export function updateMany(writer: Writer, table: Table, changes: readonly unknown[]): number {
  writer.guard()
  const { stages, current, direct } = writer
  if (current !== null)
    return writer.transact(() =>
      updateAll(current, table, readBatch(stages, current.writer, table, changes)),
    )
  const batch = readBatch(stages, direct.writer, table, changes)
  return writer.transact((transaction) => updateAll(transaction, table, batch))
}

function updateAll(transaction: Transaction, table: Table, batch: UpdateBatch): number {
  return transaction.write(table, () => {
    const draft = new PatchDraft()
    for (let i = 0; i < batch.length; i++) {
      const change = batch[i]
      if (change instanceof EntiaError) throw change
      const { key, patch, stamp } = change
      const given = patch instanceof PatchDraft ? patch : draft.copy(patch as Patch)
      transaction.writer.update(table, key, given, stamp)
    }
    return batch.length
  })
}
