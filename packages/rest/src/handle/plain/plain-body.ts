import {
  type AttributeModel,
  type ClassModel,
  EntiaError,
  type Ids,
  type StorageAttribute,
} from '@entia/core'
import { coerceInput, coerceLiteral, Refusal } from '@entia/core/kit'
import { isDateOnly, isRelation, type Names, NUMERIC_TYPES, typeOf } from '../../engine/names.ts'
import { isHiddenMember, relationOfKeyMember } from '../../engine/plain-members.ts'
import { restError } from '../../errors/rest-error.ts'
import { mediaTypeOf, parseJsonBody, type RawBody, textOf } from '../../request/body.ts'
import type { Limits } from '../../request/limits.ts'
import { valuesOf } from '../../request/plain-parameters.ts'

/** What a body of the plain interface is read for. */
export interface PlainWrite {
  readonly dataClass: ClassModel
  readonly names: Names
  readonly limits: Limits
  /** The key in the address as text; null for a creation. */
  readonly key: string | null
  /** True if members that are not given become null. */
  readonly replaces: boolean
  readonly others: string | null
  /** The relation to the entity in the address, as in `POST posts/1/comments`, with its key. */
  readonly parent: { readonly relation: string; readonly key: string } | null
  readonly ids: Pick<Ids, 'uuid'>
}

/** A body in the form that the entity interface takes. */
export interface PlainBody {
  readonly values: Map<string, unknown>
  /** Members for the object attribute `others`. */
  readonly further: ReadonlyMap<string, unknown>
}

/**
 * Reads the object in a body. Throws bodyMalformed, attributeNotFound for a member without an
 * attribute.
 */
export function readPlainBody(raw: RawBody, write: PlainWrite): PlainBody {
  const { dataClass, names, others, key, replaces, parent } = write
  const values = new Map<string, unknown>()
  const further = new Map<string, unknown>()
  for (const [member, given] of membersOf(raw, write)) {
    if (member === dataClass.key.name && isOwnKey(member, given, key)) continue
    if (member === '__STAMP') {
      values.set(member, given)
      continue
    }
    const relation = relationOfKeyMember(dataClass, member, names)
    const attribute = relation ?? names.find(dataClass, member)
    const isOwn = attribute !== undefined && member !== '__KEY' && member !== others
    const storage = attribute?.kind === 'storage' ? attribute : null
    const value = storage === null ? given : asNumber(storage, given)
    const isKept = others !== null && !isHiddenMember(dataClass, member, names)
    if (!isKept || (isOwn && fits(attribute, value))) {
      if (!isOwn) throw names.unknown(dataClass, member)
      const isNumber = isKept && typeof value === 'number' && hasTextKey(attribute)
      // Ids that are texts are compared as texts; the number remains for the answer.
      values.set(relation?.name ?? member, isNumber ? String(value) : value)
      if (isNumber) further.set(member, value)
    } else {
      further.set(member, value)
      if (storage !== null && isOwn && !storage.key) values.set(member, null)
    }
  }
  if (replaces) addMissing(values, write)
  if (parent !== null) putParent(values, further, parent, dataClass)
  const { key: keyAttribute } = dataClass
  const needsKey = key === null && keyAttribute.type === 'string' && !values.has(keyAttribute.name)
  if (needsKey) values.set(keyAttribute.name, newKey(write.ids))
  return { values, further }
}

/** The members of the body: of a JSON object, or of a form. */
function membersOf(
  raw: RawBody,
  { limits, dataClass, names }: PlainWrite,
): Iterable<[string, unknown]> {
  const form = formText(raw, limits)
  if (form !== null) return formMembers(form, dataClass, names)
  const value = parseJsonBody(raw, limits)
  if (value === undefined) return []
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw restError('bodyMalformed', { problem: 'it must be one object' })
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

/** Keys come from addresses and forms as text, so digits for a numeric key become a number. */
function asNumber(attribute: StorageAttribute, value: unknown): unknown {
  const isKey =
    attribute.key ||
    [...attribute.owner.attributes.values()].some(
      (one) => one.kind === 'relatedEntity' && one.foreignKey === attribute,
    )
  return isKey &&
    typeof value === 'string' &&
    NUMERIC_TYPES.has(attribute.type) &&
    /^-?(?:0|[1-9]\d{0,14})$/.test(value)
    ? Number(value)
    : value
}

/** True for a key of texts, and for a relation to an entity with such a key. */
const hasTextKey = (attribute: NonNullable<ReturnType<Names['find']>>): boolean =>
  attribute.kind === 'relatedEntity'
    ? attribute.target.key.type === 'string'
    : attribute.kind === 'storage' && attribute.key && attribute.type === 'string'

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
      return typeof value === 'object'
    default:
      return typeof value === 'string'
  }
}

/**
 * PUT replaces the entity: attributes without a value in the body become null, except images and
 * BLOBs.
 */
function addMissing(values: Map<string, unknown>, { dataClass, names, others }: PlainWrite): void {
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

/** The entity in the address wins over the body. */
function putParent(
  values: Map<string, unknown>,
  further: Map<string, unknown>,
  { relation, key }: NonNullable<PlainWrite['parent']>,
  dataClass: ClassModel,
): void {
  const attribute = dataClass.attributes.get(relation)
  if (attribute?.kind !== 'relatedEntity') return
  values.delete(attribute.foreignKey.name)
  further.delete(attribute.foreignKey.name)
  values.set(relation, key)
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
