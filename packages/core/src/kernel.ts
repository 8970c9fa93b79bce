// The entry @entia/core/kernel: a store of chosen capabilities.
export { aggregates, grouping } from './capability/aggregates.ts'
export { bulkWrites, drafts, indexes } from './capability/data-classes.ts'
export { functions } from './capability/functions.ts'
export { liveQueries, observing } from './capability/live-queries.ts'
export { projections, texts } from './capability/projections.ts'
export { explaining, slicedReads, typedQueries } from './capability/queries.ts'
export { serverState } from './capability/server-state.ts'
export { past, views } from './capability/views.ts'
export { dumps, snapshots, verifying } from './capability/whole-store.ts'
export type * from './error-details.ts'
export { type CommonErrorCode, EntiaError, type ErrorFactory, isEntiaError } from './errors.ts'
export type { Capability } from './kernel/capability.ts'
export { attribute, defineDataClass } from './model/attribute.ts'
export { dataClassOf, isEntity, keyOf, stampOf, timestampOf } from './model/entity.ts'
export type { Entity } from './model/entity-types.ts'
export type {
  KernelDataClass,
  KernelModelOf,
  KernelSelection,
  KernelStore,
  KernelTables,
} from './model/value-types.ts'
export { createStore, type StoreOptions } from './store/create-store.ts'
