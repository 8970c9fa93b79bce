import { withMarks } from './marks.ts'
import type { RemoteAttribute, RemoteCatalog, RemoteModel } from './remote-catalog.ts'

/** A JSON object of a response. */
export type Wire = Readonly<Record<string, unknown>>

/**
 * The entity that callers get: its marks, and its attributes above them. Null for a deleted member.
 */
export function decodeEntity(wire: Wire, model: RemoteModel): Wire | null {
  if (!('__KEY' in wire)) return null
  const key = keyFrom(wire.__KEY, model.key) as string | number
  const marks = { key, stamp: wire.__STAMP as number, timestamp: wire.__TIMESTAMP }
  return withMarks(marks, decodeValues(wire, model), model) as Wire
}

/**
 * The attributes of an entity. Expanded relations hold plain values if `models` has their
 * dataclass.
 */
export function decodeValues(
  wire: Wire,
  model: RemoteModel,
  models: ReadonlyMap<string, RemoteModel> = new Map(),
): Wire {
  const values: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(wire)) {
    const attribute = model.attributes.get(name)
    // The protocol's own members, such as __KEY, are not attributes.
    if (attribute === undefined) continue
    const decoded = decodeValue(value, attribute, models)
    if (decoded !== undefined) values[name] = decoded
  }
  return values
}

/** The dataclasses that an attribute list may lead to, by name. */
export async function modelsOf(
  catalog: RemoteCatalog,
  model: RemoteModel,
  paths: string,
): Promise<ReadonlyMap<string, RemoteModel>> {
  const models = new Map<string, RemoteModel>()
  for (const path of paths.split(',')) {
    let at = model
    for (const name of path.trim().split('.').slice(0, -1)) {
      const relation = at.attributes.get(name)
      if (relation === undefined || !relation.kind.startsWith('related')) break
      at = await catalog.model(relation.type)
      models.set(at.name, at)
    }
  }
  return models
}

function decodeValue(
  value: unknown,
  { kind, type, isDay }: RemoteAttribute,
  models: ReadonlyMap<string, RemoteModel>,
): unknown {
  if (typeof value === 'string') return isDay ? dayOf(value) : value
  if (typeof value !== 'object' || value === null) return value
  if (kind === 'relatedEntity' || kind === 'relatedEntities')
    return decodeRelation(value as Wire, type, models)
  if (type === 'image' || type === 'blob') {
    const { __deferred: deferred } = value as { readonly __deferred?: { readonly uri: string } }
    return deferred === undefined ? value : { uri: deferred.uri }
  }
  return value
}

/** Returns undefined for a to-many relation that was not expanded. */
function decodeRelation(
  wire: Wire,
  type: string,
  models: ReadonlyMap<string, RemoteModel>,
): unknown {
  const model = models.get(type)
  const { __ENTITIES: list, __deferred: deferred } = wire as {
    readonly __ENTITIES?: readonly Wire[]
    readonly __deferred?: { readonly __KEY?: string }
  }
  if (list !== undefined)
    return model === undefined ? undefined : list.map((each) => decodeValues(each, model, models))
  if (deferred === undefined)
    return model === undefined ? undefined : decodeValues(wire, model, models)
  return deferred.__KEY === undefined ? undefined : { key: deferred.__KEY }
}

/** Converts a key's text to the type of the key attribute. */
export const keyFrom = (key: unknown, { type }: RemoteAttribute): unknown =>
  type === 'string' || type === 'uuid' ? key : Number(key)

/** Converts both forms in which servers write calendar dates to ISO 8601. */
function dayOf(text: string): string {
  const bangs = /^!!(.{10,})!!$/.exec(text)
  if (bangs !== null) return bangs[1] ?? text
  const parts = /^(\d{1,2})!(\d{1,2})!(\d{1,6})$/.exec(text)
  if (parts === null) return text
  const [, day = '', month = '', year = ''] = parts
  return `${year.padStart(4, '0')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}
