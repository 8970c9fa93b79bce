import type { Capability } from '../kernel/capability.ts'
import { handleOf, type StoreHandle } from '../kernel/handle.ts'
import type { Watch } from '../read/watch.ts'
import { StoreFigures } from './store-figures.ts'

/** Who watches a store. Throws `argumentInvalid` if the value is not a store of this library. */
export const watchOf = (store: unknown): Watch => handleOf(store).reader.options.watch

/** `figures` of the store. */
export const observing = {
  name: 'observing',
  install({ store, writer, reader, clock }: StoreHandle) {
    const value = new StoreFigures(writer, reader, clock)
    Object.defineProperty(store, 'figures', { value, enumerable: true })
  },
} as const satisfies Capability
