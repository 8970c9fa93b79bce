import { EntiaError } from '../errors.ts'
import { stampsUntil } from '../storage/stamp.ts'
import type { Table } from '../storage/table.ts'
import { describeFound } from '../value/refusal.ts'
import type { StageSet } from './stage-set.ts'
import { entityMissing, staleStamp } from './write-errors.ts'

/** One update of a batch: the entity by its key, what changes, and the stamp the caller read. */
export interface EntityChange {
  readonly key: unknown
  readonly patch: unknown
  readonly stamp?: number | undefined
}

/**
 * Looks for an update that cannot succeed because its entity is gone, or was saved by another since, before any of the batch is staged:
 * it is how most batches fail, and costs two look-ups per entity. Throws `entityNotFound` and `stampChanged`. For dataclasses
 * whose writes run no code of the application; what it cannot tell is left to the writes themselves.
 */
export function refuseStale(stages: StageSet, table: Table, changes: readonly EntityChange[]): void {
  for (let i = 0; i < changes.length; i++) {
    const change = changes[i]
    if (!isChange(change)) return
    const { key, stamp } = change
    const slot = stages.locate(table, key)
    if (slot < 0) throw entityMissing(table.model, key)
    if (stamp === undefined) continue
    const stored = stages.stampOf(table, slot)
    if (stamp === stored) continue
    // What stands before it in the batch may bring the entity to this stamp.
    if (stampsUntil(stored, stamp) <= writesTo(stages, table, slot, changes, i)) return
    throw staleStamp(table.model, key, stamp, stored, slot)
  }
}

/** Throws `argumentInvalid` for what is no list. */
export function checkBatch(changes: unknown): void {
  if (Array.isArray(changes)) return
  const found = describeFound(changes)
  throw new EntiaError('argumentInvalid', { argument: 'The changes of updateAll', expected: 'an array', found })
}

/** Throws `argumentInvalid` for what is no update. */
export function checkChange(change: unknown): asserts change is EntityChange {
  if (isChange(change)) return
  throw new EntiaError('argumentInvalid', {
    argument: 'An update of a batch',
    expected: 'an object { key, patch, stamp? }',
    found: describeFound(change),
  })
}

/** No edits: they may write to the store, and so to what comes later in the batch. */
const isChange = (change: unknown): change is EntityChange =>
  typeof change === 'object' && change !== null && 'patch' in change && typeof change.patch === 'object'

/** How many of the first updates are of a record. */
function writesTo(
  stages: StageSet,
  table: Table,
  slot: number,
  changes: readonly EntityChange[],
  count: number,
): number {
  let writes = 0
  for (let i = 0; i < count; i++) if (stages.locate(table, changes[i].key) === slot) writes++
  return writes
}
