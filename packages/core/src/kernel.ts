// The entry @entia/core/kernel: a store of chosen capabilities.
export { aggregates, grouping } from './capability/aggregates.ts'
export { bulkWrites } from './capability/bulk-writes.ts'
export { indexes } from './capability/indexes.ts'
export { liveQueries } from './capability/live-queries.ts'
export { persistence } from './capability/persistence.ts'
export { server } from './capability/server.ts'
export { typedQueries } from './capability/typed-queries.ts'
export { views } from './capability/views.ts'
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
