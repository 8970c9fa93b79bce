import { exactBytesOf, mostBytesOf } from '../value/value-size.ts'
import { type Change, touchedBy, WHOLE } from './change-list.ts'
import { storageError } from './stored-key.ts'
import type { Table } from './table.ts'

/**
 * Updates that write at most so many bytes are not measured: in all columns together they cannot
 * double an entity.
 */
const UNMEASURED_UPDATE_BYTES = 65_536

/** Bytes of a record in a dump without its values of variable length. */
const RECORD_BYTES = 80
const VALUE_BYTES = 26

/**
 * Throws `entityTooLarge` and `commitTooLarge` for changes that are written to their tables but not
 * committed. Reads only columns with values of variable length, and measures their text only where
 * there is much of it.
 */
export function checkSizes(changes: readonly Change[]): void {
  let most = 0
  for (let i = 0; i < changes.length; i++) {
    const change = changes[i]
    if (change.kind === 'insert') most += checkRecord(change.table, change.slot)
    else if (change.kind === 'load')
      for (const slot of change.slots) most += checkRecord(change.table, slot)
    else if (change.kind === 'update')
      most += checkUpdate(change.table, change.slot, change.ordinals)
    else most += RECORD_BYTES
  }
  if (changes.length > 0 && most > changes[0].table.sizes.commitBytes) checkExactly(changes)
}

/** Returns an upper bound of its bytes. */
function checkRecord(table: Table, slot: number): number {
  const { sized, columns } = table
  let most = RECORD_BYTES + columns.length * VALUE_BYTES
  for (let i = 0; i < sized.length; i++) most += mostBytesOf(columns[sized[i]].read(slot))
  if (most > table.sizes.entityBytes) refuseLarge(table, slot)
  return most
}

function checkUpdate(table: Table, slot: number, ordinals: readonly number[]): number {
  let most = RECORD_BYTES
  for (let i = 0; i < ordinals.length; i++) most += mostBytesOf(table.read(slot, ordinals[i]))
  if (most > UNMEASURED_UPDATE_BYTES || most * table.columns.length > table.sizes.entityBytes)
    checkRecord(table, slot)
  return most
}

function refuseLarge(table: Table, slot: number): void {
  const { model, sizes } = table
  // A later change of the same commit may have removed it.
  if (!table.isLive(slot)) return
  const bytes = exactRecord(table, slot)
  if (bytes <= sizes.entityBytes) return
  const key = String(table.read(slot, model.key.ordinal)).slice(0, 100)
  throw storageError('entityTooLarge', {
    dataClass: model.name,
    key,
    bytes,
    limit: sizes.entityBytes,
  })
}

function exactRecord(table: Table, slot: number): number {
  return (
    RECORD_BYTES +
    table.columns.reduce((bytes, column) => bytes + exactBytesOf(column.read(slot)), 0)
  )
}

function checkExactly(changes: readonly Change[]): void {
  const limit = changes[0].table.sizes.commitBytes
  let bytes = 0
  for (const [table, touched] of touchedBy(changes)) {
    for (const [slot, columns] of touched) {
      if (!table.isLive(slot)) bytes += RECORD_BYTES
      else if (columns === WHOLE) bytes += exactRecord(table, slot)
      else for (const ordinal of columns) bytes += exactBytesOf(table.read(slot, ordinal))
    }
  }
  if (bytes > limit) throw storageError('commitTooLarge', { bytes, limit })
}
