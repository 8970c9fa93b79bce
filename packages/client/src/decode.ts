import { mustBe } from './check-input.ts'
import { withMarks } from './marks.ts'
import type { RemoteAttribute, RemoteModel } from './remote-catalog.ts'

/** A JSON object of a response. */
export type Wire = Readonly<Record<string, unknown>>

/**
 * The entity that callers get: its marks, and its attributes above them. Null for a deleted member.
 */
export function decodeEntity(wire: Wire, model: RemoteModel): Wire | null {
  if (!('__KEY' in wire)) return null
  return withMarks(marksOn(wire, model), decodeValues(wire, model), model) as Wire
}

const marksOn = (wire: Wire, { key }: RemoteModel) => ({
  key: keyFrom(wire.__KEY, key) as string | number,
  stamp: wire.__STAMP as number,
  timestamp: wire.__TIMESTAMP,
})

/** The names in a list of paths, each with what the paths name below it. */
export interface PathTree extends Map<string, PathTree> {}

/** Throws a TypeError unless the paths are a text. */
export function pathTree(paths: string): PathTree {
  if (typeof paths !== 'string')
    throw mustBe('The paths of select()', 'a text, such as "lastName, employer.name"', paths)
  const tree: PathTree = new Map()
  for (const path of paths.split(','))
    path
      .trim()
      .split('.')
      .reduce((at, name) => at.get(name) ?? at.set(name, new Map()).get(name)!, tree)
  return tree
}

/**
 * The attributes of an entity. Expanded relations hold plain values. With the paths of a `select`,
 * the marks that they name, and no relation that they do not name: `*` means values.
 */
export function decodeValues(wire: Wire, model: RemoteModel, paths?: PathTree): Wire {
  const values: Record<string, unknown> = {}
  const marks = marksOn(wire, model)
  for (const [name, mark] of Object.entries({ ...marks, __KEY: marks.key }))
    if (paths?.has(name)) values[name] = mark
  for (const [name, value] of Object.entries(wire)) {
    const attribute = model.attributes.get(name)
    if (attribute === undefined) {
      if (!OWN_MEMBER.test(name)) model.models.unknown.add(`${model.name}.${name}`)
      continue
    }
    if (attribute === model.key && isKeyMark(name, paths)) continue
    const below = paths?.get(name)
    if (paths && !below && attribute.kind.startsWith('related')) continue
    const decoded = decodeValue(value, attribute, model, below)
    if (decoded !== undefined) values[name] = decoded
  }
  return values
}

/** True if the server sent the key attribute only because the paths name it `__KEY`. */
const isKeyMark = (name: string, paths: PathTree | undefined): boolean =>
  paths?.has('__KEY') === true && !paths.has(name) && !paths.has('*')

/** The protocol's own members of an entity. */
const OWN_MEMBER = /^(__\w+|uri)$/

/** A value as entities show it; undefined for a to-many relation that was not expanded. */
export function decodeValue(
  value: unknown,
  { kind, type, isDay }: RemoteAttribute,
  { models }: RemoteModel,
  paths?: PathTree,
): unknown {
  if (typeof value === 'string') return isDay ? dayOf(value) : value
  if (typeof value !== 'object' || value === null) return value
  if (kind === 'relatedEntity' || kind === 'relatedEntities')
    return decodeRelation(value as Wire, models.byName.get(type), paths)
  if (type === 'image' || type === 'blob') {
    const { __deferred: deferred } = value as { readonly __deferred?: { readonly uri: string } }
    return deferred === undefined ? value : models.media(deferred.uri)
  }
  return value
}

/** `target` is undefined for a dataclass that the user may not see. */
function decodeRelation(
  wire: Wire,
  target: RemoteModel | undefined,
  paths: PathTree | undefined,
): unknown {
  const { __ENTITIES: list, __deferred: deferred } = wire as {
    readonly __ENTITIES?: readonly Wire[]
    readonly __deferred?: { readonly __KEY?: string }
  }
  if (deferred !== undefined) {
    const { __KEY: key } = deferred
    if (key === undefined) return undefined
    return { key: target === undefined ? key : keyFrom(key, target.key) }
  }
  if (target === undefined) return undefined
  return list === undefined
    ? decodeValues(wire, target, paths)
    : list.map((each) => decodeValues(each, target, paths))
}

/** Converts a key's text to the type of the key attribute. */
export const keyFrom = (key: unknown, { type }: RemoteAttribute): unknown =>
  type === 'string' || type === 'uuid' ? key : Number(key)

/** Converts the forms in which servers write calendar dates to ISO 8601. */
export function dayOf(text: string): string {
  // Aggregates write a day as a date-time.
  const [, iso] = /^!!(.{10,})!!$/.exec(text) ?? /^([^!]+)T/.exec(text) ?? []
  if (iso !== undefined) return iso
  const parts = /^(\d{1,2})!(\d{1,2})!([+-]\d{6}|\d{1,6})$/.exec(text)
  if (parts === null) return text
  const [, day = '', month = '', year = ''] = parts
  return `${year.padStart(4, '0')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}
