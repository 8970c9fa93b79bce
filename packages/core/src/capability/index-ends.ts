import type { Membership } from '../selection/membership.ts'
import type { SelectionPort } from '../selection/selection-port.ts'
import { numberKey } from '../storage/attribute-index.ts'
import { NumberColumn } from '../storage/column.ts'
import { orderedIndex } from '../storage/table-indexes.ts'
import { formatDate } from '../value/date.ts'

/**
 * The lowest or highest value of an attribute, from the end of its index. Null if there is no
 * value, or if no index answers: the members are not all entities, or the attribute is not the key
 * or an indexed number or date. Cost: O(log n).
 */
export function endOfIndex(
  port: SelectionPort,
  members: Membership,
  path: string,
  end: 'min' | 'max',
): unknown {
  port.moment.enter()
  const { table } = members
  const { attribute, properties, steps } = port.binder.resolvePath(table.model, path)
  if (attribute.kind !== 'storage' || properties.length > 0 || steps.length > 0) return null
  const column = table.columns[attribute.ordinal]
  if (!(column instanceof NumberColumn) || members.setOrAll() !== null) return null
  const ordered = orderedIndex(table, attribute.ordinal)?.ordered
  if (ordered?.kind !== 'number') return null
  const nulls = ordered.upperRank(Number.NEGATIVE_INFINITY)
  if (nulls === ordered.size) return null
  const value = numberKey(column, ordered.slotAt(end === 'min' ? nulls : ordered.size - 1))
  return attribute.type === 'date' ? formatDate(value, attribute.dateOnly) : value
}
