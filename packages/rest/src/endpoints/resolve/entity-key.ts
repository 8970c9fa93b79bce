import {
  type AttributeModel,
  type ClassModel,
  EntiaError,
  type StorageAttribute,
} from '@entia/core'
import {
  type EntityReference,
  type KeyValue,
  type Names,
  NUMERIC_TYPES,
  type Precondition,
  type RequiredState,
} from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'
import type { EntitySelector } from '../../request/address.ts'
import type { Conditions } from '../../request/request.ts'
import { notApplicable } from '../context/context.ts'

/**
 * What a change requires of its entity by `If-Match`, a list of tags of which one must match:
 * `"<stamp>"`, or an ETag, which starts with the stamp and the life of the entity. Null for no
 * header and for `*`. Other tags never match, nor do weak ones, since `If-Match` requires strong
 * comparison. Throws methodNotApplicable for `If-None-Match`.
 */
export function preconditionOf({ ifMatch, ifNoneMatch }: Conditions): Precondition | null {
  if (ifNoneMatch !== null)
    throw notApplicable('If-None-Match', 'a change is made conditional by If-Match')
  if (ifMatch === null || ifMatch.trim() === '*') return null
  const states: RequiredState[] = []
  // A tag may contain commas, so the list is read tag by tag.
  for (const [, tag = ''] of ifMatch.matchAll(/(?<![^\s,])"([^"]*)"(?![^\s,])/g)) {
    const [, stamp, life = null] = TAG.exec(tag) ?? []
    if (stamp !== undefined) states.push({ stamp: Number(stamp), life })
  }
  return states
}

const TAG = /^(\d{1,15})(?:-([\da-z]{1,40})(?:-[\da-z]{1,40})?)?$/

/**
 * Refuses conditions for changes that are not of exactly one entity: if ignored, a change would
 * pass unchecked. Throws methodNotApplicable.
 */
export function refuseConditions(conditions: Conditions, problem: string): void {
  if (preconditionOf(conditions) !== null) throw notApplicable('If-Match', problem)
}

/** Refuses conditions for a new entity: `*` asks for one that exists. Throws as above. */
export function refuseConditionsOfNew(conditions: Conditions): void {
  refuseConditions(conditions, 'a new entity has no stamp')
  if (conditions.ifMatch !== null) throw notApplicable('If-Match', 'the entity does not exist')
}

/**
 * Parses a key from text by the key attribute's type. Numbers must be in canonical form: `007`,
 * `1e3` and integers beyond the safe range are malformed rather than another entity's key. Throws
 * keyMalformed.
 */
function parseKeyText(dataClass: ClassModel, text: string): KeyValue {
  if (text === '') throw malformed(dataClass, text, 'a key cannot be empty')
  const value = textToValue(dataClass.key, text)
  if (value === null || typeof value === 'boolean')
    throw malformed(dataClass, text, `the key is of type ${dataClass.key.type}`)
  return value
}

/** Parses a key from JSON: text, a number, or `{"<keyAttribute>": key}`. Throws keyMalformed. */
export function parseKeyJson(dataClass: ClassModel, json: unknown): KeyValue {
  const key = typeof json === 'object' ? unwrapKey(dataClass, json) : json
  if (typeof key === 'string') return parseKeyText(dataClass, key)
  if (typeof key === 'number' && NUMERIC_TYPES.has(dataClass.key.type) && Number.isFinite(key))
    return key
  // A text key may consist of digits, which some clients send as a number.
  if (typeof key === 'number' && !NUMERIC_TYPES.has(dataClass.key.type))
    return parseKeyText(dataClass, String(key))
  throw malformed(dataClass, JSON.stringify(key) ?? String(key), 'it must be text or a number')
}

function unwrapKey(dataClass: ClassModel, json: object | null): unknown {
  if (json === null || Array.isArray(json)) return json
  return Object.hasOwn(json, dataClass.key.name)
    ? new Map(Object.entries(json)).get(dataClass.key.name)
    : json
}

/**
 * Integers in canonical form: nearly all keys. Formatting a number takes longer than finding its
 * entity.
 */
const PLAIN_INTEGER = /^(?:0|[1-9]\d{0,14})$/

/** Parses text as a value of an attribute's type; null if it is invalid. */
function textToValue(attribute: StorageAttribute, text: string): KeyValue | boolean | null {
  if (NUMERIC_TYPES.has(attribute.type)) {
    const number = Number(text)
    const isExact = PLAIN_INTEGER.test(text) || (Number.isFinite(number) && String(number) === text)
    return isExact && (attribute.type !== 'long64' || Number.isSafeInteger(number)) ? number : null
  }
  if (attribute.type === 'bool') return text === 'true' ? true : text === 'false' ? false : null
  return text
}

/** `key` is the text as it was sent. */
function malformed(dataClass: ClassModel, key: string, problem: string): EntiaError {
  return restError('keyMalformed', {
    dataClass: dataClass.name,
    key: key.length > 100 ? `${key.slice(0, 100)}…` : key,
    problem,
  })
}

/**
 * The entity that an address names. Throws keyMalformed, attributeListInvalid for an unknown
 * attribute, attributeNotApplicable.
 */
export function toReference(
  dataClass: ClassModel,
  selector: EntitySelector,
  names: Names,
): EntityReference {
  if (selector.kind === 'key')
    return { kind: 'key', dataClass, key: parseKeyText(dataClass, selector.text) }
  const attribute = findSelectorAttribute(dataClass, selector.attribute, names)
  const value = textToValue(attribute, selector.text)
  if (value === null)
    throw malformed(dataClass, selector.text, `"${attribute.name}" is of type ${attribute.type}`)
  return { kind: 'attribute', dataClass, attribute, value }
}

function findSelectorAttribute(
  dataClass: ClassModel,
  name: string,
  names: Names,
): StorageAttribute {
  let attribute: AttributeModel
  try {
    attribute = names.attribute(dataClass, name)
  } catch (cause) {
    throw restError(
      'attributeListInvalid',
      { dataClass: dataClass.name, attribute: name.slice(0, 100) },
      { cause },
    )
  }
  if (attribute.kind === 'storage' && !['object', 'image', 'blob'].includes(attribute.type))
    return attribute
  throw new EntiaError('attributeNotApplicable', {
    dataClass: dataClass.name,
    attribute: name,
    use: 'naming an entity',
    remedy: 'Use a stored attribute that holds plain values, or $filter.',
  })
}

/** Formats a reference for messages. */
export function referenceText(reference: EntityReference): string {
  return String(reference.kind === 'key' ? reference.key : reference.value)
}

/**
 * The error for an addressed entity that does not exist. `problem` replaces the standard message.
 */
export function cannotBeLoaded(
  reference: EntityReference,
  problem: string | null = null,
): EntiaError {
  const details = { dataClass: reference.dataClass.name, key: referenceText(reference) }
  return restError('entityCannotBeLoaded', problem === null ? details : { ...details, problem })
}
