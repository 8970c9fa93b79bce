// A client for a store that is served over HTTP, with the types of its model.
export type {
  BatchOutcome,
  Condition,
  ConditionInput,
  ConditionOperator,
  FilterValue,
  GroupPage,
  LockHolder,
  RemoveOutcome,
  SaveOutcome,
  Where,
} from '@entia/core'
export { connect, type Remote, type RemoteSingleton, type RemoteUser } from './connect.ts'
export type { EntityExtras } from './dehydrated.ts'
export type { EntityArgument } from './function-argument.ts'
export type { RemoteArguments, RemoteResult } from './function-types.ts'
export type { LiveEvent, LiveIdentity, LiveOptions } from './live.ts'
export { keyOf, stampOf } from './marks.ts'
export type { Change, EntityOrKey, RemoteClass } from './remote-class.ts'
export type { RemoteEntitySet } from './remote-entity-set.ts'
export { type ErrorEntry, RemoteError } from './remote-error.ts'
export type { RemoteGrouping } from './remote-grouping.ts'
export type { IterateOptions, Page, RemoteSelection } from './remote-selection.ts'
export type {
  AnyRemoteEntity,
  LockOutcome,
  RemoteEntity,
  RemoteMedia,
  RemoteReference,
} from './remote-types.ts'
export type { ConnectOptions } from './transport.ts'
