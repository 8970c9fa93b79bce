import type { AnyDataStore } from '@entia/core'
import type { EngineInfo } from '../engine/engine.ts'

/** A set takes 8 bytes for each member at most. */
const BYTES_PER_MEMBER = 8

/** What a store keeps beside its entities. All of these are in memory, so what is called the cache is what entity sets take. */
export function storeInfo(store: AnyDataStore): EngineInfo {
  const entitySets = store.entitySets.list()
  const bytes = entitySets.reduce((sum, { size }) => sum + size * BYTES_PER_MEMBER, 0)
  return { cacheSize: bytes, usedCache: bytes, entitySets, sessions: store.sessions.list() }
}
