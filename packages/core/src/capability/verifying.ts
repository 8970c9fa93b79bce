import type { Capability } from '../kernel/capability.ts'
import type { DataStore } from '../kernel/data-store.ts'
import { handleOf } from '../kernel/handle.ts'
import type { StoreVerification } from '../model/store-types.ts'
import { verifyStore } from './verify-store.ts'

const store = {
  /**
   * Rebuilds everything derived and compares. Throws an `Error` that names the first broken
   * invariant.
   */
  verify(this: DataStore): void {
    const { writer } = handleOf(this)
    writer.enter()
    verifyStore(writer)
  },
} satisfies StoreVerification

/** `verify` of the store. */
export const verifying = { name: 'verifying', store } as const satisfies Capability
