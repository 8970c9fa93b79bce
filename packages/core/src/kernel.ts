// The entry @entia/core/kernel: a store of chosen capabilities.
export { aggregates } from './capability/aggregates.ts'
export { bulkWrites, drafts } from './capability/bulk-writes.ts'
export { dumps } from './capability/dumps.ts'
export { explaining } from './capability/explaining.ts'
export { functions } from './capability/functions.ts'
export { grouping } from './capability/grouping.ts'
export { indexes } from './capability/indexes.ts'
export { liveQueries, observing } from './capability/live-queries.ts'
export { past } from './capability/past.ts'
export { projections } from './capability/projections.ts'
export { serverState } from './capability/server-state.ts'
export { slicedReads } from './capability/sliced-reads.ts'
export { snapshots } from './capability/snapshots.ts'
export { texts } from './capability/texts.ts'
export { typedQueries } from './capability/typed-queries.ts'
export { verifying } from './capability/verifying.ts'
export { views } from './capability/views.ts'
export type * from './error-details.ts'
export { type CommonErrorCode, EntiaError, type ErrorFactory, isEntiaError } from './errors.ts'
export type { Capability } from './kernel/capability.ts'
export { attribute } from './model/attribute.ts'
export { defineDataClass } from './model/define-data-class.ts'
export { dataClassOf, isEntity, keyOf, stampOf, timestampOf } from './model/entity.ts'
export type { Entity } from './model/entity-types.ts'
export type {
  KernelDataClass,
  KernelModelOf,
  KernelSelection,
  KernelStore,
  KernelTables,
} from './model/kernel-types.ts'
export { createStore, type StoreOptions } from './store/create-store.ts'
