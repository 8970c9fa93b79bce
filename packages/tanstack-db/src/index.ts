// Collections for TanStack DB over a client or a replica.
export {
  type EntiaCollectionConfig,
  type EntiaCollectionOptions,
  type EntiaUtils,
  entiaCollectionOptions,
  type RemoteCollectionOptions,
  type ReplicaCollectionOptions,
  type RowSchema,
} from './collection-options.ts'
export { type FailedOutcome, MutationError } from './mutation-error.ts'
