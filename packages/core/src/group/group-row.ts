import type { Untyped } from '../model/definition.ts'
import type { BoundGrouping } from './bind-grouping.ts'
import type { GroupTable } from './compute-groups.ts'

/** A group as users see it. */
export type Row = { readonly [name: string]: Untyped }

/** The row of a group. Cost: O(columns). */
export function groupRow(
  { terms, isCounted, aggregated }: BoundGrouping,
  { columns }: Pick<GroupTable, 'columns'>,
  group: number,
): Row {
  // Every name begins with that of an attribute, so none is `__proto__`.
  const row: { [name: string]: unknown } = {}
  let at = 0
  for (const { name } of terms) row[name] = columns[at++][group]
  if (isCounted) row.count = columns[at++][group]
  for (const { name, functions } of aggregated) {
    const values: { [name: string]: unknown } = {}
    for (const each of functions) values[each] = columns[at++][group]
    row[name] = values
  }
  return row
}
