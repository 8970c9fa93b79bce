import { column, type Names, type Place } from './place.ts'
import {
  type ClassName,
  keyAttributeOf,
  type RelationAttribute,
  resolveAlias,
  SHAPES,
  type ValueType,
} from './schema.ts'
import { raw, type Sql, sql } from './sql.ts'
import { joinOf } from './translate.ts'
import type { Key } from './values.ts'

/**
 * A path to a value that can be ordered and aggregated: relations, then an attribute or a property.
 */
export interface ValuePath {
  readonly text: string
  readonly steps: readonly RelationAttribute[]
  readonly owner: ClassName
  readonly attribute: string
  /** Null for a property of an object, whose values have different types. */
  readonly type: ValueType | null
  readonly property: string | null
}

const PROPERTIES = ['rank', 'flag', 'inner.x', 'none', 'tags']

/** Paths of at most `length` relations, to-many ones only if requested. */
export function valuePaths(
  root: ClassName,
  length: number,
  isManyAllowed: boolean,
): readonly ValuePath[] {
  return [...SHAPES[root].attributes.values()].flatMap((attribute): readonly ValuePath[] => {
    const { name } = attribute
    const own = { text: name, steps: [], owner: root, attribute: name, property: null }
    switch (attribute.kind) {
      case 'stored':
      case 'computed':
        return [{ ...own, type: attribute.type }]
      case 'alias': {
        const { steps, attribute: target } = resolveAlias(root, attribute)
        if (target.kind !== 'stored') return []
        const owner = steps[steps.length - 1].target
        return [{ ...own, steps, owner, attribute: target.name, type: target.type }]
      }
      case 'object':
        return PROPERTIES.map((property) => ({
          ...own,
          text: `${name}.${property}`,
          type: null,
          property,
        }))
      case 'blob':
        return []
      default:
        if (length === 0 || (attribute.kind === 'many' && !isManyAllowed)) return []
        return valuePaths(attribute.target, length - 1, isManyAllowed).map((path) => ({
          ...path,
          text: `${name}.${path.text}`,
          steps: [attribute, ...path.steps],
        }))
    }
  })
}

/**
 * The expressions by which a path is compared and shown, at the target of its relations. `rank`
 * distinguishes the types inside objects.
 */
export interface ValueColumns {
  readonly rank: Sql
  readonly key: Sql
  readonly spelling: Sql
}

function columnsAt(path: ValuePath, at: Place): ValueColumns {
  const key = column(at, path.attribute)
  if (path.property !== null) {
    const where = placeOf(path.property)
    const type = sql`json_type(${key}, ${where})`
    const rank = rankOf(type)
    const value = sql`CASE WHEN ${type} IN ('object', 'array') THEN NULL ELSE json_extract(${key}, ${where}) END`
    return { rank, key: value, spelling: raw('NULL') }
  }
  const hasSpelling = path.type === 'text' || path.type === 'exactText'
  return {
    rank: raw('0'),
    key,
    spelling: hasSpelling ? column(at, `${path.attribute} spelling`) : raw('NULL'),
  }
}

/**
 * The distinct values of a path, one per row. A property that is an array has its elements, in
 * their order.
 */
export function eachValue(
  path: ValuePath,
  at: Place,
  tables: Sql,
): ValueColumns & { readonly from: Sql; readonly met: readonly string[] } {
  if (path.property === null) return { ...columnsAt(path, at), from: tables, met: [] }
  const where = placeOf(path.property)
  const document = column(at, path.attribute)
  // For an object `json_each` gives its members, for other values except arrays the value itself.
  const value = sql`CASE WHEN json_type(${document}, ${where}) = 'object' THEN NULL ELSE ${document} END`
  return {
    from: sql`${tables} JOIN json_each(${value}, ${where}) element`,
    rank: rankOf(raw('element.type')),
    key: raw("CASE WHEN element.type IN ('object', 'array') THEN NULL ELSE element.value END"),
    spelling: raw('NULL'),
    met: ['element.id'],
  }
}

const placeOf = (property: string): Sql =>
  raw(
    `'$${property
      .split('.')
      .map((name) => `."${name}"`)
      .join('')}'`,
  )
/** Objects and collections are not scalars: they count as null. */
const rankOf = (type: Sql): Sql =>
  sql`CASE WHEN ${type} IN ('true', 'false') THEN 1 WHEN ${type} = 'text' THEN 2 WHEN ${type} IN ('integer', 'real') THEN 3 ELSE 0 END`

/** A value behind to-one relations as an expression; null behind an empty one. */
export function valueBehind(
  path: ValuePath,
  at: Place,
  names: Names,
  value: (columns: ValueColumns) => Sql,
  depth = 0,
): Sql {
  if (depth === path.steps.length) return value(columnsAt(path, at))
  const relation = path.steps[depth]
  const there: Place = { className: relation.target, name: names.next('v') }
  const inner = valueBehind(path, there, names, value, depth + 1)
  return sql`(SELECT ${inner} FROM ${raw(there.className)} ${raw(there.name)} WHERE ${joinOf(relation, at, there)})`
}

/**
 * Joins the tables of relations to the first one, for paths with several values; the last of
 * `places` is the end of the path.
 */
export function joinedTables(
  path: ValuePath,
  at: Place,
  names: Names,
): { readonly from: Sql; readonly places: readonly Place[] } {
  let from = sql`${raw(at.className)} ${raw(at.name)}`
  const places = [at]
  for (const relation of path.steps) {
    const there: Place = { className: relation.target, name: names.next('j') }
    from = sql`${from} JOIN ${raw(there.className)} ${raw(there.name)} ON ${joinOf(relation, places[places.length - 1], there)}`
    places.push(there)
  }
  return { from, places }
}

/** A key of SQLite in the form of the engine. */
export function shown(type: ValueType | null, key: Key, spelling: Key): unknown {
  if (key === null) return null
  switch (type) {
    case 'text':
      return spelling
    case 'bool':
      return key === 1
    case 'instant':
      return new Date(Number(key)).toISOString()
    case 'day':
      return new Date(Number(key)).toISOString().split('T')[0]
    default:
      return key
  }
}

export const keyColumn = (at: Place): Sql => column(at, keyAttributeOf(at.className).name)
