import type { EntiaError } from '@entia/core'
import { restError } from '../errors/rest-error.ts'
import { depthOfValue, parseJsonText, tooDeep } from './json-text.ts'
import { type Limits, refuseOver } from './limits.ts'
import { refuseForeignNames } from './parameter-values.ts'

/** One entity in a body: the sender's own property names, not checked yet. */
export type BodyEntity = ReadonlyMap<string, unknown>

/** A body: one entity, an array of them, or nothing. The answer has the same form. */
export type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly entity: BodyEntity }
  | { readonly kind: 'many'; readonly entities: readonly BodyEntity[] }

/** The body from the transport: text or bytes as received, or a value that the host has parsed. */
export type RawBody =
  | { readonly kind: 'text'; readonly text: string; readonly contentType: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly contentType: string }
  | { readonly kind: 'parsed'; readonly value: unknown }

/**
 * Reads a body as JSON, whatever its content type; undefined for an empty one. Throws
 * bodyMalformed, bodyTooLarge, mediaTypeUnsupported.
 */
export function parseJsonBody(raw: RawBody, limits: Limits): unknown {
  if (raw.kind === 'parsed') return presentOf(raw.value)
  const text = textOf(raw, limits)
  const mediaType = mediaTypeOf(raw.contentType)
  if (mediaType.startsWith('multipart/')) throw restError('mediaTypeUnsupported', { mediaType })
  const json = mediaType === 'application/x-www-form-urlencoded' ? undoFormEscapes(text) : text
  if (json.trim() === '') return undefined
  const refuse = (problem: string, isJson: boolean): EntiaError =>
    !isJson && /^(application\/octet-stream$|image\/|audio\/|video\/)/.test(mediaType)
      ? restError('mediaTypeUnsupported', { mediaType: mediaType.slice(0, 40) })
      : malformed(problem)
  return parseJsonText(json, limits.maxJsonDepth, refuse, BODY_LEVELS)
}

/** The text of a body that was not parsed yet. Throws bodyMalformed, bodyTooLarge. */
export function textOf(raw: Exclude<RawBody, { kind: 'parsed' }>, limits: Limits): string {
  return raw.kind === 'text' ? raw.text : decodeUtf8(raw.bytes, limits)
}

/**
 * Reads a body as entities. `{"__ENTITIES":[…]}` means the array, `{"__ENTITIES":{…}}` the one
 * entity. Throws what `parseJsonBody` throws, budgetExceeded.
 */
export function parseBody(raw: RawBody, limits: Limits): Body {
  const value = parseJsonBody(raw, limits)
  if (value === undefined) return { kind: 'none' }
  const entities = Array.isArray(value) ? value : listedIn(value)
  if (!Array.isArray(entities)) return { kind: 'one', entity: toEntity(entities, limits) }
  refuseOver(entities.length, 'entities in the body', 'maxItems', limits)
  return { kind: 'many', entities: entities.map((entity) => toEntity(entity, limits)) }
}

/** Without the `stream` option it is stateless. */
const decoder = new TextDecoder('utf-8', { fatal: true })

/** A body that was declared as an image may exceed the limit for JSON. */
function decodeUtf8(bytes: Uint8Array, { maxBodyBytes }: Limits): string {
  if (bytes.length > maxBodyBytes)
    throw restError('bodyTooLarge', { limit: maxBodyBytes, option: 'limits.maxBodyBytes' })
  try {
    return decoder.decode(bytes)
  } catch {
    throw malformed('it is not UTF-8')
  }
}

/** Hosts that parse bodies pass blank text for an empty one. */
function presentOf(value: unknown): unknown {
  return value === '' ? undefined : value
}

/**
 * The content of `__ENTITIES`, or the value itself without such a member. Other members are
 * ignored.
 */
function listedIn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, '__ENTITIES'))
    return value
  refuseForeignNames(Object.keys(value))
  for (const name of Object.keys(value))
    if (!name.startsWith('__') && name !== 'uri')
      throw malformed(`"${name.slice(0, 100)}" is next to __ENTITIES: put it into the entity`)
  const { __ENTITIES: listed } = value as { readonly __ENTITIES: unknown }
  if (
    typeof listed !== 'object' ||
    listed === null ||
    Object.keys(listed).length + (Array.isArray(listed) ? 1 : 0) === 0
  )
    throw malformed('"__ENTITIES" must be an array of entities, or one entity')
  return listed
}

function toEntity(value: unknown, limits: Limits): BodyEntity {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed('it must be an object or an array of objects')
  const entity = new Map<string, unknown>()
  const members = value as { readonly [name: string]: unknown }
  // Own properties only.
  for (const name of Object.keys(members)) {
    const inner = members[name]
    if (typeof inner === 'object' && inner !== null) {
      const isTooDeep = depthOfValue(inner, limits.maxJsonDepth) > limits.maxJsonDepth
      if (isTooDeep || ENTITY_NAMES.has(name)) throw entityRefused(members, limits)
    }
    entity.set(name, inner)
  }
  return entity
}

const ENTITY_NAMES: ReadonlySet<string> = new Set(['__ENTITIES', '__ENTITY', '__deferred'])

/** Members that contain or stand for other entities come first: nothing of them would be saved. */
function entityRefused(members: { readonly [name: string]: unknown }, limits: Limits): EntiaError {
  for (const name of ENTITY_NAMES)
    if (Object.hasOwn(members, name) && typeof members[name] === 'object' && members[name] !== null)
      return malformed(`"${name}" stands inside an entity`)
  return malformed(tooDeep(limits.maxJsonDepth))
}

const malformed = (problem: string): EntiaError => restError('bodyMalformed', { problem })

/** The most levels that a body has around the values of an entity: `{"__ENTITIES":[{…}]}`. */
const BODY_LEVELS = 3

const FORM_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['%21', '!'],
  ['%27', "'"],
  ['%28', '('],
  ['%29', ')'],
  ['%2a', '*'],
])

/** Some clients declare JSON as a form and escape exactly these five characters. */
function undoFormEscapes(text: string): string {
  return text.replace(/%(?:2[1789a])/gi, (code) => FORM_ESCAPES.get(code.toLowerCase()) ?? code)
}

/**
 * The media type of a `Content-Type` header, without parameters and in lower case; blank without a
 * header.
 */
export function mediaTypeOf(contentType: string): string {
  const end = contentType.indexOf(';')
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase()
}
