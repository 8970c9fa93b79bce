import type { AnyDataStore } from '@entia/core'
import type { Caller } from '../door/caller.ts'
import type { EngineDoor } from '../door/engine-door.ts'
import { callFunction } from './call.ts'
import { CallerStore } from './caller-store.ts'
import { storeInfo } from './info.ts'
import { lockEntity, unlockEntity } from './lock.ts'
import { CoreReader } from './read.ts'
import { removeEntities } from './remove.ts'
import { releaseSet } from './select.ts'
import { asSession } from './session.ts'
import { writeEntities } from './write.ts'

/** The door to a store in this process. Every call answers at once. */
export function createCoreDoor(store: AnyDataStore): EngineDoor {
  const everything = store.view({ exposedOnly: true })
  const seenBy = (caller: Caller): CallerStore => new CallerStore(store, caller, everything)
  const as = <R>(caller: Caller, body: (seen: CallerStore) => R extends PromiseLike<unknown> ? never : R): R =>
    asSession(store, caller.session, () => body(seenBy(caller)))
  return {
    catalog: () => store.catalog,
    instanceId: store.id,
    globalStamp: () => store.globalStamp,
    readEntity: (query, caller) => as(caller, (seen) => new CoreReader(seen).readEntity(query)),
    readSelection: (query, caller) => as(caller, (seen) => new CoreReader(seen).readSelection(query)),
    compute: (query, caller) => as(caller, (seen) => new CoreReader(seen).compute(query)),
    distinct: (query, caller) => as(caller, (seen) => new CoreReader(seen).distinct(query)),
    write: (query, caller) => as(caller, (seen) => writeEntities(seen, query)),
    remove: (query, caller) => as(caller, (seen) => removeEntities(seen, query)),
    sessions: store.sessions,
    lock: (query, caller, begin) => lockEntity(seenBy(caller), query, begin),
    unlock: (query, caller) => unlockEntity(seenBy(caller), query),
    info: () => storeInfo(store),
    upload: (media, lifetimeSeconds) => store.uploads.put(media, lifetimeSeconds === null ? {} : { lifetimeSeconds }),
    uploaded: (id) => store.uploads.get(id) ?? null,
    call: (query, caller) => callFunction(seenBy(caller), query),
    releaseEntitySet: (dataClass, id, caller) => releaseSet(seenBy(caller), dataClass, id),
    releaseEntitySets: (ids, { session }) => {
      for (const id of ids) store.entitySets.release(id, session)
    },
  }
}
