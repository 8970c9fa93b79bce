// The engine interface, the engine of stores in memory, and what engines over another storage
// share. It may change with every release: packages of one release use it. Files of the interface
// are exported as wholes if others use all that they export.

export { ENGINE_ERRORS, engineError, notOnThisEngine, reworded } from './errors/engine-error.ts'
export type { AccessAction, EngineErrorDetails } from './errors/error-details.ts'
export type { Access, RowAction } from './interface/access.ts'
export * from './interface/awaitable.ts'
export { buildProjection } from './interface/build-projection.ts'
export type { AnyClaims, Caller, StopSign } from './interface/caller.ts'
export * from './interface/engine.ts'
export * from './interface/engine-observation.ts'
export { findClassFunction, findFunction } from './interface/find-function.ts'
export { fingerprint } from './interface/fingerprint.ts'
export * from './interface/followed.ts'
export {
  type CallParameter,
  type CallQuery,
  type CallResult,
  type CallTarget,
  LoggedIn,
  type LoggedInOptions,
  loggedIn,
  type OutgoingOptions,
  OutgoingReply,
  outgoing,
  type ResultValue,
  type ShownSelection,
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
export * from './interface/projection.ts'
export {
  type BatchAnswer,
  type BatchQuery,
  type CallTime,
  type EngineReplicas,
  EXPIRED_AT_ONCE,
  expiredAt,
  type Feed,
  type FeedMarks,
  type FeedQuery,
  REPLICA_ERA,
  ReplicaState,
  type Shape,
} from './interface/replicas.ts'
export * from './interface/selection-source.ts'
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
export * from './interface/write-query.ts'
export { asSession, CallerStore } from './memory/caller-store.ts'
export { createLocalEngine, type LocalEngine } from './memory/create-local-engine.ts'
export { type Lockable, lockable } from './memory/lock.ts'
export { RecordReader } from './memory/record.ts'
export { oneAfterAnother } from './memory/replicas.ts'
export { lifeToken, type StoredEntity } from './memory/values.ts'
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
export { type OpenTransaction, type SetMembers, WorkingStore } from './speculation/working-store.ts'
export { lifeOfRecord } from './speculation/working-table.ts'
