import { type ClassModel, EntiaError, foreignKeyOf } from '@entia/core'
import { isRelation, typeOf } from '../door/names.ts'
import { isMediaAttribute } from '../door/projection.ts'
import type { WriteItem } from '../door/query-parts.ts'
import { unreadable } from '../door/unreadable.ts'
import { attributeValue, type StoredEntity } from './stored-entity.ts'

/**
 * The values of an item as the engine takes them. Throws attributeReadOnly where a value that cannot be written
 * differs from what is stored.
 */
export function entityValues(
  dataClass: ClassModel,
  item: WriteItem,
  before: StoredEntity | undefined,
): { readonly [name: string]: unknown } {
  for (const [name, value] of item.echoes)
    if (before === undefined || !isSame(dataClass, name, value, readStored(dataClass, name, before)))
      throw new EntiaError('attributeReadOnly', {
        dataClass: dataClass.name,
        attribute: name,
        remedy: 'Leave it out, or send it as it was read.',
      })
  if (before === undefined) return recordOf(item.values)
  const values = new Map(item.values)
  dropRepeatedHalf(dataClass, values, before)
  return recordOf(values)
}

/** The names are those of attributes, and none of them begins with `__`. By hand: `Object.fromEntries` takes several times as long. */
function recordOf(values: ReadonlyMap<string, unknown>): { readonly [name: string]: unknown } {
  const record: { [name: string]: unknown } = {}
  for (const [name, value] of values) record[name] = value
  return record
}

/** True for a value that an update would leave as it is. */
export function isStoredValue(dataClass: ClassModel, name: string, value: unknown, before: StoredEntity): boolean {
  const attribute = dataClass.attributes.get(name)
  if (attribute === undefined) return false
  if (attribute.kind === 'relatedEntity') return value === (foreignKeyOf(before, name) ?? null)
  const stored = readStored(dataClass, name, before) ?? null
  // The content of an image or BLOB is not compared.
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
 * A relation and its foreign key are two names of one value. A client that read both and changed one sends the other as
 * it was: the changed one counts.
 */
function dropRepeatedHalf(dataClass: ClassModel, values: Map<string, unknown>, before: StoredEntity): void {
  for (const relation of dataClass.attributes.values()) {
    if (relation.kind !== 'relatedEntity') continue
    const foreignKey = relation.foreignKey.name
    if (foreignKey === relation.name || !values.has(relation.name) || !values.has(foreignKey)) continue
    const stored = foreignKeyOf(before, relation.name) ?? null
    if (values.get(relation.name) === stored) values.delete(relation.name)
    else if (values.get(foreignKey) === stored) values.delete(foreignKey)
  }
}

function isSame(dataClass: ClassModel, name: string, given: unknown, stored: unknown): boolean {
  const attribute = dataClass.attributes.get(name)
  if (attribute !== undefined && !isRelation(attribute) && typeOf(attribute) === 'date')
    return (
      given === stored ||
      (typeof given === 'string' && typeof stored === 'string' && Date.parse(given) === Date.parse(stored))
    )
  return isSameJson(given, stored ?? null)
}

function isSameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const left = Object.entries(a)
  const right = new Map(Object.entries(b))
  return (
    left.length === right.size && left.every(([name, value]) => right.has(name) && isSameJson(value, right.get(name)))
  )
}
