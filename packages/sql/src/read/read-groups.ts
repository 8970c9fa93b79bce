import {
  allGroups,
  applyStep,
  bindGrouping,
  bindGroupOrder,
  bindHaving,
  type GroupStep,
  groupRow,
  RowClass,
  rowColumns,
} from '@entia/core/internal'
import type { GroupQuery, GroupResult } from '@entia/engine'
import type { Question } from '../translate/aggregate-sql.ts'
import { groupSql } from '../translate/group-sql.ts'
import type { TranslatedQuery } from './entity-query-sql.ts'
import type { ReadContext } from './read-context.ts'

/** What a page of groups is made of. */
export type AskedGroups = Pick<
  GroupQuery,
  'attributes' | 'aggregates' | 'having' | 'groupOrder' | 'skip' | 'top'
>

/**
 * A page of groups. Conditions, orders and pages are applied in this process, by core: groups are
 * few beside entities. Null if a path has no SQL. Throws the errors of names and texts.
 */
export function groupQuestion(
  { model, rules }: ReadContext,
  { dataClass, filters, from, where }: TranslatedQuery,
  { attributes, aggregates, having, groupOrder, skip, top }: AskedGroups,
): Question<Pick<GroupResult, 'count' | 'rows'>> | null {
  const binder = filters.binder
  const grouping = bindGrouping(binder, dataClass, attributes.join(','), aggregates)
  const rows = new RowClass(dataClass, rowColumns(grouping))
  const { limits } = rules
  const steps: GroupStep[] = []
  if (having !== null) steps.push(bindHaving(rows, limits, having.text, having.params ?? undefined))
  if (groupOrder !== null) steps.push(bindGroupOrder(rows, limits, groupOrder))
  const members = { from, where }
  const question = groupSql({ model, members, grouping, rowsOf: filters.rowsOf })
  if (question === null) return null
  return {
    select: question.select,
    answer(found) {
      const table = question.answer(found)
      const kept = steps.reduce(
        (groups, step) => applyStep(step, null, rows, table, groups),
        allGroups(null, table),
      )
      const page = kept.subarray(skip, skip + top)
      return {
        count: kept.length,
        rows: Array.from(page, (group) => groupRow(grouping, table, group)),
      }
    },
  }
}
