// The engine interface, the engine of stores in memory, and what engines over another storage
// share. It may change with every release: packages of one release use it.

export { ENGINE_ERRORS, engineError, reworded } from './errors/engine-error.ts'
export type { AccessAction, EngineErrorDetails } from './errors/error-details.ts'
export type { Access, RowAction } from './interface/access.ts'
export {
  type Awaitable,
  afterStoring,
  andThen,
  isPromise,
  type Stored,
} from './interface/awaitable.ts'
export { buildProjection } from './interface/build-projection.ts'
export type { AnyClaims, Caller, StopSign } from './interface/caller.ts'
export type {
  AggregatePath,
  Aggregates,
  ComputeAction,
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
} from './interface/engine.ts'
export type {
  ClassSizes,
  DatabaseState,
  EngineObservation,
  EngineOperating,
  PlannedQuery,
  RequestTally,
  SelectionPlan,
  StorageState,
} from './interface/engine-observation.ts'
export {
  counter,
  EntityCounter,
  gauge,
  Histogram,
  labelled,
  type MetricFamily,
  type Sample,
} from './interface/engine-observation.ts'
export { findClassFunction, findFunction } from './interface/find-function.ts'
export { fingerprint } from './interface/fingerprint.ts'
export type { Followed, FollowedDelta, FollowedSince, FollowQuery } from './interface/followed.ts'
export type {
  CallParameter,
  CallQuery,
  CallResult,
  CallTarget,
  ResultValue,
  ShownSelection,
} from './interface/function-query.ts'
export {
  LoggedIn,
  type LoggedInOptions,
  loggedIn,
  type OutgoingOptions,
  OutgoingReply,
  outgoing,
} from './interface/function-query.ts'
export {
  isDateOnly,
  isRelation,
  type KnownPath,
  Names,
  NUMERIC_TYPES,
  typeOf,
} from './interface/names.ts'
export {
  accessView,
  denied,
  ofApplication,
  permitCall,
  permitReading,
  permitRows,
} from './interface/permit.ts'
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
  unreadable,
  type ValueAttribute,
} from './interface/projection.ts'
export type {
  BatchAnswer,
  BatchQuery,
  CallTime,
  EngineReplicas,
  Feed,
  FeedMarks,
  FeedQuery,
  Shape,
} from './interface/replicas.ts'
export {
  EXPIRED_AT_ONCE,
  expiredAt,
  REPLICA_ERA,
  ReplicaState,
} from './interface/replicas.ts'
export type { GroupQuery, GroupResult } from './interface/selection-source.ts'
export {
  type AnswerBounds,
  classOf,
  type EntityReference,
  type EntitySetScope,
  type EntitySetSource,
  FilterText,
  type Keeping,
  type KeyValue,
  type Precondition,
  type RequiredState,
  refuseTooManyAtOnce,
  type SavedCriteria,
  type SelectionQuery,
  type SelectionSource,
  type SetCombination,
  type WriteItem,
} from './interface/selection-source.ts'
export {
  DEFAULT_HOST,
  ENGINE,
  ENTITIES_PER_SLICE,
  type EngineOptions,
  type Every,
  fitsOneSlice,
  type HandlerHost,
  joinSliced,
  MAX_ENTITIES_AT_ONCE,
  mapSliced,
  type NextSlice,
  refuseGone,
  type Served,
} from './interface/time-slices.ts'
export { visibilityOf } from './interface/visibility.ts'
export type {
  RemoveAnswer,
  RemoveItem,
  RemoveOutcome,
  RemoveQuery,
  WriteAnswer,
  WriteOutcome,
  WriteQuery,
} from './interface/write-query.ts'
export { asSession, CallerStore } from './memory/caller-store.ts'
export { createLocalEngine, type LocalEngine } from './memory/create-local-engine.ts'
export { RecordReader } from './memory/record.ts'
export { oneAfterAnother } from './memory/replicas.ts'
export type { StoredEntity } from './memory/values.ts'
export { lifeToken, meets } from './memory/values.ts'
export {
  type Decision,
  decide,
  type Fetched,
  type Outcome,
  outcomeOf,
  WorkingPool,
} from './speculation/decide.ts'
export type { PendingAfterHook, WorkingChange, WorkingCommit } from './speculation/effects.ts'
export type { Found, Missing, Refuse, RefusedCall, WorkingRow } from './speculation/missing.ts'
export type { SetMembers } from './speculation/working-store.ts'
export { type OpenTransaction, WorkingStore } from './speculation/working-store.ts'
export { lifeOfRecord } from './speculation/working-table.ts'
