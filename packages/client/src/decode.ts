import { withMarks } from './marks.ts'
import type { RemoteAttribute, RemoteCatalog, RemoteModel } from './remote-catalog.ts'

/** An object of an answer. */
export type Wire = Readonly<Record<string, unknown>>

/** An entity as it is handed out: its marks, and its attributes above them. Null for a member that was deleted. */
export function decodeEntity(wire: Wire, model: RemoteModel): Wire | null {
  if (!('__KEY' in wire)) return null
  const key = keyFrom(wire.__KEY, model.key) as string | number
  const marks = { key, stamp: wire.__STAMP as number, timestamp: wire.__TIMESTAMP }
  return withMarks(marks, decodeValues(wire, model), model) as Wire
}

/** The attributes of an entity alone. Relations that were expanded hold plain values of what they lead to, where `models` knows it. */
export function decodeValues(
  wire: Wire,
  model: RemoteModel,
  models: ReadonlyMap<string, RemoteModel> = new Map(),
): Wire {
  const values: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(wire)) {
    const attribute = model.attributes.get(name)
    // What the protocol adds is no attribute.
    if (attribute === undefined) continue
    const decoded = decodeValue(value, attribute, models)
    if (decoded !== undefined) values[name] = decoded
  }
  return values
}

/** Dataclasses that may lie behind an attribute list, by name. */
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
  if (kind === 'relatedEntity' || kind === 'relatedEntities') return decodeRelation(value as Wire, type, models)
  if (type === 'image' || type === 'blob') {
    const { __deferred: deferred } = value as { readonly __deferred?: { readonly uri: string } }
    return deferred === undefined ? value : { uri: deferred.uri }
  }
  return value
}

/** Undefined for the many that were not asked for. */
function decodeRelation(wire: Wire, type: string, models: ReadonlyMap<string, RemoteModel>): unknown {
  const model = models.get(type)
  const { __ENTITIES: list, __deferred: deferred } = wire as {
    readonly __ENTITIES?: readonly Wire[]
    readonly __deferred?: { readonly __KEY?: string }
  }
  if (list !== undefined) return model === undefined ? undefined : list.map((each) => decodeValues(each, model, models))
  if (deferred === undefined) return model === undefined ? undefined : decodeValues(wire, model, models)
  return deferred.__KEY === undefined ? undefined : { key: deferred.__KEY }
}

/** A key as the model has it, of its text. */
export const keyFrom = (key: unknown, { type }: RemoteAttribute): unknown =>
  type === 'string' || type === 'uuid' ? key : Number(key)

/** Either form in which servers write calendar dates, as ISO 8601. */
function dayOf(text: string): string {
  const bangs = /^!!(.{10,})!!$/.exec(text)
  if (bangs !== null) return bangs[1] ?? text
  const parts = /^(\d{1,2})!(\d{1,2})!(\d{1,6})$/.exec(text)
  if (parts === null) return text
  const [, day = '', month = '', year = ''] = parts
  return `${year.padStart(4, '0')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}
