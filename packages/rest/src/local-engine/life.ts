import { type AnyDataStore, type ClassModel, keyOf, stampOf, type View } from '@entia/core'
import { fingerprint } from '../engine/fingerprint.ts'
import type { Precondition } from '../engine/query-parts.ts'
import type { StoredEntity } from './stored-entity.ts'

/** The life of an entity as answers tell it: births are numbered in each instance of a store anew. */
export const lifeToken = ({ id }: AnyDataStore, life: string): string => fingerprint(`${id} ${life}`)

/** The life of an entity that a view shows; null where it is gone. */
export function lifeOf(store: AnyDataStore, view: View, dataClass: ClassModel, entity: StoredEntity): string | null {
  const life = view.dataClass(dataClass.name).life(keyOf(entity))
  return life === undefined ? null : lifeToken(store, life)
}

/** True when an entity is in the state that a request is for. */
export function meets(
  { stamp, life }: Precondition,
  { store, view }: { readonly store: AnyDataStore; readonly view: View },
  dataClass: ClassModel,
  entity: StoredEntity,
): boolean {
  return stamp === stampOf(entity) && (life === null || life === lifeOf(store, view, dataClass, entity))
}
