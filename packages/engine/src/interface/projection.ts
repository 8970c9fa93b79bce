import type {
  AliasAttribute,
  AttributeModel,
  ClassModel,
  ComputedAttribute,
  StorageAttribute,
  ToManyAttribute,
  ToOneAttribute,
} from '@entia/core'

/**
 * The attributes of an entity that an answer shows. Built once per request; the engine and the
 * renderer read it.
 */
export interface Projection {
  readonly dataClass: ClassModel
  readonly fields: readonly ProjectedField[]
}

export type ValueAttribute = StorageAttribute | ComputedAttribute | AliasAttribute

interface Field<K, A> {
  readonly kind: K
  readonly name: string
  readonly attribute: A
}
interface Content {
  readonly projection: Projection
}

/**
 * One property of an entity in an answer. `name` is the property; `deferred…` shows the address
 * only, `entity`/`entities` the content.
 */
export type ProjectedField =
  | Field<'value', ValueAttribute>
  /** Some properties of an object attribute, as paths below it. */
  | (Field<'properties', ValueAttribute> & { readonly paths: readonly (readonly string[])[] })
  | Field<'deferredEntity', ToOneAttribute>
  | Field<'deferredEntities', ToManyAttribute>
  | (Field<'entity', ToOneAttribute> & Content)
  | (Field<'entities', ToManyAttribute> & Content)

/** An entity read for a projection: `values[i]` belongs to `projection.fields[i]`. */
export interface EntityRecord {
  /** Null for an entity that would have been created: its key was never assigned. */
  readonly key: string | number | null
  readonly stamp: number
  /** ISO 8601 date-time. */
  readonly timestamp: string
  readonly values: readonly FieldValue[]
}

/**
 * `value`, `properties`: the value (dates as ISO text). `deferredEntity`: the target's key or null.
 * `deferredEntities`: null. `entity`: a record or null. `entities`: the first page of the related
 * entities.
 */
export type FieldValue = unknown

/** Related entities inside an entity. */
export interface RelatedPage {
  readonly count: number
  readonly records: readonly EntityRecord[]
}

/**
 * True for attributes that hold an image or a BLOB: answers show their address, never the content.
 */
export function isMediaAttribute(attribute: ValueAttribute): boolean {
  const { type } = attribute.kind === 'alias' ? attribute.target : attribute
  return type === 'image' || type === 'blob'
}

/** True for attributes that an update can set: stored ones, and computed ones with a setter. */
export function isWritable(attribute: ValueAttribute): boolean {
  return attribute.kind === 'storage' || (attribute.kind === 'calculated' && attribute.set !== null)
}

/**
 * The most entities that one entity can show, including itself; `relatedTop` for each to-many
 * relation.
 */
export function largestSize({ fields }: Projection, relatedTop: number): number {
  let size = 1
  for (const field of fields) {
    if (field.kind === 'entity') size += largestSize(field.projection, relatedTop)
    if (field.kind === 'entities') size += relatedTop * largestSize(field.projection, relatedTop)
  }
  return size
}

/**
 * True if only a change of the entity itself changes its answer: it shows nothing computed and no
 * other entity. If entities can be hidden from the caller, a related entity's key depends on
 * whether that entity is visible.
 */
export function showsOnlyItself({ fields }: Projection, seesAll: boolean): boolean {
  return fields.every((field) => isItsOwn(field, seesAll))
}

function isItsOwn(field: ProjectedField, seesAll: boolean): boolean {
  switch (field.kind) {
    case 'value':
    case 'properties':
      return field.attribute.kind === 'storage'
    case 'deferredEntity':
      return seesAll
    case 'deferredEntities':
      return true
    case 'entity':
    case 'entities':
      return false
  }
}

/**
 * Wraps an error that the application's code threw while an attribute was read or rendered. It is
 * not an EntiaError: the host learns the attribute and the cause, the client only that the request
 * failed.
 */
export function unreadable({ name, owner }: AttributeModel, cause: unknown): Error {
  const problem = cause instanceof Error ? cause.message : String(cause)
  return new Error(
    `The "${name}" attribute of the "${owner.name}" dataclass cannot be read: ${problem}`,
    { cause },
  )
}
