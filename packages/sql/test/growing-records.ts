import type { AnyDataStore } from '@entia/core'
import { handleOf } from '@entia/core/internal'

/**
 * Makes the record numbers of a store in memory only grow, as they do in a database, so that the
 * order without `$orderby` is the same.
 */
export function growingRecords<S extends AnyDataStore>(store: S): S {
  for (const table of handleOf(store).writer.tables)
    Object.defineProperties(table, {
      isWhole: { value: false },
      lowestFree: { get: () => table.length },
      nextSlots: {
        value: (count: number) => Int32Array.from({ length: count }, (_, at) => table.length + at),
      },
    })
  return store
}
