// For vitest. Importing it registers `expect(selection).toUseIndex(…)`.
import { afterAll, afterEach, beforeEach, expect } from 'vitest'
import { type UseDataStore, useDataStoreWith } from './fixtures/use-data-store.ts'
import { matchers } from './plans/matchers.ts'

expect.extend(matchers)

// Each of its assertions has the members of chai's. An interface of vitest itself would have to be
// declared with its type parameters, and those differ between vitest 3 and 5.
declare global {
  namespace Chai {
    interface Assertion {
      /** Passes if a part of the selection's plan uses the index: `'Employee.salary'`. */
      toUseIndex(index: string): void
    }
  }
}

/**
 * See `useDataStoreWith`. Call it at the top of a file or in a `describe`.
 *
 * @example
 * ```ts
 * const fresh = useDataStore(() => hr())
 * fresh.Employee.count
 * ```
 */
export const useDataStore: UseDataStore = useDataStoreWith({ beforeEach, afterEach, afterAll })

export * from './index.ts'
