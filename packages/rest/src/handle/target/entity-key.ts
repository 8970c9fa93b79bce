import { type AttributeModel, type ClassModel, EntiaError, type StorageAttribute } from '@entia/core'
import { type Names, NUMERIC_TYPES } from '../../engine/names.ts'
import type { EntityReference, KeyValue } from '../../engine/selection-source.ts'
import { restError } from '../../errors/rest-error.ts'
import type { EntitySelector } from '../../request/address.ts'

/**
 * A key as text, of the key attribute's type. A number must be written as it prints: `007`, `1e3` and integers that a
 * number cannot hold are malformed rather than another entity's key. Throws keyMalformed.
 */
function parseKeyText(dataClass: ClassModel, text: string): KeyValue {
  if (text === '') throw malformed(dataClass, text, 'a key cannot be empty')
  const value = textToValue(dataClass.key, text)
  if (value === null || typeof value === 'boolean')
    throw malformed(dataClass, text, `the key is of type ${dataClass.key.type}`)
  return value
}

/** A key in JSON: text, number, or `{"<keyAttribute>": key}`. Throws keyMalformed. */
export function parseKeyJson(dataClass: ClassModel, json: unknown): KeyValue {
  const key = unwrapKey(dataClass, json)
  if (typeof key === 'string') return parseKeyText(dataClass, key)
  if (typeof key === 'number' && NUMERIC_TYPES.has(dataClass.key.type) && Number.isFinite(key)) return key
  // A text key may be all digits, and a careless client sends it as a number.
  if (typeof key === 'number' && !NUMERIC_TYPES.has(dataClass.key.type)) return parseKeyText(dataClass, String(key))
  throw malformed(dataClass, JSON.stringify(key) ?? String(key), 'it must be text or a number')
}

function unwrapKey(dataClass: ClassModel, json: unknown): unknown {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json
  return Object.hasOwn(json, dataClass.key.name) ? new Map(Object.entries(json)).get(dataClass.key.name) : json
}

/** Integers that print as they are written, whatever they are: nearly all keys. To print one takes longer than to find its entity. */
const PLAIN_INTEGER = /^(?:0|[1-9]\d{0,14})$/

/** Text as a value of an attribute's type, or null when it is none. */
function textToValue(attribute: StorageAttribute, text: string): KeyValue | boolean | null {
  if (NUMERIC_TYPES.has(attribute.type)) {
    const number = Number(text)
    const isExact = PLAIN_INTEGER.test(text) || (Number.isFinite(number) && String(number) === text)
    return isExact && (attribute.type !== 'long64' || Number.isSafeInteger(number)) ? number : null
  }
  if (attribute.type === 'bool') return text === 'true' ? true : text === 'false' ? false : null
  return text
}

/** `key` as it was sent. */
function malformed(dataClass: ClassModel, key: string, problem: string): EntiaError {
  return restError('keyMalformed', {
    dataClass: dataClass.name,
    key: key.length > 100 ? `${key.slice(0, 100)}…` : key,
    problem,
  })
}

/** The entity an address names. Throws keyMalformed, attributeListInvalid for an unknown attribute, attributeNotApplicable. */
export function toReference(dataClass: ClassModel, selector: EntitySelector, names: Names): EntityReference {
  if (selector.kind === 'key') return { kind: 'key', dataClass, key: parseKeyText(dataClass, selector.text) }
  const attribute = findSelectorAttribute(dataClass, selector.attribute, names)
  const value = textToValue(attribute, selector.text)
  if (value === null) throw malformed(dataClass, selector.text, `"${attribute.name}" is of type ${attribute.type}`)
  return { kind: 'attribute', dataClass, attribute, value }
}

function findSelectorAttribute(dataClass: ClassModel, name: string, names: Names): StorageAttribute {
  let attribute: AttributeModel
  try {
    attribute = names.attribute(dataClass, name)
  } catch (cause) {
    throw restError('attributeListInvalid', { dataClass: dataClass.name, attribute: name.slice(0, 100) }, { cause })
  }
  if (attribute.kind === 'storage' && !['object', 'image', 'blob'].includes(attribute.type)) return attribute
  throw new EntiaError('attributeNotApplicable', {
    dataClass: dataClass.name,
    attribute: name,
    use: 'naming an entity',
    remedy: 'Use a stored attribute that holds plain values, or $filter.',
  })
}

/** How a key or value is written in messages. */
export function keyToText(key: KeyValue | boolean): string {
  return String(key)
}

/** What an address names, for messages. */
export function referenceText(reference: EntityReference): string {
  return keyToText(reference.kind === 'key' ? reference.key : reference.value)
}

/** The error for an entity that an address names and that does not exist; `problem` in the place of the usual words. */
export function cannotBeLoaded(reference: EntityReference, problem: string | null = null): EntiaError {
  const details = { dataClass: reference.dataClass.name, key: referenceText(reference) }
  return restError('entityCannotBeLoaded', problem === null ? details : { ...details, problem })
}
