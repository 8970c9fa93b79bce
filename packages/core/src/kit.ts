// For packages that implement an engine over another storage: the model, binding and comparisons of
// this package without its tables. It may change with every release: packages of one release use
// it.

export { refuseNotComputable } from './aggregate/aggregate.ts'
export { refuseBoxed } from './aggregate/distinct.ts'
export { doubleOf } from './aggregate/wide-sum.ts'
export { Access } from './async/access.ts'
export { callFunction, LocalEntityArgument } from './async/call.ts'
export { checkChanges, checkInput } from './async/check-input.ts'
export { copyOf, marksIn, marksOfChange } from './async/copy.ts'
export { loadInPieces } from './async/load-in-pieces.ts'
export { LocalClass } from './async/local-class.ts'
export { LocalProjection } from './async/local-projection.ts'
export { entitySetOf, ITERATE_OPTIONS, LocalSelection } from './async/local-selection.ts'
export { type RecordMoment, StoreMoment, type TableMoment } from './dump/store-moment.ts'
export { CORE_ERRORS } from './error-tables.ts'
export { compileJsonMatch } from './execute/json-match.ts'
export { comparableOf } from './execute/predicate-filter.ts'
export { type RecordTest, type RecordView, recordTest } from './execute/record-test.ts'
export { compileTest } from './execute/test-value.ts'
export { type PreparedFilter, prepareFilter } from './filter/bind-filter.ts'
export { bindOrderBy } from './filter/bind-order-by.ts'
export type { BindOptions } from './filter/context.ts'
export { describeOrderBy, describePredicate, describeTest } from './filter/describe-predicate.ts'
export { both, EVERYTHING, either, NOTHING, negation } from './filter/draft.ts'
export { DEFAULT_FILTER_LIMITS, type FilterLimits } from './filter/limits.ts'
export type {
  BoundFilter,
  ComparePredicate,
  ComputedPredicate,
  ExactTest,
  JsonMatch,
  OrderBy,
  OrderTerm,
  Predicate,
  PropertyPredicate,
  RelatedPredicate,
  Scalar,
  Test,
} from './filter/predicate.ts'
export { readsOf, readsOfOrder } from './filter/reads-of.ts'
export { restrictRelations, seeingEverything } from './filter/restrict-predicate.ts'
export { type AggregatedPath, type BoundGrouping, bindGrouping } from './group/bind-grouping.ts'
export type { GroupTable } from './group/compute-groups.ts'
export { groupRow } from './group/group-row.ts'
export { applyStep, bindGroupOrder, bindHaving, type GroupStep } from './group/group-steps.ts'
export { RowClass, rowColumns } from './group/row-class.ts'
export type { ValuePath } from './group/value-codes.ts'
export { handleOf, needCapabilities } from './kernel/handle.ts'
export { buildCatalog, type CatalogOptions } from './model/build-catalog.ts'
export { numberedAttributes } from './model/numbered.ts'
export {
  everything,
  isRelation,
  isVisible,
  type ResolvedPath,
  resolvePath,
  type Sees,
} from './model/path.ts'
export { type ConditionSources, conditionOf } from './plan/condition.ts'
export { MODEL_STATISTICS } from './plan/model-statistics.ts'
export { rewrite } from './plan/rewrite.ts'
export { visibleCondition } from './plan/visible-condition.ts'
export { defaultClock, defaultIds } from './ports.ts'
export { createNameRules, NameRule, type NameRules } from './read/name-rule.ts'
export type { ReadFilter } from './selection/selection-port.ts'
export {
  OpenSession,
  ORIGIN_OPTIONS,
  type Origin,
  originOf,
  SESSION_OPTIONS,
  userOf,
} from './server-state/open-session.ts'
export { serverStateError } from './server-state/server-state-errors.ts'
export {
  lifetimeOf,
  SERVER_STATE_OPTIONS,
  type ServerStateLimits,
} from './server-state/server-state-limits.ts'
export { plainUuid } from './transaction/new-values.ts'
export {
  checkCallOptions,
  checkNames,
  checkStamp,
  fromZero,
  numbersOf,
  refused,
} from './value/check-options.ts'
export { coerceInput, coerceLiteral, Refusal } from './value/coerce.ts'
export { dateFromEpoch, dateOrderKey, formatDate, formatDay, parseDate } from './value/date.ts'
export { isWellFormed, propertyAt } from './value/json.ts'
export { matchesKeyword, parseKeywords, wordsOf } from './value/keywords.ts'
export { createMedia, isMedia } from './value/media.ts'
export { compareScalars } from './value/order.ts'
export { present } from './value/present.ts'
export { describeFound } from './value/refusal.ts'
export { sameValue } from './value/same-value.ts'
export { foldText, textKey, textOfKey } from './value/text-key.ts'
export type { StoredValue } from './value/types.ts'
export { wholeNumber } from './value/whole-number.ts'
export { parseWildcard, type Wildcard } from './value/wildcard.ts'
export { ViewFilters } from './view/view-filters.ts'
export { readViewOptions } from './view/view-options.ts'
export {
  type DecideOptions,
  type Decision,
  decide,
  type Fetch,
  type Fetched,
  MAX_RUNS,
  WorkingPool,
} from './working/decide.ts'
export type {
  Effects,
  PendingAfterHook,
  WorkingChange,
  WorkingCommit,
  WorkingReads,
} from './working/effects.ts'
export type { Found, Missing, WorkingRow } from './working/missing.ts'
export type { Refuse, RefusedCall } from './working/refusals.ts'
export type { SetMembers, WorkingSet } from './working/working-sets.ts'
export { type OpenTransaction, type WorkingOptions, WorkingStore } from './working/working-store.ts'
export { lifeOfRecord } from './working/working-table.ts'
