import type { AnyDataStore } from '@entia/core'
import { CoreReader } from './core-read.ts'
import { removeEntities } from './core-remove.ts'
import { writeEntities } from './core-write.ts'
import type { EngineDoor } from './engine-door.ts'

/** The door to a store in this process. Every call answers at once. */
export function createCoreDoor(store: AnyDataStore): EngineDoor {
  const reader = new CoreReader(store)
  return {
    catalog: () => store.catalog,
    instanceId: store.id,
    globalStamp: () => store.globalStamp,
    readEntity: (query) => reader.readEntity(query),
    readSelection: (query) => reader.readSelection(query),
    compute: (query) => reader.compute(query),
    distinct: (query) => reader.distinct(query),
    write: (query) => writeEntities(store, query),
    remove: (query) => removeEntities(store, query),
  }
}
