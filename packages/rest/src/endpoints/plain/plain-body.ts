import {
  type AttributeModel,
  type ClassModel,
  EntiaError,
  type Ids,
  type StorageAttribute,
  type ToOneAttribute,
} from '@entia/core'
import { coerceInput, coerceLiteral, Refusal } from '@entia/core/internal'
import { isDateOnly, isRelation, type Names, NUMERIC_TYPES, typeOf } from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'
import { mediaTypeOf, parseJsonBody, type RawBody, textOf } from '../../request/body.ts'
import { isJsonObject } from '../../request/json-text.ts'
import type { Limits } from '../../request/limits.ts'
import { valuesOf } from '../../request/plain-head.ts'
import {
  hasStorableNames,
  isHiddenMember,
  type PlainMember,
  placesOf,
  plainKeyMember,
  relationOfKeyMember,
} from '../context/plain-members.ts'
import type { Place } from './resources.ts'

/** What a body is read for. */
export interface PlainWrite {
  /** The key in the address as text; null for a creation. */
  readonly key: string | null
  /** True if members that are not given become null. */
  readonly replaces: boolean
  readonly ids: Pick<Ids, 'uuid'>
}

/** A body in the form that the entity interface takes. */
export interface PlainBody {
  readonly values: Map<string, unknown>
  /** The members of the body that are shown in answers, in its order. */
  readonly members: Map<string, PlainMember>
}

/**
 * Reads the object in a body. Throws bodyMalformed, attributeNotFound for a member without an
 * attribute.
 */
export function readPlainBody(
  raw: RawBody,
  { key, replaces, ids }: PlainWrite,
  place: Place,
): PlainBody {
  const { dataClass, names, others, parent, resource } = place
  // A singular resource shows no key, so `others` can keep a member of its name.
  const shownKey = resource.only !== null && others !== null ? null : dataClass.key.name
  const values = new Map<string, unknown>()
  const members = new Map<string, PlainMember>()
  const places = placesOf(dataClass, names)
  const show = (name: string, kept?: unknown): void => {
    const place = places.get(name) ?? -1
    if (place >= 0 || kept !== undefined) members.set(name, { name, place, kept })
  }
  for (const [member, given] of membersOf(raw, place)) {
    if (member === shownKey && isOwnKey(member, given, key)) {
      if (key !== null) show(member)
      continue
    }
    if (member === '__STAMP') {
      values.set(member, given)
      continue
    }
    const relation = relationOfKeyMember(dataClass, member, names)
    const attribute = relation ?? names.find(dataClass, member)
    const isShown = attribute !== dataClass.key || shownKey !== null
    const isOwn = attribute !== undefined && member !== '__KEY' && member !== others && isShown
    const storage = attribute?.kind === 'storage' ? attribute : null
    const isKept = others !== null && !isHiddenMember(dataClass, member, names)
    const held = isOwn ? keyHeldIn(attribute) : null
    const value = storage !== null && held !== null ? asNumber(storage, given) : given
    // Ids that are texts are compared as texts; the number remains for the answer.
    const isNumber = isKept && typeof value === 'number' && held?.type === 'string'
    const stored = isNumber ? String(value) : value
    if (!isKept || (isOwn && fits(attribute, stored))) {
      if (!isOwn) throw names.unknown(dataClass, member)
      values.set(relation?.name ?? member, stored)
      show(member, isNumber ? value : undefined)
    } else {
      show(member, value)
      if (storage !== null && isOwn && !storage.key) values.set(member, null)
    }
  }
  if (replaces) addMissing(values, place)
  if (parent !== null) {
    // The entity in the address wins over the body.
    values.delete(parent.relation.foreignKey.name)
    values.set(parent.relation.name, parent.key)
    show(keyMemberOf(parent.relation))
  }
  const { key: keyAttribute } = dataClass
  const needsKey = key === null && keyAttribute.type === 'string' && !values.has(keyAttribute.name)
  if (needsKey) values.set(keyAttribute.name, newKey(ids))
  return { values, members }
}

/** The member that shows the key of a to-one relation. */
export const keyMemberOf = (relation: ToOneAttribute): string =>
  plainKeyMember(relation) ?? relation.foreignKey.name

/** The members of the body: of a JSON object, or of a form. */
function membersOf(raw: RawBody, { limits, dataClass, names }: Place): Iterable<[string, unknown]> {
  const form = formText(raw, limits)
  if (form !== null) return formMembers(form, dataClass, names)
  const value = parseJsonBody(raw, limits)
  if (value === undefined) return []
  if (!isJsonObject(value)) throw restError('bodyMalformed', { problem: 'it must be one object' })
  return Object.entries(value)
}

/** The text of a form; null for JSON, which some clients declare as a form. */
function formText(raw: RawBody, limits: Limits): string | null {
  if (raw.kind === 'parsed') return null
  if (mediaTypeOf(raw.contentType) !== 'application/x-www-form-urlencoded') return null
  const text = textOf(raw, limits)
  return /^\s*[{[]/.test(text) ? null : text
}

/**
 * The fields of a form are texts, which are read as literals of filters are. A blank is null,
 * except for texts. Throws valueInvalid for text that is not a literal of the attribute's type.
 */
function* formMembers(
  text: string,
  dataClass: ClassModel,
  names: Names,
): Generator<[string, unknown], void, undefined> {
  for (const [name, [value = '']] of valuesOf(text)) {
    const attribute =
      relationOfKeyMember(dataClass, name, names) ?? names.find(dataClass, name) ?? null
    yield [name, attribute === null ? value : formValue(attribute, value)]
  }
}

function formValue(attribute: AttributeModel, text: string): unknown {
  if (isRelation(attribute)) return text.trim() === '' ? null : text
  const type = typeOf(attribute)
  if (type === 'string') return text
  const literal = text.trim()
  if (literal === '') return null
  // Browsers send this for a checkbox without a value.
  if (type === 'bool' && literal === 'on') return true
  // The attribute takes no literal: the write refuses the text.
  if (type === 'object' || type === 'image' || type === 'blob') return text
  const read = coerceLiteral(type, isDateOnly(attribute), literal)
  // A filter compares whole numbers with any number; a stored one must be whole.
  const value = read instanceof Refusal || type === 'date' ? read : coerceInput(type, false, read)
  // A date stays text: the number of a stored date has another unit than one in a body.
  if (!(value instanceof Refusal)) return type === 'date' ? literal : value
  throw new EntiaError('valueInvalid', {
    dataClass: attribute.owner.name,
    attribute: attribute.name,
    expected: value.expected,
    found: value.found,
  })
}

/** True for the key in the address, and for null. Throws bodyMalformed for another key. */
function isOwnKey(member: string, value: unknown, key: string | null): boolean {
  if (value === null) return true
  if (key === null) return false
  if (String(value) === key) return true
  throw restError('bodyMalformed', { problem: `its "${member}" is not the one in the address` })
}

/** The key that an attribute holds: its own, or that of the entity to which it leads. */
function keyHeldIn(attribute: AttributeModel): StorageAttribute | null {
  if (attribute.kind === 'relatedEntity') return attribute.target.key
  if (attribute.kind !== 'storage') return null
  if (attribute.key) return attribute
  for (const one of attribute.owner.attributes.values())
    if (one.kind === 'relatedEntity' && one.foreignKey === attribute) return one.target.key
  return null
}

/** Keys come from addresses and forms as text, so digits for a numeric key become a number. */
const asNumber = ({ type }: StorageAttribute, value: unknown): unknown =>
  typeof value === 'string' && NUMERIC_TYPES.has(type) && /^(?:0|-?[1-9]\d{0,14})$/.test(value)
    ? Number(value)
    : value

/**
 * Whether an attribute can store a value; null is stored among the others, to tell it from none.
 */
function fits(attribute: ReturnType<Names['find']>, value: unknown): boolean {
  if (attribute === undefined) return false
  // A to-many relation takes no value: the write refuses it, or ignores the form of a read.
  if (isRelation(attribute)) return true
  if (attribute.kind !== 'storage') return true
  if (value === null) return false
  if (attribute.key) return true
  switch (attribute.type) {
    case 'long':
      return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 31
    case 'long64':
      return Number.isSafeInteger(value)
    case 'number':
    case 'duration':
      return typeof value === 'number'
    case 'bool':
      return typeof value === 'boolean'
    case 'object':
      return typeof value === 'object' && hasStorableNames(value)
    default:
      return typeof value === 'string'
  }
}

/**
 * PUT replaces the entity: attributes without a value in the body become null, except images and
 * BLOBs.
 */
function addMissing(values: Map<string, unknown>, { dataClass, names, others }: Place): void {
  for (const attribute of names.attributes(dataClass)) {
    const { name } = attribute
    if (values.has(name) || name === others) continue
    if (attribute.kind === 'relatedEntity') {
      if (attribute.foreignKey.hidden) values.set(name, null)
    } else if (attribute.kind === 'storage') {
      const { key, readOnly, type } = attribute
      if (!key && !readOnly && type !== 'image' && type !== 'blob') values.set(name, null)
    }
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Seven characters of 6 bits, from the first 42 bits of a UUID, which are random. */
function newKey({ uuid }: Pick<Ids, 'uuid'>): string {
  let bits = BigInt(`0x${uuid().replaceAll('-', '').slice(0, 12)}`)
  let key = ''
  for (let at = 0; at < 7; at++) {
    key += ALPHABET[Number(bits & 63n)]
    bits >>= 6n
  }
  return key
}
