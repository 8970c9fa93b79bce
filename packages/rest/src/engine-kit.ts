// For packages that implement the engine interface over another storage. It may change with every
// release: packages of one release use it.

export type { Access, RowAction } from './engine/access.ts'
export { accessView, ofApplication } from './engine/access-view.ts'
export { afterStoring, type Stored } from './engine/after-storing.ts'
export { type Awaitable, andThen, concluding, isPromise } from './engine/awaitable.ts'
export { buildProjection, type ProjectionRequest } from './engine/build-projection.ts'
export type { AnyClaims, Caller } from './engine/caller.ts'
export type {
  AggregatePath,
  Aggregates,
  ComputeAnswer,
  ComputeQuery,
  DistinctAnswer,
  DistinctQuery,
  Engine,
  EngineFeatures,
  EngineInfo,
  EngineSessions,
  EntityAnswer,
  EntityQuery,
  FilterAnswer,
  LockAnswer,
  LockQuery,
  PageAnswer,
  PageQuery,
  SessionWatch,
} from './engine/engine.ts'
export type {
  EngineObservation,
  PlannedQuery,
  RequestTally,
  SelectionPlan,
} from './engine/engine-observation.ts'
export { EntityCounter } from './engine/entity-counter.ts'
export type { Followed, FollowedDelta, FollowedSince, FollowQuery } from './engine/followed.ts'
export type {
  CallParameter,
  CallQuery,
  CallResult,
  CallTarget,
  ResultValue,
  ShownEntity,
  ShownSelection,
} from './engine/function-query.ts'
export { LoggedIn, OutgoingReply } from './engine/function-reply.ts'
export type { GroupQuery, GroupResult } from './engine/group-query.ts'
export { Histogram } from './engine/histogram.ts'
export { DEFAULT_HOST, type HandlerHost } from './engine/host.ts'
export { type MetricFamily, oneMetric, type Sample } from './engine/metric-family.ts'
export { isDateOnly, isRelation, Names, NUMERIC_TYPES, typeOf } from './engine/names.ts'
export {
  attributeDenied,
  denied,
  permitCall,
  permitReading,
  permitRows,
} from './engine/permit.ts'
export {
  type EntityRecord,
  type FieldValue,
  isMediaAttribute,
  isWritable,
  largestSize,
  type ProjectedField,
  type Projection,
  type RelatedPage,
  showsOnlyItself,
  type ValueAttribute,
} from './engine/projection.ts'
export {
  type AnswerBounds,
  type Precondition,
  refuseTooManyAtOnce,
  type WriteItem,
} from './engine/query-parts.ts'
export {
  classOf,
  type EntityReference,
  type EntitySetScope,
  type EntitySetSource,
  type Keeping,
  type KeyValue,
  type SavedCriteria,
  type SelectionQuery,
  type SelectionSource,
  type SetCombination,
} from './engine/selection-source.ts'
export { ENGINE, type EngineOptions, type Served } from './engine/served.ts'
export {
  ENTITIES_PER_SLICE,
  type Every,
  fitsOneSlice,
  type NextSlice,
  refuseGone,
} from './engine/time-slices.ts'
export { unreadable } from './engine/unreadable.ts'
export type {
  RemoveAnswer,
  RemoveItem,
  RemoveOutcome,
  RemoveQuery,
  WriteAnswer,
  WriteOutcome,
  WriteQuery,
} from './engine/write-query.ts'
export type { RestErrorCode, RestErrorDetails } from './errors/error-details.ts'
export { REST_ERRORS, restError } from './errors/rest-error.ts'
export { CallerStore } from './local-engine/caller-store.ts'
export { createLocalEngine } from './local-engine/create-local-engine.ts'
export { lifeOf, lifeToken, meets, refuseStale } from './local-engine/entity-state.ts'
export {
  notFound,
  preconditionError,
  removeError,
  saveError,
  toEntiaError,
  visibleReason,
} from './local-engine/errors.ts'
export { RecordReader } from './local-engine/record.ts'
export { asSession } from './local-engine/session.ts'
export { shownPaths } from './local-engine/shown-paths.ts'
export type { StoredEntity } from './local-engine/stored-entity.ts'
export { isStoredValue } from './local-engine/values.ts'
export { withoutHiddenNames } from './local-engine/visible-error.ts'
export { FilterText } from './request/filter-text.ts'
export { type Limits, limitsOf } from './request/limits.ts'
export type { ComputeAction } from './request/parameters.ts'
export { createHandlerOf, type HandlerParts } from './transport/handler/rest-handler.ts'
