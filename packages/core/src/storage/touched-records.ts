import type { Change } from './change-list.ts'
import type { Table } from './table.ts'

export const WHOLE = 'whole'
/** The written columns per record number. */
export type Touched = Map<number, Set<number> | typeof WHOLE>

/** The records that some changes have written, each once. Cost O(changes). */
export function touchedBy(changes: readonly Change[]): Map<Table, Touched> {
  const tables = new Map<Table, Touched>()
  for (const change of changes) {
    let touched = tables.get(change.table)
    if (touched === undefined) tables.set(change.table, (touched = new Map()))
    if (change.kind === 'load') for (const slot of change.slots) touched.set(slot, WHOLE)
    else if (change.kind !== 'update') touched.set(change.slot, WHOLE)
    else {
      const columns = touched.get(change.slot)
      if (columns === undefined) touched.set(change.slot, new Set(change.ordinals))
      else if (columns !== WHOLE) for (const ordinal of change.ordinals) columns.add(ordinal)
    }
  }
  return tables
}
