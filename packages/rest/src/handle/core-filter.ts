import type { AnyDataStore, ClassModel } from '@entia/core'
import type { FilterText } from '../request/filter-text.ts'
import type { AnySelection } from './core-types.ts'
import { refuseHiddenNames, withoutHiddenNames } from './visible-filter.ts'

/** A table or a selection: what a filter can be applied to. */
interface Filterable {
  query(filter: string, parameters?: NonNullable<FilterText['params']>): AnySelection
}

/** What a filter keeps of a table or selection. The one place where filters from outside reach the engine. */
export function applyFilter(
  store: AnyDataStore,
  dataClass: ClassModel,
  target: Filterable,
  filter: FilterText,
): AnySelection {
  refuseHiddenNames(dataClass, filter)
  try {
    return target.query(filter.text, filter.params ?? undefined)
  } catch (error) {
    throw withoutHiddenNames(store.catalog, error)
  }
}

/** All entities of a dataclass, or those that a filter keeps. */
export function selectFrom(store: AnyDataStore, dataClass: ClassModel, filter: FilterText | null): AnySelection {
  const table = store.dataClass(dataClass.name)
  return filter === null ? table.all() : applyFilter(store, dataClass, table, filter)
}
