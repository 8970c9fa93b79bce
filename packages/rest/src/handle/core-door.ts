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
    readEntity: (query, caller) => reader.readEntity(query, caller),
    readSelection: (query, caller) => reader.readSelection(query, caller),
    compute: (query, caller) => reader.compute(query, caller),
    distinct: (query, caller) => reader.distinct(query, caller),
    write: (query, caller) => writeEntities(store, query, caller),
    remove: (query, caller) => removeEntities(store, query, caller),
  }
}
