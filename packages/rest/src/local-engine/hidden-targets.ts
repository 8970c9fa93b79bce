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
 * An entity that the caller cannot see does not exist for them, as the target of a relation neither. The stored key of one
 * may be sent back only where the caller reads it, as the value of a foreign key attribute.
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
      const details = { dataClass: dataClass.name, attribute: name, target: target.name, key: String(key) }
      throw new EntiaError('relationTargetMissing', details)
    }
  }
}

/** A key as it is stored; null for none, and for a value that is none: that is for the engine to refuse. */
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

/** Setters may give a related entity, or an object that has its key: the engine takes both. */
function keyIn(value: object, { key }: ClassModel): unknown {
  if (isEntity(value)) return keyOf(value)
  return Object.hasOwn(value, key.name) ? (value as { readonly [name: string]: unknown })[key.name] : undefined
}

/** Setters that lead to setters; the engine refuses more. */
const MAX_SETTERS = 8

/** What is given, and what setters of computed attributes make of it. */
function* withSetters(
  dataClass: ClassModel,
  given: Iterable<readonly [string, unknown]>,
  before: StoredEntity | undefined,
  depth: number,
): Iterable<readonly [string, unknown]> {
  for (const [name, value] of given) {
    yield [name, value]
    const attribute = dataClass.attributes.get(name)
    if (attribute?.kind !== 'calculated' || attribute.set === null || depth === MAX_SETTERS) continue
    if (before !== undefined && isStoredValue(dataClass, name, value, before)) continue
    yield* withSetters(dataClass, Object.entries(madeBy(attribute.set as Setter, value)), before, depth + 1)
  }
}

type Setter = (value: unknown) => unknown

/** What a setter throws, it throws in the engine again. */
function madeBy(set: Setter, value: unknown): object {
  try {
    return Object(set(value) ?? {})
  } catch {
    return {}
  }
}
