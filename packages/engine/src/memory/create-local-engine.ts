import type { AnyDataStore } from '@entia/core'
import { createIndexSliced, handleOf, persistenceOf, tableSizes } from '@entia/core/internal'
import type { Awaitable } from '../interface/awaitable.ts'
import type { Caller } from '../interface/caller.ts'
import type { Engine } from '../interface/engine.ts'
import type { EngineOperating } from '../interface/engine-observation.ts'
import { hostNextSlice, type NextSlice } from '../interface/time-slices.ts'
import { callFunction } from './call.ts'
import { CallerStore, localSessions } from './caller-store.ts'
import { follow } from './follow.ts'
import { lockEntity, unlockEntity } from './lock.ts'
import { LongReads } from './long-reads.ts'
import { localObservation, storeInfo, storeMetrics } from './metrics.ts'
import { compute, distinct, group, readEntity, readSelection } from './read.ts'
import { removeEntities } from './remove.ts'
import type { FeedSource } from './replica-feed.ts'
import { type LocalReplicas, localReplicas } from './replicas.ts'
import { releaseSet } from './select.ts'
import { writeEntities } from './write.ts'

/** The engine of a store in this process. */
export interface LocalEngine extends Engine {
  readonly replicas: LocalReplicas
  /** Runs what takes over a commit of another store: at once unless a long read is running. */
  takeOver<R>(body: () => R): Awaitable<R>
}

/**
 * The engine of a store in this process. Calls answer synchronously unless they need several time
 * slices; `nextSlice` yields between them. At most `maxWaitingReads` long reads may wait; further
 * ones are refused. `commitId` as in `FeedSource`.
 */
export function createLocalEngine(
  store: AnyDataStore,
  nextSlice: NextSlice = hostNextSlice,
  maxWaitingReads?: number,
  commitId: FeedSource['commitId'] = null,
): LocalEngine {
  const long = new LongReads(store, nextSlice, maxWaitingReads)
  const everything = store.view({ exposedOnly: true })
  const callerStoreOf = (caller: Caller): CallerStore => new CallerStore(store, caller, everything)
  return {
    catalog: store.catalog,
    get instanceId() {
      return store.id
    },
    features: {
      recordOrder: 'reused',
      live: 'incremental',
      relevance: true,
    },
    lastCommit: () => store.globalStamp,
    position: null,
    sessions: localSessions(store.sessions),
    observation: localObservation(store),
    operating: localOperating(store, nextSlice),
    replicas: localReplicas(store, callerStoreOf, long, commitId),
    takeOver: (body) => long.takeOver(body),
    readEntity: (query, caller) => readEntity(callerStoreOf(caller), query, long),
    readSelection: (query, caller) => readSelection(callerStoreOf(caller), query, long),
    follow: (query, caller) => follow(callerStoreOf(caller), query),
    compute: (query, caller) => compute(callerStoreOf(caller), query, long),
    distinct: (query, caller) => distinct(callerStoreOf(caller), query, long),
    group: (query, caller) => group(callerStoreOf(caller), query, long),
    write: (query, caller) => writeEntities(callerStoreOf(caller), query, long),
    remove: (query, caller) => removeEntities(callerStoreOf(caller), query, long),
    lock: (query, caller, begin) => lockEntity(callerStoreOf(caller), query, begin),
    unlock: (query, caller) => unlockEntity(callerStoreOf(caller), query),
    ping: () => void store.globalStamp,
    info: () => storeInfo(store),
    metrics: () => storeMetrics(store, long),
    upload: (media, lifetimeSeconds) =>
      store.uploads.put(media, lifetimeSeconds === null ? {} : { lifetimeSeconds }),
    uploaded: (id) => store.uploads.get(id) ?? null,
    call: (query, caller) => callFunction(callerStoreOf(caller), query),
    releaseEntitySet: (dataClass, id, caller) => releaseSet(callerStoreOf(caller), dataClass, id),
    releaseEntitySets: (ids, { session }) => {
      for (const id of ids) store.entitySets.release(id, session)
    },
  }
}

/** A store in this process, as its operators see it. Long work runs in time slices. */
function localOperating(store: AnyDataStore, nextSlice: NextSlice): EngineOperating {
  return {
    sizes: () =>
      handleOf(store)
        .writer.tables.map(tableSizes)
        .sort((a, b) => b.bytes - a.bytes),
    storage: () => ({
      kind: 'memory',
      globalStamp: store.globalStamp,
      historyCommits: store.figures.historyCommits,
      historyBytes: store.figures.historyBytes,
      journal: persistenceOf(store).journalState?.() ?? null,
    }),
    createIndex: (dataClass, attribute) =>
      createIndexSliced(store.dataClass(dataClass), attribute, nextSlice),
  }
}
