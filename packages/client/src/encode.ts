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
  { kind, type }: RemoteAttribute,
  { models }: RemoteModel,
): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (kind === 'relatedEntity') {
    const key = referredKey(value, models.byName.get(type))
    return key === undefined ? value : key === null ? key : { __KEY: String(key) }
  }
  if (type !== 'image' && type !== 'blob') return value
  return encodeMedia(value, type === 'image') ?? value
}

/** The key of a related entity or reference; undefined for an object with its own key attribute. */
function referredKey(value: object, target: RemoteModel | undefined): unknown {
  const carried = carriedMarks(value)
  if (carried !== null) return carried.key
  const isReference = target?.hidesMarks === false || Object.keys(value).length === 1
  return isReference && 'key' in value ? value.key : undefined
}
