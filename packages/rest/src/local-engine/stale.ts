import { type AnyDataStore, type ClassModel, keyOf, stampOf } from '@entia/core'
import type { WriteItem } from '../engine/query-parts.ts'
import type { StoredEntity } from './stored-entity.ts'

/**
 * Refuses an item whose entity was saved since its sender read it, in the engine's own words. Asked before what the item says
 * is looked at: of another version of the entity, it would be compared in vain. Throws stampChanged, entityLocked.
 */
export function refuseStale(
  store: AnyDataStore,
  { name }: ClassModel,
  { stamp }: WriteItem,
  stored: StoredEntity,
): void {
  if (stamp !== null && stamp !== stampOf(stored)) store.dataClass(name).update(keyOf(stored), {}, { stamp })
}
