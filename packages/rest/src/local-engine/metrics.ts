import type { AnyDataStore } from '@entia/core'
import type { EngineMetrics } from '../engine/engine-metrics.ts'
import { storeInfo } from './info.ts'
import type { LongReads } from './long-reads.ts'

/** What a store in this process counts. Cost: O(entity sets + locks). */
export function storeMetrics(store: AnyDataStore, long: LongReads): EngineMetrics {
  const { entitySets, usedCache } = storeInfo(store)
  const { figures } = store
  return {
    entities: store.catalog.classes.map(({ name }) => ({ dataClass: name, count: store.dataClass(name).count })),
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
