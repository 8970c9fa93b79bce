import { hasBit } from './bitset.ts'
import { TextColumn, WordColumn } from './column.ts'
import type { Table } from './table.ts'
import { replaceIndex } from './table-indexes.ts'

/**
 * A column becomes plain text when its dictionary has more words than this, and more than half as
 * many as there are records.
 */
const MIN_UNCODED_WORDS = 4096

/**
 * Replaces dictionaries whose words seldom repeat and drops dead words. Call it between
 * transactions only. Cost O(1) unless there is something to do.
 */
export function tidyTable(table: Table): void {
  for (let ordinal = 0; ordinal < table.columns.length; ordinal++) {
    const column = table.columns[ordinal]
    if (!(column instanceof WordColumn) || column.dictionary.size <= MIN_UNCODED_WORDS) continue
    if (column.dictionary.size * 2 <= table.liveCount) continue
    if (column.dictionary.deadWords() * 2 > column.dictionary.size) {
      column.dictionary.sweep()
      table.layout++
    } else if (column.attribute.relation === null) toPlainText(table, ordinal)
  }
}

/**
 * Drops dead words by their length, where `tidyTable` drops them by their number. Call it between
 * transactions only. Amortised O(columns).
 */
export function forgetLongWords(table: Table): void {
  for (const column of table.columns) {
    if (!(column instanceof WordColumn) || !column.dictionary.isSweepDue) continue
    column.dictionary.sweep()
    table.layout++
  }
}

/**
 * Replaces a coded column by plain text, and its index with it. Cost O(records), plus a sort when
 * indexed.
 */
export function toPlainText(table: Table, ordinal: number): void {
  const old = table.columns[ordinal] as WordColumn
  const column = new TextColumn(old.attribute)
  column.reserve(table.capacity)
  for (let slot = 0; slot < table.length; slot++)
    column.write(slot, hasBit(table.live, slot) ? old.read(slot) : null)
  table.columns[ordinal] = column
  table.layout++
  table.version++
  const index = table.indexes[ordinal]
  if (index !== null) replaceIndex(table, ordinal, index.isOrdered, index.unique !== null)
}
