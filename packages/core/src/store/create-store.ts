import type { Capability } from '../kernel/capability.ts'
import { DataStore } from '../kernel/data-store.ts'
import type { AnyDataClass, FunctionDefinition } from '../model/definition.ts'
import type { KernelModelOf, KernelStore } from '../model/kernel-types.ts'
import type { CheckedClasses } from '../model/store-types.ts'
import type { DataStoreOptions } from './options.ts'

/**
 * What a store with chosen capabilities is made of. The options of other capabilities are refused.
 */
export interface StoreOptions<T, F, S, C extends string> extends DataStoreOptions<T, F, S> {
  /** What the store can do beside reading and writing entities; nothing by default. */
  readonly capabilities?: readonly Capability<C>[]
}

/**
 * Creates a store that has only the capabilities it is given, so that bundlers omit the others.
 * Throws `modelInvalid` for a wrong model, and `argumentInvalid` for wrong options.
 *
 * @example
 * ```ts
 * import { aggregates } from '@entia/core/kernel'
 * const small = createStore({ name: 'small', dataClasses, capabilities: [aggregates] })
 * small.Company.insert({ name: 'Acme' }).key // → 1
 * ```
 */
export function createStore<
  const T extends readonly AnyDataClass[],
  const C extends string = never,
  const F extends { readonly [name: string]: FunctionDefinition } = Record<never, never>,
  const S extends {
    readonly [name: string]: { readonly [name: string]: FunctionDefinition }
  } = Record<never, never>,
>(given: StoreOptions<T & CheckedClasses<T>, F, S, C>): KernelStore<KernelModelOf<T, C>, C, F, S> {
  const { capabilities = [], ...options } = given ?? {}
  // The capabilities have added their members to the class of the kernel's store.
  return DataStore.create(options, capabilities) as DataStore &
    KernelStore<KernelModelOf<T, C>, C, F, S>
}
