import type { AnyDataStore } from '@entia/core'
import type { EngineInfo } from '../interface/engine.ts'

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
