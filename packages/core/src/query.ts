// The entry @entia/core/query: conditions that the compiler checks, and filters in parts, without a
// store.
export type {
  Condition,
  Conditional,
  ConditionInput,
  ConditionOperator,
  Where,
  WhereOf,
} from './model/condition-types.ts'
export {
  bothOf,
  bothSearches,
  type FilterParts,
  filterOf,
  refuseJson,
  refuseWholeRemoval,
  textOf,
  withFilter,
} from './query/filter-parts.ts'
export { conditionFrom, where } from './query/where.ts'
