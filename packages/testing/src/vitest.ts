// For vitest. Importing it registers `expect(selection).toUseIndex(…)`.
import { afterAll, afterEach, beforeEach, expect } from 'vitest'
import { type UseDataStore, useDataStoreWith } from './fixtures/use-data-store.ts'
import { matchers } from './plans/matchers.ts'

expect.extend(matchers)

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: must be declared as vitest declares it
  interface Matchers<T = any> {
    /** Passes if a part of the selection's plan uses the index: `'Employee.salary'`. */
    toUseIndex(index: string): T
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
