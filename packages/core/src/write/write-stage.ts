import { EntiaError } from '../errors.ts'
import type { ChangeRecorder } from '../storage/change-list.ts'
import type { HashIndex } from '../storage/hash-index.ts'
import type { Table } from '../storage/table.ts'
import type { AllocationPoint } from './port.ts'
import type { StageSet } from './stage-set.ts'
import type { StagedRecord } from './staged-values.ts'

/** The most entries that a JavaScript `Map` can have. */
const MAX_MAP_ENTRIES = 16_777_216

/**
 * Writes all stages to columns and indexes, and empties them. It first makes room for records,
 * codes, blocks, lists and keys, and then writes. A failure before the first write leaves no
 * visible change. After one during the writes the caller rolls back the recorder.
 */
export function writeStage(
  stages: StageSet,
  recorder: ChangeRecorder,
  timestamp: number,
  point: AllocationPoint,
): void {
  for (const stage of stages.opened) {
    if (stage.insertions === 0) continue
    point()
    reserveRecords(stage.table, stage.insertions, stage.slotLimit)
  }
  for (const record of stages.records) admitRecord(record, point)
  for (const record of stages.records) {
    point()
    writeRecord(record, recorder, timestamp)
  }
  for (const { table, sequence } of stages.opened) recorder.setSequence(table, sequence)
  stages.clear()
}

/** Makes room for so many more records, in slots below `slotLimit`. */
export function reserveRecords(table: Table, insertions: number, slotLimit: number): void {
  table.reserve(slotLimit)
  checkRoom(table, table.keys, insertions)
  for (const index of table.indexes) {
    if (index === null) continue
    if (index.unique !== null) checkRoom(table, index.unique, insertions)
    index.ordered?.reserve(insertions)
  }
}

/** Throws `budgetExceeded` where a hash has no room for so many more values. */
export function checkRoom(table: Table, hash: HashIndex, extra: number): void {
  if (hash.canHold(extra)) return
  const what = `keys and unique values of the "${table.model.name}" dataclass`
  throw new EntiaError('budgetExceeded', {
    what,
    limit: MAX_MAP_ENTRIES,
    option: 'none: a limit of the language',
  })
}

function admitRecord(
  { kind, table, ordinals, values }: StagedRecord,
  point: AllocationPoint,
): void {
  for (let i = 0; i < values.length; i++) {
    point()
    table.admit(kind === 'insert' ? i : ordinals[i], values[i])
  }
}

function writeRecord(record: StagedRecord, recorder: ChangeRecorder, timestamp: number): void {
  const { table, slot, values, stamp } = record
  switch (record.kind) {
    case 'insert':
      recorder.insert(table, slot, values, stamp, timestamp, record.birth)
      return
    case 'update':
      // Timestamps never decrease, even if the clock does.
      recorder.update(
        table,
        slot,
        record.ordinals,
        values,
        stamp,
        Math.max(timestamp, table.timestamps[slot]),
      )
      return
    case 'remove':
      recorder.remove(table, slot)
      return
    case 'void':
  }
}

/**
 * True when the recorded changes have no effect together: every record was inserted or loaded, and
 * removed again. Cost O(changes), and O(rows) of loads only where as many records were removed as
 * added.
 */
export function isWithoutTrace({ changes }: ChangeRecorder): boolean {
  let more = 0
  for (const change of changes) {
    if (change.kind === 'load') more += change.slots.length
    else if (change.kind === 'insert') more++
    else if (change.kind === 'remove') more--
  }
  if (more !== 0) return false
  const inserted = new Map<Table, Set<number>>()
  for (const change of changes) {
    const slots = inserted.get(change.table) ?? new Set<number>()
    inserted.set(change.table, slots)
    if (change.kind === 'load') for (const slot of change.slots) slots.add(slot)
    else if (change.kind === 'insert') slots.add(change.slot)
    else if (!slots.has(change.slot)) return false
    else if (change.kind === 'remove') slots.delete(change.slot)
  }
  return true
}
