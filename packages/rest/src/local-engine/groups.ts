import type { AnySelection } from '@entia/core'
import type { GroupQuery, GroupResult } from '../engine/group-query.ts'

/** The groups of a selection that a query requests. Throws the errors of its names and texts. */
export function groupsOf(
  selection: AnySelection,
  { attributes, aggregates, having, groupOrder, skip, top, withExplain }: GroupQuery,
): Omit<GroupResult, 'globalStamp'> {
  const all = selection.groupBy(attributes.join(','), aggregates)
  const kept = having === null ? all : all.having(having.text, having.params ?? undefined)
  const page = (groupOrder === null ? kept : kept.orderBy(groupOrder)).page(skip, top)
  return {
    count: kept.count,
    rows: page.toArray(),
    explain: withExplain ? page.explain() : null,
  }
}
