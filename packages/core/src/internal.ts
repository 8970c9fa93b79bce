// For packages that implement an engine over another storage: the model, binding and comparisons of
// this package without its tables. It may change with every release: packages of one release use
// it.

export { refuseNotComputable } from './aggregate/aggregate.ts'
export { type AggregatedPath, type BoundGrouping, bindGrouping } from './aggregate/bind-grouping.ts'
export type { GroupTable } from './aggregate/compute-groups.ts'
export { refuseBoxed } from './aggregate/distinct.ts'
export { doubleOf } from './aggregate/fold-numbers.ts'
export {
  allGroups,
  applyStep,
  bindGroupOrder,
  bindHaving,
  type GroupStep,
} from './aggregate/group-steps.ts'
export { groupRow, RowClass, rowColumns } from './aggregate/row-class.ts'
export type { ValuePath } from './aggregate/value-codes.ts'
export { loadInPieces, rowsToKeep } from './async/async-of.ts'
export {
  Access,
  callFunction,
  checkChanges,
  checkInput,
  endedByReturn,
  LocalEntityArgument,
} from './async/call.ts'
export { copyOf, inputOf, marksIn, marksOfChange, ownCopy } from './async/copy.ts'
export {
  checkIteration,
  type Described,
  type DescribedGroups,
  DescribedSelection,
  DescribedSet,
  type SelectionReads,
  wholeOf,
} from './async/described-selection.ts'
export { heldOutcome, LocalClass } from './async/local-class.ts'
export { entitySetOf, LocalReads, projectionOf } from './async/local-reads.ts'
export { CORE_ERRORS } from './error-tables.ts'
export { EntiaError, isMisuse, overBudget } from './errors.ts'
export type { Database, DeferredSet, Matching } from './execute/database.ts'
export { MemoKeys } from './execute/memo-keys.ts'
export { sortSlots } from './execute/ordering.ts'
export { predicateFilter } from './execute/predicate-filter.ts'
export { type RecordView, recordTest } from './execute/record-test.ts'
export { prepareFilter } from './filter/bind-filter.ts'
export { hasRelevance, searchFilter } from './filter/bind-order-by.ts'
export {
  both,
  EVERYTHING,
  either,
  NOTHING,
  readsOf,
  readsOfOrder,
  restrictRelations,
} from './filter/context.ts'
export { DEFAULT_FILTER_LIMITS, type FilterLimits } from './filter/filter-errors.ts'
export { isIndexable, LITERAL, OPERATORS, TESTS, takesList } from './filter/operators.ts'
export { usedParameters } from './filter/parameters.ts'
export type {
  ComparePredicate,
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
export { describePredicate } from './filter/predicate.ts'
export { type WrittenComparison, writtenComparisons } from './filter/print-filter.ts'
export { MergedDelta } from './live/live-change.ts'
export type { FollowedQuery } from './live/live-queries.ts'
export { buildCatalog, type CatalogOptions } from './model/build-catalog.ts'
export type { Catalog, ClassModel, StorageAttribute, ToOneAttribute } from './model/catalog.ts'
export { marksOf } from './model/entity.ts'
export type { Explain } from './model/explain-types.ts'
export { hasCountedKey, numberedAttributes } from './model/names.ts'
export { checkOwnPath, type ResolvedPath, type Sees, wayBack } from './model/path.ts'
export type { AnySelection, Session, SessionInfo } from './model/session-types.ts'
export type { AnyDataStore } from './model/store-types.ts'
export {
  type ConditionSources,
  conditionOf,
  visibleClass,
  visibleCondition,
  visibleIndex,
} from './plan/condition.ts'
export { MODEL_STATISTICS } from './plan/cost.ts'
export { rangesOf } from './plan/key-range.ts'
export { rewrite } from './plan/rewrite.ts'
export { type Clock, defaultClock, defaultIds, type Ids } from './ports.ts'
export { node as exactNode } from './query/explain-selection.ts'
export { createNameRules, NameRule, type NameRules } from './query/filter-cache.ts'
export { Membership } from './query/membership.ts'
export { AsOf } from './query/provenance.ts'
export { equalToGiven, tableParts } from './query/queries.ts'
export { type Selection, selectionParts } from './query/selection.ts'
export { type ReadFilter, type SelectionPort, searchText } from './query/selection-port.ts'
export {
  OpenSession,
  ORIGIN_OPTIONS,
  type Origin,
  originOf,
  SESSION_OPTIONS,
  sessionRefused,
  userOf,
} from './server-state/open-session.ts'
export {
  BYTES_PER_MEMBER,
  checkMedia,
  lifetimeOf,
  type MediaOptions,
  SERVER_STATE_OPTIONS,
  type ServerStateLimits,
  serverStateError,
  setIdOf,
  setIdTaken,
  setLifetimeOf,
  setTooLarge,
} from './server-state/server-state-limits.ts'
export type { AttributeIndex, IndexFactory } from './storage/attribute-index.ts'
export type { Change, ChangeList } from './storage/change-list.ts'
export type { PastRecord } from './storage/history.ts'
export { EMPTY_SET, type SparseSet, slotsOf, sparseSet } from './storage/record-set.ts'
export { type Key, MAX_STAMP, MAX_TIMESTAMP, storedKey } from './storage/stored-key.ts'
export { hashKey, Table } from './storage/table.ts'
export { TableFill } from './storage/table-fill.ts'
export {
  type AttributeSize,
  type IndexProposal,
  type TableSizes,
  tableSizes,
} from './storage/table-sizes.ts'
export { isOfType } from './storage/verify-values.ts'
export { createIndexSliced, indexes } from './store/capability/indexes.ts'
export { followPredicate, liveQueries } from './store/capability/live-queries.ts'
export { persistenceOf } from './store/capability/persistence.ts'
export { serverStateOf } from './store/capability/server.ts'
export type { DataStoreOptions } from './store/create-store.ts'
export { ALL_CAPABILITIES } from './store/create-store.ts'
export { decodeValue } from './store/dump/dump.ts'
export { NEW_SLOT, type RecordColumns, type TouchedRecord } from './store/dump/journal-record.ts'
export type { JournalState } from './store/dump/persistence.ts'
export { type RecordMoment, StoreMoment, type TableMoment } from './store/dump/store-moment.ts'
export { applyRecords } from './store/dump/write-records.ts'
export type { OptionGroup, OptionGroups } from './store/kernel/capability.ts'
export {
  type Capability,
  handleOf,
  handleOfReader,
  needCapabilities,
  type StoreHandle,
} from './store/kernel/capability.ts'
export { DataStore } from './store/kernel/data-store.ts'
export { kernelOptions } from './store/kernel/kernel-options.ts'
export type {
  ArgumentEntity,
  Batch,
  BatchCall,
  BatchConflict,
  BatchItem,
  BatchOutcome,
  BatchRefusal,
  BatchStamps,
  BatchValues,
  KeyBlock,
  Lease,
  LeaseRequest,
} from './store/replica-protocol.ts'
export {
  BUCKET_PARTS,
  BucketMarks,
  bucketCount,
  HINT_LENGTH,
  isArgumentEntity,
  MAX_LEASE,
  marksLength,
  OwnStamps,
} from './store/replica-protocol.ts'
export {
  checkCallOptions,
  checkNames,
  checkObject,
  checkStamp,
  checkText,
  classOf,
  describeFound,
  fromZero,
  isAttributes,
  numbersOf,
  refused,
  wholeNumber,
} from './value/check-options.ts'
export { canonicalUuid, coerceInput, coerceLiteral, Refusal } from './value/coerce.ts'
export { foldText, present, sameValue, textKey, textOfKey } from './value/compare.ts'
export { formatDate, formatDay } from './value/date.ts'
export { hasNoForm, isWellFormed, outermost, propertiesAt } from './value/json.ts'
export { type Wildcard, wordsOf } from './value/pattern-list.ts'
export { createMedia, createMediaElsewhere, isMedia, type StoredValue } from './value/types.ts'
export { ViewFilters } from './view/view-options.ts'
export { isSameAsShown } from './write/draft.ts'
export { overlay } from './write/overlay.ts'
export { lastNumberOf, nextNumber, plainUuid } from './write/port.ts'
