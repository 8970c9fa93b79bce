import { type AnyEntity, type AnySelection, EntiaError, keyOf, stampOf, timestampOf, type View } from '@entia/core'
import type {
  EntityRecord,
  FieldValue,
  ProjectedField,
  Projection,
  RelatedPage,
  ValueAttribute,
} from '../door/projection.ts'
import type { AnswerBounds } from '../door/query-parts.ts'
import { unreadable } from '../door/unreadable.ts'

/**
 * Reads entities for projections, as a view shows them, counting them: a cycle of relations grows faster than any limit of depth
 * stops. The entities may come from anywhere in the store.
 */
export class RecordReader {
  readonly #view: View
  readonly #bounds: AnswerBounds
  #entities = 0

  constructor(view: View, bounds: AnswerBounds) {
    this.#view = view
    this.#bounds = bounds
  }

  /** Throws budgetExceeded. Cost: O(entities shown). */
  read(entity: AnyEntity, projection: Projection): EntityRecord {
    const { maxEntities } = this.#bounds
    if (++this.#entities > maxEntities)
      throw new EntiaError('budgetExceeded', {
        what: 'entities in the answer',
        limit: maxEntities,
        option: 'limits.maxEntitiesPerAnswer',
      })
    return {
      key: keyOf(entity),
      stamp: stampOf(entity),
      timestamp: timestampOf(entity),
      values: projection.fields.map((field) => this.#readField(entity, field)),
    }
  }

  /** A page of a selection. A member deleted since keeps its place as null. */
  readPage(selection: AnySelection, skip: number, top: number, projection: Projection): (EntityRecord | null)[] {
    const members = selection.page(skip, top).members()
    return members.map((entity) => (entity === undefined ? null : this.read(entity, projection)))
  }

  #readField(entity: AnyEntity, field: ProjectedField): FieldValue {
    switch (field.kind) {
      case 'value':
      case 'properties':
        return field.attribute.kind === 'storage'
          ? (entity[field.name] ?? null)
          : this.#readComputed(entity, field.attribute)
      case 'deferredEntity':
        return this.#view.relatedKey(entity, field.name)
      case 'deferredEntities':
        return null
      case 'entity': {
        const related = this.#view.related(entity, field.name) as AnyEntity | null
        return related === null ? null : this.read(related, field.projection)
      }
      case 'entities':
        return this.#readRelated(this.#view.related(entity, field.name) as AnySelection, field.projection)
    }
  }

  #readRelated(related: AnySelection, projection: Projection): RelatedPage {
    const records: EntityRecord[] = []
    for (const entity of related.page(0, this.#bounds.relatedTop)) records.push(this.read(entity, projection))
    return { count: related.count, records }
  }

  /** Throws `unreadable` for whatever the application's code throws. */
  #readComputed(entity: AnyEntity, attribute: ValueAttribute): FieldValue {
    try {
      return this.#view.valueOf(entity, attribute.name) ?? null
    } catch (cause) {
      throw unreadable(attribute, cause)
    }
  }
}
