// The entry @entia/core/kernel: a store of chosen capabilities.

export type * from './error-details.ts'
export { type CommonErrorCode, EntiaError, type ErrorFactory, isEntiaError } from './errors.ts'
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
export { aggregates, grouping } from './store/capability/aggregates.ts'
export { bulkWrites } from './store/capability/bulk-writes.ts'
export { indexes } from './store/capability/indexes.ts'
export { liveQueries } from './store/capability/live-queries.ts'
export { persistence } from './store/capability/persistence.ts'
export { server } from './store/capability/server.ts'
export { typedQueries } from './store/capability/typed-queries.ts'
export { views } from './store/capability/views.ts'
export { createStore, type StoreOptions } from './store/create-store.ts'
export type { Capability } from './store/kernel/capability.ts'
