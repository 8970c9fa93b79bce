import { type ClassModel, isVisible, keyOf } from '@entia/core'
import type { Access } from '../engine/access.ts'
import type { WriteQuery } from '../engine/engine.ts'
import { attributeDenied, permitRows } from '../engine/permit.ts'
import type { WriteItem } from '../engine/query-parts.ts'
import type { CallerStore } from './caller-store.ts'
import { refuseHiddenTargets } from './hidden-targets.ts'
import { refuseStale } from './stale.ts'
import type { StoredEntity } from './stored-entity.ts'
import { isStoredValue } from './values.ts'

/** One entity that is about to be saved. */
export interface Change {
  readonly dataClass: ClassModel
  readonly item: WriteItem
  /** Undefined for a new one. */
  readonly before: StoredEntity | undefined
}

/**
 * A save that the permission hook judges: the entity as it was and as it has become, or nothing of it is done. In an atomic batch
 * it is the batch that is undone; a preview is judged by what there is before it.
 * Throws accessDenied, attributeAccessDenied, loginRequired around them, relationTargetMissing, stampChanged.
 */
export function saveAuthorized(
  callerStore: CallerStore,
  change: Change,
  { atomic, refresh }: Pick<WriteQuery, 'atomic' | 'refresh'>,
  save: (item: WriteItem) => StoredEntity,
): StoredEntity {
  const { dataClass, item: sent, before } = change
  const action = before === undefined ? 'create' : 'update'
  if (before !== undefined) callerStore.permit(dataClass, keyOf(before), action)
  else permitRows(callerStore.caller, dataClass, action)
  if (before !== undefined && !refresh) refuseStale(callerStore.store, dataClass, sent, before)
  const item = withoutEchoes(callerStore, dataClass, sent, before)
  // Before the save: what hooks, rules and permissions make of an entity that cannot be seen is nothing to be found out.
  if (callerStore.view.restrictsRows) refuseHiddenTargets(callerStore, dataClass, item, before)
  if (refresh || (!callerStore.checksEntities(dataClass, action) && !callerStore.view.restrictsRows)) return save(item)
  const saveAndLook = (): StoredEntity => {
    const entity = save(item)
    callerStore.permit(dataClass, keyOf(entity), action)
    // Nobody makes an entity vanish from their own sight.
    callerStore.permit(dataClass, keyOf(entity), 'read')
    return entity
  }
  // A part that fails makes the whole transaction fail, and with it every item after it.
  return atomic ? saveAndLook() : callerStore.store.transact(saveAndLook)
}

/**
 * An item without what clients send back as they read it: values that the caller may not write, and the emptiness of a relation
 * whose target is hidden. Throws attributeAccessDenied for a value that is another one, loginRequired around it.
 */
function withoutEchoes(
  callerStore: CallerStore,
  dataClass: ClassModel,
  item: WriteItem,
  before: StoredEntity | undefined,
): WriteItem {
  const { access } = callerStore.caller
  if (access === null) return item
  const action = before === undefined ? 'create' : 'update'
  const values = new Map(item.values)
  for (const [name, value] of item.values) {
    const isEcho = before === undefined ? value === null : isAsRead(callerStore, dataClass, name, value, before)
    if (isEcho && isRelationOf(dataClass, name) && before !== undefined) values.delete(name)
    else if (!mayWrite(access, dataClass, name, action)) {
      if (!isEcho) throw attributeDenied(callerStore.session, { dataClass: dataClass.name, attribute: name, action })
      values.delete(name)
    }
  }
  return { ...item, values }
}

const isRelationOf = (dataClass: ClassModel, name: string): boolean =>
  dataClass.attributes.get(name)?.kind === 'relatedEntity'

/** Of a relation, what the caller reads of it: null where it leads to an entity that is hidden from them. */
function isAsRead(
  callerStore: CallerStore,
  dataClass: ClassModel,
  name: string,
  value: unknown,
  before: StoredEntity,
): boolean {
  if (isRelationOf(dataClass, name)) return value === callerStore.view.relatedKey(before, name)
  return isStoredValue(dataClass, name, value, before)
}

/** A relation and its foreign key are two names of one value: who may not write one of them may not write it. */
function mayWrite(access: Access, dataClass: ClassModel, name: string, action: 'create' | 'update'): boolean {
  const names = [name]
  for (const relation of dataClass.attributes.values()) {
    if (relation.kind !== 'relatedEntity') continue
    if (relation.name === name) names.push(relation.foreignKey.name)
    if (relation.foreignKey.name === name) names.push(relation.name)
  }
  return names.every((each) => {
    const attribute = dataClass.attributes.get(each)
    return attribute === undefined || !isVisible(attribute) || access.mayWrite(attribute, action)
  })
}
