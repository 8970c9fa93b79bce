import {
  type ClassModel,
  type ComputedAttribute,
  checkedValue,
  EntiaError,
  foreignKeyOf,
  isEntiaError,
  isEntity,
  isVisible,
  keyOf,
  type ToOneAttribute,
} from '@entia/core'
import { isSameAsShown } from '@entia/core/internal'
import type { Access } from '../interface/access.ts'
import { attributeDenied, permitRows } from '../interface/permit.ts'
import type { KeyValue, WriteItem } from '../interface/selection-source.ts'
import type { WriteQuery } from '../interface/write-query.ts'
import type { CallerStore } from './caller-store.ts'
import { preconditionError } from './errors.ts'
import { isStoredValue, meets, refuseStale, type StoredEntity } from './values.ts'

/**
 * Refuses a relation to an entity that is hidden from the caller, and to one that does not exist,
 * unless the same transaction creates it. A stored key may be sent back only as the value of a
 * foreign key attribute, which the caller can read.
 */
function refuseHiddenTargets(
  callerStore: CallerStore,
  { dataClass, before, creates }: Change,
  item: WriteItem,
): void {
  const entries = [...withSetters(dataClass, item.values, before, 0)]
  for (const relation of dataClass.attributes.values()) {
    if (relation.kind !== 'relatedEntity' || !relation.target.exposed) continue
    const { name, target, foreignKey } = relation
    // The engine itself refuses what does not exist, at the end of the transaction.
    if (!callerStore.checksEntities(target, 'read')) continue
    const isMissing = (key: KeyValue): boolean =>
      !callerStore.view.dataClass(target.name).has(key) &&
      (target !== dataClass || !creates(key) || callerStore.store.dataClass(target.name).has(key))
    for (const [given, value] of entries) {
      if (given !== name && given !== foreignKey.name) continue
      const key = keyGiven(relation, value)
      if (key === null || !isMissing(key)) continue
      const isAttribute = given !== name
      if (isAttribute && before !== undefined && key === foreignKeyOf(before, name)) continue
      const details = {
        dataClass: dataClass.name,
        attribute: name,
        target: target.name,
        key: String(key),
      }
      throw new EntiaError('relationTargetMissing', details)
    }
  }
}

/** A key as stored. Null for none and for an invalid value, which the engine refuses later. */
function keyGiven({ target, foreignKey }: ToOneAttribute, value: unknown): KeyValue | null {
  const given = typeof value === 'object' && value !== null ? keyIn(value, target) : value
  if (given === undefined || given === null) return null
  try {
    return checkedValue(foreignKey, given) as KeyValue
  } catch (error) {
    if (isEntiaError(error, 'valueInvalid')) return null
    throw error
  }
}

/** Setters may return a related entity or an object with its key; the engine accepts both. */
function keyIn(value: object, { key }: ClassModel): unknown {
  if (isEntity(value)) return keyOf(value)
  return Object.hasOwn(value, key.name)
    ? (value as { readonly [name: string]: unknown })[key.name]
    : undefined
}

/** The depth to which setters lead to setters; the engine refuses more. */
const MAX_SETTERS = 8

/** The given values, and the values that setters of computed attributes derive from them. */
function* withSetters(
  dataClass: ClassModel,
  given: Iterable<readonly [string, unknown]>,
  before: StoredEntity | undefined,
  depth: number,
): Iterable<readonly [string, unknown]> {
  for (const [name, value] of given) {
    yield [name, value]
    const attribute = dataClass.attributes.get(name)
    if (attribute?.kind !== 'calculated' || attribute.set === null || depth === MAX_SETTERS)
      continue
    if (before !== undefined && isStoredValue(dataClass, name, value, before)) continue
    yield* withSetters(dataClass, Object.entries(madeBy(attribute, value)), before, depth + 1)
  }
}

/** A refusal or an error of the setter here is thrown again when the engine calls it. */
function madeBy(attribute: ComputedAttribute, value: unknown): object {
  try {
    return Object(attribute.set?.(checkedValue(attribute, value) as never) ?? {})
  } catch {
    return {}
  }
}

/** One entity to save. */
export interface Change {
  readonly dataClass: ClassModel
  readonly item: WriteItem
  /** Undefined for a new entity. */
  readonly before: StoredEntity | undefined
  /** True for the keys of new entities of the dataclass that the same transaction saves. */
  readonly creates: (key: KeyValue) => boolean
}

/**
 * Refuses an item whose entity is not in the state that the request names, by `If-Match` first. A
 * preview is not compared with `__STAMP`. Throws preconditionFailed, stampChanged, entityLocked.
 */
export function refuseOtherState(
  callerStore: CallerStore,
  dataClass: ClassModel,
  item: WriteItem,
  stored: StoredEntity,
  refresh: boolean,
): void {
  if (item.precondition !== null && !meets(item.precondition, callerStore, dataClass, stored))
    throw preconditionError(dataClass, item.keyText)
  if (!refresh && item.stamp !== null) refuseStale(callerStore.store, dataClass, item, stored)
}

/**
 * Saves an entity if the permission hook allows it both for the entity as it was and as it has
 * become; else nothing is saved. In an atomic batch the whole batch is rolled back. A preview is
 * checked against the stored entity only. Throws accessDenied, attributeAccessDenied, loginRequired
 * around them, preconditionFailed, relationTargetMissing, stampChanged.
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
  if (before !== undefined) refuseOtherState(callerStore, dataClass, sent, before, refresh)
  const item = withoutEchoes(callerStore, change)
  // Checked before the save: hooks, rules and permissions must not reveal anything about a hidden
  // entity.
  if (callerStore.view.restrictsRows) refuseHiddenTargets(callerStore, change, item)
  if (
    refresh ||
    (!callerStore.checksEntities(dataClass, action) && !callerStore.view.restrictsRows)
  )
    return save(item)
  const saveAndLook = (): StoredEntity => {
    const entity = save(item)
    callerStore.permit(dataClass, keyOf(entity), action)
    // Callers may not save an entity that they could then no longer read.
    callerStore.permit(dataClass, keyOf(entity), 'read')
    return entity
  }
  // Inside a batch's transaction, a nested one would make all later items fail.
  return atomic ? saveAndLook() : callerStore.store.transact(saveAndLook)
}

/**
 * Removes the values that only repeat what the caller read: values that it may not write, and null
 * for a relation whose target is hidden. Throws attributeAccessDenied for a changed value, or
 * loginRequired around it.
 */
function withoutEchoes(callerStore: CallerStore, { dataClass, item, before }: Change): WriteItem {
  const { access } = callerStore.caller
  if (access === null) return item
  const action = before === undefined ? 'create' : 'update'
  const values = new Map(item.values)
  for (const [name, value] of item.values) {
    const isEcho =
      before === undefined ? value === null : isAsRead(callerStore, dataClass, name, value, before)
    if (isEcho && isRelationOf(dataClass, name) && before !== undefined) values.delete(name)
    else if (!mayWrite(access, dataClass, name, action)) {
      if (!isEcho)
        throw attributeDenied(callerStore.caller, {
          dataClass: dataClass.name,
          attribute: name,
          action,
        })
      values.delete(name)
    }
  }
  return { ...item, values }
}

const isRelationOf = (dataClass: ClassModel, name: string): boolean =>
  dataClass.attributes.get(name)?.kind === 'relatedEntity'

/**
 * Compares with the value that the caller reads. For a relation to a hidden entity that is null.
 */
function isAsRead(
  callerStore: CallerStore,
  dataClass: ClassModel,
  name: string,
  value: unknown,
  before: StoredEntity,
): boolean {
  const attribute = dataClass.attributes.get(name)
  if (attribute?.kind === 'relatedEntity')
    return isSameAsShown(attribute.foreignKey, value, callerStore.view.relatedKey(before, name))
  return isStoredValue(dataClass, name, value, before)
}

/** A relation and its foreign key name the same value: a caller needs permission to write both. */
function mayWrite(
  access: Access,
  dataClass: ClassModel,
  name: string,
  action: 'create' | 'update',
): boolean {
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
