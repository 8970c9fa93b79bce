import type { AnyDataStore } from '@entia/core'
import type { EngineInfo } from '../engine/engine.ts'
import type { EngineMetrics } from '../engine/engine-metrics.ts'
import type { LongReads } from './long-reads.ts'

/** The most bytes that an entity set takes per member. */
const BYTES_PER_MEMBER = 8

/**
 * What a store keeps besides its entities. All of it is in memory, so the "cache" is the size of
 * the entity sets.
 */
export function storeInfo(store: AnyDataStore): EngineInfo {
  const entitySets = store.entitySets.list()
  const bytes = entitySets.reduce((sum, { size }) => sum + size * BYTES_PER_MEMBER, 0)
  return { cacheSize: bytes, usedCache: bytes, entitySets, sessions: store.sessions.list() }
}

/** The figures of a store in this process. Cost: O(entity sets + locks). */
export function storeMetrics(store: AnyDataStore, long: LongReads): EngineMetrics {
  const { entitySets, usedCache } = storeInfo(store)
  const { figures } = store
  return {
    entities: store.catalog.classes.map(({ name }) => ({
      dataClass: name,
      count: store.dataClass(name).count,
    })),
    entitySets: entitySets.length,
    entitySetBytes: usedCache,
    sessions: store.sessions.size,
    locks: store.locks.size,
    uploads: store.uploads.size,
    globalStamp: store.globalStamp,
    historyCommits: figures.historyCommits,
    historyBytes: figures.historyBytes,
    keptTextCharacters: figures.keptTextCharacters,
    filtersCompiled: figures.filtersCompiled,
    longReads: long.longReads,
    uptimeMilliseconds: figures.uptimeMilliseconds,
  }
}
