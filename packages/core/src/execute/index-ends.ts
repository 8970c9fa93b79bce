import type { StorageAttribute } from '../model/catalog.ts'
import { numberKey } from '../storage/attribute-index.ts'
import { NumberColumn } from '../storage/column.ts'
import type { Table } from '../storage/table.ts'
import { orderedIndex } from '../storage/table-load.ts'

/**
 * The lowest or highest value of a number or date, from the end of its index. Null if there is no
 * value, or no index. Cost: O(log n).
 */
export function endOfIndex(
  table: Table,
  attribute: StorageAttribute,
  end: 'min' | 'max',
): number | null {
  const column = table.columns[attribute.ordinal]
  if (!(column instanceof NumberColumn)) return null
  const ordered = orderedIndex(table, attribute.ordinal)?.ordered
  if (ordered?.kind !== 'number') return null
  const nulls = ordered.upperRank(Number.NEGATIVE_INFINITY)
  if (nulls === ordered.size) return null
  return numberKey(column, ordered.slotAt(end === 'min' ? nulls : ordered.size - 1))
}
