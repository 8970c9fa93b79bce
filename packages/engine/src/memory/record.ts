import type { AnySelection, View } from '@entia/core'
import { marksOf } from '@entia/core/internal'
import { tooManyEntities } from '../interface/engine-observation.ts'
import {
  type EntityRecord,
  type FieldValue,
  type ProjectedField,
  type Projection,
  type RelatedPage,
  unreadable,
  type ValueAttribute,
} from '../interface/projection.ts'
import type { AnswerBounds, KeyValue } from '../interface/selection-source.ts'
import { ENTITIES_PER_SLICE } from '../interface/time-slices.ts'
import { attributeValue, type StoredEntity } from './values.ts'

/**
 * Reads entities for projections, as a view shows them, counting them: a cycle of relations grows
 * faster than any limit of depth stops. The entities may come from anywhere in the store.
 */
export class RecordReader {
  readonly #view: View
  readonly #bounds: AnswerBounds
  /** Entities read so far, related ones included. */
  #count = 0
  /** Related entities still to be read; each puts itself into its place. */
  #open: (() => void)[] = []

  constructor(view: View, bounds: AnswerBounds) {
    this.#view = view
    this.#bounds = bounds
  }

  /** Throws budgetExceeded. Cost: O(entities shown). */
  read(entity: StoredEntity, projection: Projection): EntityRecord {
    const record = this.#begin(entity, projection)
    for (let read = this.#open.pop(); read !== undefined; read = this.#open.pop()) read()
    return record
  }

  /** A page of a selection; undefined members stay in their places as null. */
  readAll(
    members: readonly (StoredEntity | undefined)[],
    projection: Projection,
  ): (EntityRecord | null)[] {
    return members.map((entity) => (entity === undefined ? null : this.read(entity, projection)))
  }

  /** The same, step by step: after each, some more entities are read, related ones counted. */
  *steps(
    members: readonly (StoredEntity | undefined)[],
    projection: Projection,
  ): Generator<undefined, readonly (EntityRecord | null)[], undefined> {
    const records: (EntityRecord | null)[] = []
    let last = 0
    for (const entity of members) {
      records.push(entity === undefined ? null : this.#begin(entity, projection))
      do {
        if (this.#count - last >= ENTITIES_PER_SLICE) {
          yield
          last = this.#count
        }
        this.#open.pop()?.()
      } while (this.#open.length > 0)
    }
    return records
  }

  #begin(entity: StoredEntity, projection: Projection): EntityRecord {
    const { maxEntities } = this.#bounds
    if (++this.#count > maxEntities) throw tooManyEntities(maxEntities)
    const { fields } = projection
    const values: FieldValue[] = []
    let hasInline = false
    for (let at = 0; at < fields.length; at++) {
      const field = fields[at]!
      values.push(this.#readField(entity, field))
      hasInline ||= field.kind === 'entity' || field.kind === 'entities'
    }
    if (hasInline) this.#open.push(() => this.#readRelated(entity, projection, values))
    const { key, stamp, timestamp } = marksOf(entity, 'keyOf')
    return { key: key as KeyValue, stamp, timestamp, values }
  }

  /** A page of a selection. A member deleted since keeps its place as null. */
  readPage(
    selection: AnySelection,
    skip: number,
    top: number,
    projection: Projection,
  ): (EntityRecord | null)[] {
    return this.readAll(selection.page(skip, top).members(), projection)
  }

  #readField(entity: StoredEntity, field: ProjectedField): FieldValue {
    switch (field.kind) {
      case 'value':
      case 'properties':
        return field.attribute.kind === 'storage'
          ? (attributeValue(entity, field) ?? null)
          : this.#readComputed(entity, field.attribute)
      case 'deferredEntity':
        return this.#view.relatedKey(entity, field.name)
      case 'deferredEntities':
        return null
      case 'entity':
      case 'entities':
        // Read when the entity's own values are.
        return null
    }
  }

  /** What an entity shows inline. */
  #readRelated(entity: StoredEntity, { fields }: Projection, values: FieldValue[]): void {
    for (let at = 0; at < fields.length; at++) {
      const field = fields[at]!
      if (field.kind === 'entity') {
        const related = this.#view.related(entity, field.name) as StoredEntity | null
        values[at] = related === null ? null : this.#begin(related, field.projection)
      } else if (field.kind === 'entities') values[at] = this.#readPageOf(entity, field)
    }
  }

  #readPageOf(
    entity: StoredEntity,
    { name, projection }: Extract<ProjectedField, { kind: 'entities' }>,
  ): RelatedPage {
    const related = this.#view.related(entity, name) as AnySelection
    const records: EntityRecord[] = []
    for (const each of related.page(0, this.#bounds.relatedTop))
      records.push(this.#begin(each, projection))
    return { count: related.count, records }
  }

  /** Throws `unreadable` for whatever the application's code throws. */
  #readComputed(entity: StoredEntity, attribute: ValueAttribute): FieldValue {
    try {
      return this.#view.valueOf(entity, attribute.name) ?? null
    } catch (cause) {
      throw unreadable(attribute, cause)
    }
  }
}
