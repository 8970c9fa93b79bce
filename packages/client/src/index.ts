// A client for a store that is served over HTTP, with the types of its model.
export { connect, type Remote, type RemoteUser } from './connect.ts'
export type { FilterValue } from './filter.ts'
export type { LiveEvent, LiveOptions } from './live.ts'
export { keyOf, stampOf } from './marks.ts'
export type { Change, EntityOrKey, RemoteClass } from './remote-class.ts'
export { type ErrorEntry, RemoteError } from './remote-error.ts'
export type { IterateOptions, Page, RemoteEntitySet, RemoteSelection } from './remote-selection.ts'
export type {
  AnyRemoteEntity,
  LockHolder,
  LockOutcome,
  RemoteEntity,
  RemoteMedia,
  RemoteReference,
  RemoveOutcome,
  SaveOutcome,
} from './remote-types.ts'
export type { ConnectOptions } from './transport.ts'
