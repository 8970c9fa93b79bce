import {
  type ClassModel,
  checkedValue,
  EntiaError,
  foreignKeyOf,
  isEntiaError,
  isEntity,
  keyOf,
  type ToOneAttribute,
} from '@entia/core'
import type { WriteItem } from '../engine/query-parts.ts'
import type { KeyValue } from '../engine/selection-source.ts'
import type { CallerStore } from './caller-store.ts'
import type { StoredEntity } from './stored-entity.ts'
import { isStoredValue } from './values.ts'

/**
 * Refuses a relation to an entity that is hidden from the caller, as if it did not exist. A stored
 * key may be sent back only as the value of a foreign key attribute, which the caller can read.
 */
export function refuseHiddenTargets(
  callerStore: CallerStore,
  dataClass: ClassModel,
  item: WriteItem,
  before: StoredEntity | undefined,
): void {
  const entries = [...withSetters(dataClass, item.values, before, 0)]
  for (const relation of dataClass.attributes.values()) {
    if (relation.kind !== 'relatedEntity' || !relation.target.exposed) continue
    const { name, target, foreignKey } = relation
    for (const [given, value] of entries) {
      if (given !== name && given !== foreignKey.name) continue
      const key = keyGiven(relation, value)
      if (key === null || callerStore.view.dataClass(target.name).has(key)) continue
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
    yield* withSetters(
      dataClass,
      Object.entries(madeBy(attribute.set as Setter, value)),
      before,
      depth + 1,
    )
  }
}

type Setter = (value: unknown) => unknown

/** An error that the setter throws here is thrown again when the engine calls it. */
function madeBy(set: Setter, value: unknown): object {
  try {
    return Object(set(value) ?? {})
  } catch {
    return {}
  }
}
