// React hooks over the selections of a store, in this process or on a server.
export { type Dehydrated, dehydrate, hydrate, preload, preloadPage } from './preload.ts'
export type { AnyDataClass, AnySelection, EntityIn, ItemOf, KeyIn, Page } from './selection.ts'
export { useConnected } from './use-connected.ts'
export { type Shown, useEntity, useLive, usePage } from './use-live.ts'
export { type ReplicaStatus, type ShownReplica, useReplica } from './use-replica.ts'
export { type SaveFailed, type SaveProblem, type Saving, useSave } from './use-save.ts'
