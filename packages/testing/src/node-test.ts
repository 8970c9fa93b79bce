// For node:test.
import { after, afterEach, beforeEach } from 'node:test'
import { type UseDataStore, useDataStoreWith } from './fixtures/use-data-store.ts'

/** See `useDataStoreWith`. Call it at the top of a file or in a `describe`. */
export const useDataStore: UseDataStore = useDataStoreWith({
  beforeEach,
  afterEach,
  afterAll: after,
})

export * from './index.ts'
