import { isDateOnly, typeOf } from '../handle/names.ts'
import type { EntityRecord, ProjectedField, Projection, RelatedPage, ValueAttribute } from '../handle/projection.ts'
import { type DateOnlyFormat, formatDateOnly, timestampDay } from './date-text.ts'
import { entityUri, mediaUri, relationUri } from './uri.ts'

export interface RenderOptions {
  readonly basePath: string
  readonly dateOnlyFormat: DateOnlyFormat
}

/** A JSON object in the making; its names are those of the model, so it has no prototype to meet them. */
export type JsonObject = { [name: string]: unknown }

/** `read`: in envelopes and alone. `written`: in answers to writes. `plain`: under `$asArray`. */
export type EntityForm = 'read' | 'written' | 'plain'

/** Renders entities of one answer. */
export class EntityRenderer {
  readonly #options: RenderOptions
  readonly #globalStamp: number

  constructor(options: RenderOptions, globalStamp: number) {
    this.#options = options
    this.#globalStamp = globalStamp
  }

  /** One entity of a page, or an expanded one. */
  render(record: EntityRecord, projection: Projection, form: 'read' | 'plain'): JsonObject {
    const entity: JsonObject = Object.create(null)
    if (form === 'plain') {
      entity.__KEY = record.key
      entity.__STAMP = record.stamp
    } else {
      entity.__KEY = String(record.key)
      entity.__TIMESTAMP = record.timestamp
      entity.__STAMP = record.stamp
    }
    this.#addFields(entity, record, projection, form)
    return entity
  }

  /** An entity alone: it names its dataclass. */
  renderSingle(record: EntityRecord, projection: Projection): JsonObject {
    const { name } = projection.dataClass
    return Object.assign(
      Object.create(null),
      { __entityModel: name, __DATACLASS: name },
      this.render(record, projection, 'read'),
    )
  }

  /** After `__STATUS`, what a write answers. A new entity that was not stored has neither key nor address. */
  renderWritten(record: EntityRecord, projection: Projection): JsonObject {
    const entity: JsonObject = Object.create(null)
    if (record.key !== null) entity.__KEY = String(record.key)
    entity.__STAMP = record.stamp
    if (record.key !== null) entity.uri = entityUri(this.#options.basePath, projection.dataClass.name, record.key)
    entity.__TIMESTAMP = timestampDay(record.timestamp)
    this.#addFields(entity, record, projection, 'read')
    return entity
  }

  #addFields(entity: JsonObject, record: EntityRecord, projection: Projection, form: 'read' | 'plain'): void {
    for (let at = 0; at < projection.fields.length; at++) {
      const field = projection.fields[at]!
      entity[field.name] = this.#renderField(field, record.values[at], record, projection, form)
    }
  }

  #renderField(
    field: ProjectedField,
    value: unknown,
    record: EntityRecord,
    projection: Projection,
    form: 'read' | 'plain',
  ): unknown {
    const { basePath } = this.#options
    switch (field.kind) {
      case 'value':
        return this.#renderValue(field.attribute, field.name, value, record, projection)
      case 'properties':
        return pickProperties(value, field.paths)
      case 'deferredEntity': {
        if (value === null) return null
        const key = value as string | number
        return { __deferred: { uri: entityUri(basePath, field.attribute.target.name, key), __KEY: String(key) } }
      }
      case 'deferredEntities':
        // An entity without a key has no address, and so have its related entities and its images: they are null.
        return record.key === null
          ? null
          : { __deferred: { uri: this.#relationUri(field.name, record.key, projection) } }
      case 'entity':
        return value === null ? null : this.render(value as EntityRecord, field.projection, form)
      case 'entities': {
        if (record.key === null) return null
        const page = value as RelatedPage
        const entities = page.records.map((related) => this.render(related, field.projection, form))
        if (form === 'plain') return entities
        return {
          __ENTITYSET: this.#relationUri(field.name, record.key, projection),
          __GlobalStamp: this.#globalStamp,
          __COUNT: page.count,
          __FIRST: 0,
          __ENTITIES: entities,
          __SENT: entities.length,
        }
      }
    }
  }

  #relationUri(relation: string, key: string | number, { dataClass }: Projection): string {
    return relationUri(entityUri(this.#options.basePath, dataClass.name, key), relation)
  }

  #renderValue(
    attribute: ValueAttribute,
    name: string,
    value: unknown,
    record: EntityRecord,
    { dataClass }: Projection,
  ): unknown {
    if (value === null || value === undefined) return null
    if (typeof value === 'string')
      return isDateOnly(attribute) ? formatDateOnly(value, this.#options.dateOnlyFormat) : value
    if (typeof value !== 'object') return value
    const type = typeOf(attribute)
    if (type !== 'image' && type !== 'blob') return value
    if (record.key === null) return null
    const uri = mediaUri(entityUri(this.#options.basePath, dataClass.name, record.key), name, record.stamp, type)
    return { __deferred: type === 'image' ? { uri, image: true } : { uri } }
  }
}

/** The object with only the asked properties in it; one that is missing is left out. */
function pickProperties(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (typeof value !== 'object' || value === null) return null
  const picked: JsonObject = Object.create(null)
  for (const path of paths) pickOne(value, picked, path)
  return picked
}

function pickOne(source: unknown, target: JsonObject, path: readonly string[]): void {
  const [name, ...rest] = path
  if (name === undefined || typeof source !== 'object' || source === null || !Object.hasOwn(source, name)) return
  const inner = (source as { readonly [name: string]: unknown })[name]
  if (rest.length === 0) {
    target[name] = inner
    return
  }
  const below = target[name]
  const open: JsonObject = typeof below === 'object' && below !== null ? (below as JsonObject) : Object.create(null)
  target[name] = open
  pickOne(inner, open, rest)
}
