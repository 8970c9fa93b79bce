/** The type of an attribute; `text` is folded, all other texts are exact. */
const VALUE_TYPES = [
  'text',
  'exactText',
  'uuid',
  'long',
  'long64',
  'number',
  'bool',
  'instant',
  'day',
  'duration',
] as const
export type ValueType = (typeof VALUE_TYPES)[number]
export type ClassName = 'Item' | 'Owner' | 'Place'
export const CLASS_NAMES: readonly ClassName[] = ['Item', 'Owner', 'Place']

type Index = 'none' | 'indexed' | 'unique' | 'key'

/** A stored attribute. */
export interface StoredAttribute {
  readonly kind: 'stored'
  readonly name: string
  readonly type: ValueType
  readonly index: Index
}
/** An attribute computed from the row. */
interface ComputedAttribute {
  readonly kind: 'computed'
  readonly name: string
  readonly type: ValueType
  readonly get: (row: Row) => unknown
}
export interface RelationAttribute {
  readonly kind: 'one' | 'many'
  readonly name: string
  readonly target: ClassName
  /** The relation that holds the key: this one, or its inverse. */
  readonly foreignKey: string
}
export interface AliasAttribute {
  readonly kind: 'alias'
  readonly name: string
  /** To-one relations, then the attribute. */
  readonly path: readonly string[]
}
/** JSON, or bytes, which compare with null only. */
interface BoxedAttribute {
  readonly kind: 'object' | 'blob'
  readonly name: string
}
export type Attribute =
  | StoredAttribute
  | ComputedAttribute
  | RelationAttribute
  | AliasAttribute
  | BoxedAttribute

/** The values of one entity by attribute: dates as ISO 8601 text, to-one relations as keys. */
export type Row = { readonly [name: string]: unknown }

export interface ClassShape {
  readonly name: ClassName
  readonly key: string
  readonly attributes: ReadonlyMap<string, Attribute>
}

const stored = (name: string, type: ValueType, index: Index = 'none'): StoredAttribute => ({
  kind: 'stored',
  name,
  type,
  index,
})
const one = (name: string, target: ClassName): RelationAttribute => ({
  kind: 'one',
  name,
  target,
  foreignKey: name,
})
const many = (name: string, target: ClassName, foreignKey: string): RelationAttribute => ({
  kind: 'many',
  name,
  target,
  foreignKey,
})
const alias = (name: string, ...path: readonly string[]): AliasAttribute => ({
  kind: 'alias',
  name,
  path,
})

const shapeOf = (name: ClassName, key: string, attributes: readonly Attribute[]): ClassShape => ({
  name,
  key,
  attributes: new Map(attributes.map((attribute) => [attribute.name, attribute])),
})

const startOf = (day: unknown): unknown => (typeof day === 'string' ? `${day}T00:00:00.000Z` : null)
const halfOf = (value: unknown): unknown => (typeof value === 'number' ? value / 2 : null)

/**
 * Every type without an index, with one, and unique; both sides of every relation; an alias and a
 * computed value of each kind. Some have the name of a member of entities, promises, lists or
 * objects.
 */
export const SHAPES: { readonly [C in ClassName]: ClassShape } = {
  Item: shapeOf('Item', 'ID', [
    stored('ID', 'long', 'key'),
    ...VALUE_TYPES.flatMap((type) => [
      stored(type, type),
      stored(`${type}Indexed`, type, 'indexed'),
      stored(`${type}Unique`, type, 'unique'),
    ]),
    { kind: 'object', name: 'notes' },
    { kind: 'blob', name: 'hasOwnProperty' },
    one('parent', 'Item'),
    many('children', 'Item', 'parent'),
    one('owner', 'Owner'),
    alias('ownerText', 'owner', 'key'),
    alias('placeCode', 'owner', 'place', 'exactTextUnique'),
    alias('parentNumber', 'parent', 'numberIndexed'),
    { kind: 'computed', name: 'stamp', type: 'number', get: ({ long }) => halfOf(long) },
    {
      kind: 'computed',
      name: 'dataClass',
      type: 'text',
      get: ({ text, bool }) =>
        typeof text !== 'string' ? null : bool === true ? `${text} A` : text,
    },
    {
      kind: 'computed',
      name: 'isPrototypeOf',
      type: 'bool',
      get: ({ long }) => (typeof long === 'number' ? long < 3 : null),
    },
    {
      kind: 'computed',
      name: 'timestamp',
      type: 'instant',
      get: ({ day, instant }) => startOf(day) ?? instant,
    },
    {
      kind: 'computed',
      name: 'sinceDay',
      type: 'day',
      get: ({ day, dayIndexed }) => day ?? dayIndexed,
    },
    {
      kind: 'computed',
      name: 'toString',
      type: 'uuid',
      get: ({ uuid, uuidIndexed }) => uuid ?? uuidIndexed,
    },
    { kind: 'computed', name: 'length', type: 'long64', get: ({ long, long64 }) => long ?? long64 },
    {
      kind: 'computed',
      name: 'valueOf',
      type: 'duration',
      get: ({ duration }) => halfOf(duration),
    },
  ]),
  Owner: shapeOf('Owner', 'code', [
    stored('code', 'exactText', 'key'),
    stored('key', 'text'),
    stored('then', 'number', 'indexed'),
    stored('timestamp', 'day'),
    { kind: 'object', name: 'toJSON' },
    many('items', 'Item', 'owner'),
    one('place', 'Place'),
  ]),
  Place: shapeOf('Place', 'token', [
    stored('token', 'uuid', 'key'),
    stored('exactTextUnique', 'exactText', 'unique'),
    stored('bool', 'bool'),
    many('owners', 'Owner', 'place'),
  ]),
}

function attributeOf(className: ClassName, name: string): Attribute {
  const found = SHAPES[className].attributes.get(name)
  if (found === undefined) throw new Error(`${className} has no ${name}`)
  return found
}

export function keyAttributeOf(className: ClassName): StoredAttribute {
  const key = attributeOf(className, SHAPES[className].key)
  if (key.kind !== 'stored') throw new Error(`${className} has no key`)
  return key
}

/** The target of an alias: its relations, and the value. */
export function resolveAlias(
  className: ClassName,
  { path }: AliasAttribute,
): { readonly steps: readonly RelationAttribute[]; readonly attribute: Attribute } {
  const steps: RelationAttribute[] = []
  let current = className
  for (const name of path.slice(0, -1)) {
    const step = attributeOf(current, name)
    if (step.kind !== 'one') throw new Error(`${name} is not a to-one relation`)
    steps.push(step)
    current = step.target
  }
  return { steps, attribute: attributeOf(current, path[path.length - 1]) }
}
