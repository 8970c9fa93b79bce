import { type AnyDataStore, type ClassModel, keyOf, stampOf, type View } from '@entia/core'
import { fingerprint } from '../engine/fingerprint.ts'
import type { Precondition, WriteItem } from '../engine/query-parts.ts'
import type { StoredEntity } from './stored-entity.ts'

/**
 * The life of an entity as answers report it. Each store instance numbers lives from the start, so
 * the instance is part of it.
 */
export const lifeToken = ({ id }: Pick<AnyDataStore, 'id'>, life: string): string =>
  fingerprint(`${id} ${life}`)

/** The life of an entity in a view; null if the entity is gone. */
export function lifeOf(
  store: AnyDataStore,
  view: View,
  dataClass: ClassModel,
  entity: StoredEntity,
): string | null {
  const life = view.dataClass(dataClass.name).life(keyOf(entity))
  return life === undefined ? null : lifeToken(store, life)
}

/** True if the entity is in a state that the request requires. */
export function meets(
  precondition: Precondition,
  { store, view }: { readonly store: AnyDataStore; readonly view: View },
  dataClass: ClassModel,
  entity: StoredEntity,
): boolean {
  return precondition.some(
    ({ stamp, life }) =>
      stamp === stampOf(entity) &&
      (life === null || life === lifeOf(store, view, dataClass, entity)),
  )
}

/**
 * Refuses an item whose entity was saved after its sender read it, with the engine's own error.
 * Called before the item's values are compared, since they refer to another version. Throws
 * stampChanged, entityLocked.
 */
export function refuseStale(
  store: AnyDataStore,
  { name }: ClassModel,
  { stamp }: WriteItem,
  stored: StoredEntity,
): void {
  if (stamp !== null && stamp !== stampOf(stored))
    store.dataClass(name).update(keyOf(stored), {}, { stamp })
}
