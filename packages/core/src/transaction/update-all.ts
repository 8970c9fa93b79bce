import { EntiaError } from '../errors.ts'
import type { ClassModel } from '../model/catalog.ts'
import { stampsUntil } from '../storage/stamp.ts'
import type { Table } from '../storage/table.ts'
import { describeFound } from '../value/refusal.ts'
import { PatchDraft } from './patch.ts'
import type { StageSet } from './stage-set.ts'
import { entityMissing, staleStamp } from './write-errors.ts'

/** One update of a batch, as it was read: the entity by its key, what changes, and the stamp the caller read. */
export interface ReadChange {
  readonly key: unknown
  readonly stamp: number | undefined
  readonly patch: PatchDraft
}

/**
 * A batch of updates, read whole before anything is decided: what is given may be code that writes to the store. In the place of what is
 * no update stands the error that it is refused with.
 */
export class ReadChanges {
  readonly list: readonly (ReadChange | EntiaError)[]

  /** Throws `argumentInvalid` for what is no list. */
  constructor(model: ClassModel, changes: unknown) {
    if (!Array.isArray(changes)) {
      const found = describeFound(changes)
      throw new EntiaError('argumentInvalid', { argument: 'The changes of updateAll', expected: 'an array', found })
    }
    this.list = Array.from(changes, (change: unknown) => readChange(model, change))
  }
}

/** Takes no edits: they may write to the store, and so to what comes later in the batch. */
function readChange(model: ClassModel, change: unknown): ReadChange | EntiaError {
  if (typeof change === 'object' && change !== null && 'patch' in change) {
    const { key, patch, stamp } = change as { readonly key?: unknown; readonly patch: unknown; readonly stamp?: number }
    if (typeof patch === 'object') return { key, stamp, patch: new PatchDraft().read(model, patch) }
  }
  return new EntiaError('argumentInvalid', {
    argument: 'An update of a batch',
    expected: 'an object { key, patch, stamp? }',
    found: describeFound(change),
  })
}

/**
 * Looks for an update that cannot succeed because its entity is gone, or was saved by another since, before any of the batch is staged:
 * it is how most batches fail, and costs two look-ups per entity. Throws `entityNotFound` and `stampChanged`. For dataclasses
 * whose writes run no code of the application; what it cannot tell is left to the writes themselves.
 */
export function refuseStale(stages: StageSet, table: Table, { list }: ReadChanges): void {
  for (let i = 0; i < list.length; i++) {
    const change = list[i]
    if (change instanceof EntiaError) return
    const { key, stamp } = change
    const slot = stages.locate(table, key)
    if (slot < 0) throw entityMissing(table.model, key)
    if (stamp === undefined) continue
    const stored = stages.stampOf(table, slot)
    if (stamp === stored) continue
    // What stands before it in the batch may bring the entity to this stamp.
    if (stampsUntil(stored, stamp) <= writesTo(stages, table, slot, list, i)) return
    throw staleStamp(table.model, key, stamp, stored, slot)
  }
}

/** How many of the first updates are of a record. */
function writesTo(stages: StageSet, table: Table, slot: number, list: ReadChanges['list'], count: number): number {
  let writes = 0
  for (const change of list.slice(0, count))
    if (!(change instanceof EntiaError) && stages.locate(table, change.key) === slot) writes++
  return writes
}
