import type {
  AliasAttribute,
  ClassModel,
  ComputedAttribute,
  StorageAttribute,
  ToManyAttribute,
  ToOneAttribute,
} from '@entia/core'

/** What of an entity an answer shows. Built once per request, read by the door and by the renderer alike. */
export interface Projection {
  readonly dataClass: ClassModel
  readonly fields: readonly ProjectedField[]
}

export type ValueAttribute = StorageAttribute | ComputedAttribute | AliasAttribute

/** One property of a shown entity. `name` is the property; `deferred…` show the address only, `entity`/`entities` the content. */
export type ProjectedField =
  | { readonly kind: 'value'; readonly name: string; readonly attribute: ValueAttribute }
  /** Some properties of an object attribute, as paths below it. */
  | {
      readonly kind: 'properties'
      readonly name: string
      readonly attribute: ValueAttribute
      readonly paths: readonly (readonly string[])[]
    }
  | { readonly kind: 'deferredEntity'; readonly name: string; readonly attribute: ToOneAttribute }
  | { readonly kind: 'deferredEntities'; readonly name: string; readonly attribute: ToManyAttribute }
  | {
      readonly kind: 'entity'
      readonly name: string
      readonly attribute: ToOneAttribute
      readonly projection: Projection
    }
  | {
      readonly kind: 'entities'
      readonly name: string
      readonly attribute: ToManyAttribute
      readonly projection: Projection
    }

/** An entity as read for a projection: `values[i]` belongs to `projection.fields[i]`. */
export interface EntityRecord {
  /** Null for an entity that would have been created and was not: the key it had meanwhile was never given. */
  readonly key: string | number | null
  readonly stamp: number
  /** ISO 8601 date-time. */
  readonly timestamp: string
  readonly values: readonly FieldValue[]
}

/**
 * `value`, `properties`: what the entity gives (dates as ISO text). `deferredEntity`: the target's key or null.
 * `deferredEntities`: null. `entity`: a record or null. `entities`: the first page of the related entities.
 */
export type FieldValue = unknown

/** Related entities inside an entity. */
export interface RelatedPage {
  readonly count: number
  readonly records: readonly EntityRecord[]
}

/** True for the attributes that hold an image or a BLOB: shown as an address, never as content. */
export function isMediaAttribute(attribute: ValueAttribute): boolean {
  const { type } = attribute.kind === 'alias' ? attribute.target : attribute
  return type === 'image' || type === 'blob'
}

/** True for what an update can set: it is stored, or the application sets it. */
export function isWritable(attribute: ValueAttribute): boolean {
  return attribute.kind === 'storage' || (attribute.kind === 'calculated' && attribute.set !== null)
}

/** The most entities that one entity can show, itself included; `relatedTop` of each to-many relation. */
export function largestSize({ fields }: Projection, relatedTop: number): number {
  let size = 1
  for (const field of fields) {
    if (field.kind === 'entity') size += largestSize(field.projection, relatedTop)
    if (field.kind === 'entities') size += relatedTop * largestSize(field.projection, relatedTop)
  }
  return size
}

/**
 * True when only a change of the entity itself changes what it shows: nothing is computed, and nothing is led to. To a caller from whom entities can
 * be hidden the key of a related entity is shown only as long as that one can be seen.
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
