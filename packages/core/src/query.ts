// The entry @entia/core/query: conditions that the compiler checks, without a store.
export type {
  Condition,
  Conditional,
  ConditionInput,
  ConditionOperator,
  Where,
  WhereOf,
} from './model/condition-types.ts'
export { conditionFrom, where } from './query/where.ts'
