// For node:test.
import { after, afterEach, beforeEach } from 'node:test'
import { type UseDataStore, useDataStoreWith } from './fixtures/use-data-store.ts'

/**
 * See `useDataStoreWith`. Call it at the top of a file or in a `describe`.
 *
 * @example
 * ```ts
 * const fresh = useDataStore(() => hr())
 * fresh.Employee.count
 * ```
 */
export const useDataStore: UseDataStore = useDataStoreWith({
  beforeEach,
  afterEach,
  afterAll: after,
})

export * from './index.ts'
