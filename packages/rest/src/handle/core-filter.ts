import type { AnyDataStore, AnySelection, ClassModel, ConditionNode, QueryOptions } from '@entia/core'
import type { FilterText } from '../request/filter-text.ts'
import type { Names } from './names.ts'
import { withoutHiddenParts } from './visible-plan.ts'

/** From outside, what is not exposed is unknown: else a filter could find out by trial what a hidden attribute holds. */
const FROM_OUTSIDE: QueryOptions = Object.freeze({ exposedOnly: true })

/** A table or a selection: what a filter can be applied to. */
interface Filterable {
  query(filter: string, parameters: NonNullable<FilterText['params']> | undefined, options: QueryOptions): AnySelection
}

/** What a filter keeps of a table or selection. Filters reach the engine here and in `conditionOf` only. */
export function applyFilter(target: Filterable, { text, params }: FilterText): AnySelection {
  return target.query(text, params ?? undefined, FROM_OUTSIDE)
}

/** All entities of a dataclass, or those that a filter keeps. */
export function selectFrom(store: AnyDataStore, dataClass: ClassModel, filter: FilterText | null): AnySelection {
  const table = store.dataClass(dataClass.name)
  return filter === null ? table.all() : applyFilter(table, filter)
}

/**
 * The condition of a filter with the indexes it would use, whatever the filter is applied to; null where there is none. The filter
 * is planned, not run.
 */
export function conditionOf(
  store: AnyDataStore,
  dataClass: ClassModel,
  filter: FilterText | null,
  names: Names,
): ConditionNode | null {
  if (filter === null) return null
  const { condition } = store.dataClass(dataClass.name).explain(filter.text, filter.params ?? undefined, FROM_OUTSIDE)
  return condition === null ? null : withoutHiddenParts(names, condition)
}
