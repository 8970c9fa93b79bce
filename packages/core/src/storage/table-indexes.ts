import { AttributeIndex } from './attribute-index.ts'
import type { Table } from './table.ts'

/**
 * The index that answers ranges and orders of a column, or null. The first call for the key
 * creates its index: O(n log n), or O(n) where keys ascend with record numbers.
 */
export function orderedIndex(table: Table, ordinal: number): AttributeIndex | null {
  const index = table.indexes[ordinal]
  if (index?.isOrdered) return index
  if (ordinal !== table.model.key.ordinal || table.indexFactory === null) return null
  // If the key is a foreign key too, its posting lists get new numbers.
  if (index !== null) table.version++
  replaceIndex(table, ordinal, true, false)
  return table.indexes[ordinal]
}

/** Adds an ordered index to an attribute; cost O(n log n). */
export function createIndex(table: Table, ordinal: number): void {
  const old = table.indexes[ordinal]
  if (old?.isOrdered) return
  table.version++
  replaceIndex(table, ordinal, true, old?.unique !== null && old !== null)
}

export function dropIndex(table: Table, ordinal: number): void {
  const old = table.indexes[ordinal]
  if (old === null || !old.isOrdered) return
  table.version++
  replaceIndex(table, ordinal, false, old.unique !== null)
}

/** Rebuilds every index from its column (after a bulk load). */
export function rebuildIndexes(table: Table): void {
  const slots = table.liveSlots()
  for (const index of table.indexes) index?.build(slots)
}

/** Builds the index that an attribute needs; none if it needs none. */
export function replaceIndex(
  table: Table,
  ordinal: number,
  ordered: boolean,
  unique: boolean,
): void {
  const postings = table.model.storage[ordinal].relation !== null
  if (!ordered && !unique && !postings) {
    table.indexes[ordinal] = null
    return
  }
  const needs = { ordered, postings, unique }
  const index = new AttributeIndex(table.columns[ordinal], needs, table.indexFactory)
  index.build(table.liveSlots())
  table.indexes[ordinal] = index
}
