// The entry @entia/core: everything public, and nothing else.

// A star, so that packages can add their codes to `ErrorDetails`.
export type * from './error-details.ts'
export { type CommonErrorCode, EntiaError, type ErrorFactory, isEntiaError } from './errors.ts'
export type { ReadingLimits } from './execute/time-slices.ts'
export type { FilterLimits } from './filter/filter-errors.ts'
export {
  type FilterHalves,
  findQuotedParts,
  type OrderPart,
  type QuotedPart,
  splitFilter,
  splitOrder,
} from './filter/print-filter.ts'
export { mergeDeltas } from './live/live-change.ts'
export type * from './model/async-call-types.ts'
export type * from './model/async-store-types.ts'
export { attribute, defineDataClass } from './model/attribute.ts'
export type * from './model/catalog.ts'
export type {
  Condition,
  Conditional,
  ConditionInput,
  ConditionOperator,
  Where,
  WhereOf,
} from './model/condition-types.ts'
export type {
  AliasDefinition,
  AnyDataClass,
  AttributeDefinition,
  AttributeDefinitions,
  ClassShape,
  ComputedDefinition,
  DataClass,
  DataClassOptions,
  DateInput,
  DeepReadonly,
  ExposureOptions,
  ExtraProperties,
  FunctionDefinition,
  JsonObject,
  MediaInput,
  RelatedEntitiesDefinition,
  RelatedEntityDefinition,
  RelatedEntityOptions,
  StorageDefinition,
  StorageOptions,
  Untyped,
} from './model/definition.ts'
export { dataClassOf, foreignKeyOf, isEntity, keyOf, stampOf, timestampOf } from './model/entity.ts'
export type {
  AnyEntity,
  DraftOf,
  Entity,
  EntityMarks,
  HookDraft,
  NewEntity,
  Patch,
} from './model/entity-types.ts'
export type * from './model/explain-types.ts'
export type {
  ArgumentsOf,
  DataClassContext,
  EntityContext,
  FunctionName,
  HookRefusal,
  PlainFunctionName,
  RemoveContext,
  ResultOf,
  SaveContext,
  SelectionContext,
} from './model/function-types.ts'
export type {
  AggregateName,
  CheckedAggregates,
  DateSpan,
  GroupAggregates,
  GroupError,
  Grouping,
  GroupRow,
} from './model/group-types.ts'
export type * from './model/live-types.ts'
export { isVisible } from './model/path.ts'
export type {
  Checked,
  ListError,
  OrderError,
  PathError,
  PathValue,
  Projection,
} from './model/path-types.ts'
export { RowBlock } from './model/row-block.ts'
export type {
  Aggregates,
  EntityText,
  FilterParameters,
  QueryOptions,
  Selection,
  SelectionReader,
  TextForm,
  TextMarks,
  TextPiece,
} from './model/selection-types.ts'
export type * from './model/session-types.ts'
export type {
  AnyDataStore,
  CheckedClasses,
  CommitNotice,
  DataStore,
  HistoryOptions,
  KeptTextOptions,
  ModelOf,
  Reading,
  RecordChange,
  Singleton,
  SizeOptions,
  Snapshot,
  StoreContext,
  StoreFigures,
  StoreFunctionOf,
  Tables,
  Transaction,
} from './model/store-types.ts'
export type {
  DataClassReader,
  DataClassTable,
  EntityChange,
  EntityOf,
  LoadOptions,
  LoadResult,
  RemoveOptions,
  UpdateResult,
  WriteOptions,
} from './model/table-types.ts'
export type {
  AttributesOf,
  AttributeValue,
  KeyOf,
  LocalModel,
  Model,
  NumericName,
  PastModel,
  StoredValues,
  ValuesOf,
} from './model/value-types.ts'
export type * from './model/view-types.ts'
export type { PastReader, PastStore } from './model/view-types.ts'
export type { Clock, Ids } from './ports.ts'
export { isSelection } from './query/selection.ts'
export { where } from './query/where.ts'
export type {
  CreateDataStore,
  DataStoreOptions,
  OpenDump,
  OpenDumpOptions,
} from './store/create-store.ts'
export { createDataStore, openDump } from './store/create-store.ts'
export type { AttributeType, Collation, Json, Media } from './value/types.ts'
export { createMedia } from './value/types.ts'
export { checkedValue } from './write/patch.ts'
