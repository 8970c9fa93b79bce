import type { Wire } from './decode.ts'
import { carriedMarks } from './marks.ts'
import { encodeMedia } from './media-upload.ts'
import type { RemoteAttribute, RemoteModel } from './remote-catalog.ts'

/**
 * Converts values to the form that the server takes, except new media, which become uploads.
 * Callers may pass an entity as they read it: its relations and media are sent back unchanged.
 * `withoutMarks` drops the marks that are not attributes.
 */
export function encodeValues(
  values: object,
  model: RemoteModel,
  withoutMarks = isEntity(values),
): Wire {
  const body: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    const attribute = model.attributes.get(name)
    if (attribute !== undefined) body[name] = encodeValue(value, attribute, model)
    else if (!withoutMarks || !MARK_NAMES.has(name)) {
      // Unknown names are sent too: the server refuses them with its own message.
      body[name] = value
      if (name.startsWith('__')) continue
      // JSON would leave undefined out, and the server would not refuse the name.
      body[name] ??= null
      model.models.unknown.add(`${model.name}.${name}`)
    }
  }
  return body
}

const isEntity = (values: object): boolean =>
  'key' in values && 'stamp' in values && 'timestamp' in values

const MARK_NAMES: ReadonlySet<string> = new Set(['key', 'stamp', 'timestamp'])

function encodeValue(
  value: unknown,
  { name, kind, type }: RemoteAttribute,
  { models }: RemoteModel,
): unknown {
  // The server refuses the text of these as it refuses any other wrong value.
  if (typeof value === 'number' && !Number.isFinite(value) && NUMBERS.has(type))
    return String(value)
  if (value instanceof Date && Number.isNaN(value.getTime()) && type === 'date')
    return String(value)
  if (kind === 'relatedEntity') return encodeReference(value, name, models.byName.get(type))
  if (typeof value !== 'object' || value === null) return value
  if (type === 'object') refuseInstances(value, name)
  else if (value instanceof Date && type !== 'date')
    throw new TypeError(`"${name}" takes a ${type}, not a Date.`)
  if (type !== 'image' && type !== 'blob') return value
  return encodeMedia(value, type === 'image') ?? value
}

function encodeReference(value: unknown, name: string, target: RemoteModel | undefined): unknown {
  const isObject = typeof value === 'object' && value !== null
  const key = isObject ? referredKey(value, target) : value
  // The server also takes the text of a number, and its own form of a key.
  const isText = typeof key === 'string' && NUMBERS.has(target?.key.type ?? '')
  if (isText || (isObject && '__KEY' in value))
    throw new TypeError(`"${name}" must be an entity, its key or null.`)
  if (!isObject || key === null) return key
  return key === undefined ? value : { __KEY: String(key) }
}

const NUMBERS: ReadonlySet<string> = new Set(['long', 'long64', 'number'])

/**
 * JSON would make something else of an instance of a class: of a Date its text. What is deeper than
 * any object may be is left to the server, and a circle to JSON.
 */
function refuseInstances(value: object, name: string, depth = 64): void {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (!Array.isArray(value) && prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw new TypeError(`"${name}" holds a Date or another instance of a class.`)
  for (const each of Object.values(value))
    if (typeof each === 'object' && each !== null && depth > 0)
      refuseInstances(each, name, depth - 1)
}

/** The key of a related entity or reference; undefined for an object with its own key attribute. */
function referredKey(value: object, target: RemoteModel | undefined): unknown {
  const carried = carriedMarks(value)
  if (carried !== null) return carried.key
  const isReference = target?.hidesMarks === false || Object.keys(value).length === 1
  return isReference && 'key' in value ? value.key : undefined
}
