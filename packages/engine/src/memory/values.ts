import {
  type AnyDataStore,
  type AttributeModel,
  type ClassModel,
  type ComputedAttribute,
  EntiaError,
  foreignKeyOf,
  keyOf,
  stampOf,
  type ToOneAttribute,
  type View,
} from '@entia/core'
import { isSameAsShown } from '@entia/core/internal'
import { fingerprint } from '../interface/fingerprint.ts'
import { isRelation } from '../interface/names.ts'
import { isMediaAttribute, unreadable } from '../interface/projection.ts'
import type { Precondition, WriteItem } from '../interface/selection-source.ts'

/**
 * An entity of the store. The type has no members because an attribute may be called `key` or
 * `stamp`; `entity.key` is then the value of that attribute. Use core's `keyOf`, `stampOf` and
 * `timestampOf`, and `attributeValue` for values.
 */
export type StoredEntity = object

/** The value of an attribute. Runs the getter of a computed attribute. */
export function attributeValue(
  entity: StoredEntity,
  { name }: Pick<AttributeModel, 'name'>,
): unknown {
  return (entity as { readonly [name: string]: unknown })[name]
}

/**
 * The values of an item in the engine's form. Throws attributeReadOnly for a value that cannot be
 * written and differs from the stored one.
 */
export function entityValues(
  dataClass: ClassModel,
  item: WriteItem,
  before: StoredEntity | undefined,
): { readonly [name: string]: unknown } {
  for (const [name, value] of item.echoes)
    if (
      before === undefined ||
      !isSame(dataClass, name, value, readStored(dataClass, name, before))
    )
      throw new EntiaError('attributeReadOnly', {
        dataClass: dataClass.name,
        attribute: name,
        remedy: 'Leave it out, or send it as it was read.',
      })
  const { setters, relations } = derivedOf(dataClass)
  let values =
    setters.length === 0 ? item.values : settersFirst(dataClass, setters, item.values, before)
  if (before !== undefined && relations.length > 0)
    values = withoutRepeatedHalf(relations, values, before)
  // Attribute names never start with `__`. `Object.fromEntries` takes several times as long, and a
  // loop makes a list for each value.
  const record: { [name: string]: unknown } = {}
  values.forEach((value, name) => {
    record[name] = value
  })
  return record
}

/** The attributes whose values mean those of others. */
interface Derived {
  readonly setters: readonly ComputedAttribute[]
  /** Those with a foreign key attribute of another name. */
  readonly relations: readonly ToOneAttribute[]
}
const derivedByClass = new WeakMap<ClassModel, Derived>()

function derivedOf(dataClass: ClassModel): Derived {
  let derived = derivedByClass.get(dataClass)
  if (derived === undefined) {
    const setters: ComputedAttribute[] = []
    const relations: ToOneAttribute[] = []
    for (const each of dataClass.attributes.values())
      if (each.kind === 'calculated' && each.set !== null) setters.push(each)
      else if (each.kind === 'relatedEntity' && each.foreignKey.name !== each.name)
        relations.push(each)
    derived = { setters, relations }
    derivedByClass.set(dataClass, derived)
  }
  return derived
}

/**
 * For the engine, the last value of an attribute counts: first the values that setters derive, then
 * the values of the attributes themselves. Clients send whole entities, so values that only repeat
 * the entity count for nothing, and neither does null in a new one.
 */
function settersFirst(
  dataClass: ClassModel,
  setters: readonly ComputedAttribute[],
  values: ReadonlyMap<string, unknown>,
  before: StoredEntity | undefined,
): ReadonlyMap<string, unknown> {
  const says = ([name, value]: readonly [string, unknown]): boolean =>
    before === undefined ? value !== null : !isStoredValue(dataClass, name, value, before)
  const computed = [...values].filter(([name]) => setters.some((each) => each.name === name))
  const others = [...values].filter(([name]) => !setters.some((each) => each.name === name))
  const changed = computed.filter(says)
  if (changed.length === 0) return new Map(others)
  const unsaid = before === undefined ? others.filter((each) => !says(each)) : []
  return new Map([...unsaid, ...changed, ...others.filter(says)])
}

/** True for a value that an update would not change. */
export function isStoredValue(
  dataClass: ClassModel,
  name: string,
  value: unknown,
  before: StoredEntity,
): boolean {
  const attribute = dataClass.attributes.get(name)
  if (attribute === undefined) return false
  if (attribute.kind === 'relatedEntity')
    return isSameAsShown(attribute.foreignKey, value, foreignKeyOf(before, name))
  let stored: unknown
  try {
    stored = readStored(dataClass, name, before) ?? null
  } catch (error) {
    // A value whose getter throws can still be set.
    if (attribute.kind === 'calculated' && attribute.set !== null) return false
    throw error
  }
  // The contents of images and BLOBs are not compared.
  const isMedia = !isRelation(attribute) && isMediaAttribute(attribute)
  return isMedia ? value === null && stored === null : isSame(dataClass, name, value, stored)
}

function readStored(dataClass: ClassModel, name: string, entity: StoredEntity): unknown {
  const attribute = dataClass.attributes.get(name)!
  try {
    return attributeValue(entity, attribute)
  } catch (cause) {
    throw unreadable(attribute, cause)
  }
}

/**
 * A relation and its foreign key name the same value. A client that read both and changed one sends
 * back the other unchanged: the changed one counts.
 */
function withoutRepeatedHalf(
  relations: readonly ToOneAttribute[],
  given: ReadonlyMap<string, unknown>,
  before: StoredEntity,
): ReadonlyMap<string, unknown> {
  let values: Map<string, unknown> | null = null
  for (const relation of relations) {
    const foreignKey = relation.foreignKey.name
    const left = values ?? given
    if (!left.has(relation.name) || !left.has(foreignKey)) continue
    values ??= new Map(given)
    const stored = foreignKeyOf(before, relation.name)
    const repeats = (name: string): boolean =>
      isSameAsShown(relation.foreignKey, left.get(name), stored)
    if (repeats(relation.name)) values.delete(relation.name)
    else if (repeats(foreignKey)) values.delete(foreignKey)
  }
  return values ?? given
}

function isSame(dataClass: ClassModel, name: string, given: unknown, stored: unknown): boolean {
  const attribute = dataClass.attributes.get(name)!
  return !isRelation(attribute) && isSameAsShown(attribute, given, stored)
}

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
