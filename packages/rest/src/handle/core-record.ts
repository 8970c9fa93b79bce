import { type AnyEntity, type AnySelection, EntiaError, foreignKeyOf, keyOf, stampOf, timestampOf } from '@entia/core'
import type { AnswerBounds } from './engine-door.ts'
import type { EntityRecord, FieldValue, ProjectedField, Projection, RelatedPage, ValueAttribute } from './projection.ts'
import { unreadable } from './unreadable.ts'

/** Reads entities for projections, counting them: a cycle of relations grows faster than any limit of depth stops. */
export class RecordReader {
  readonly #bounds: AnswerBounds
  #entities = 0

  constructor(bounds: AnswerBounds) {
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

  #readField(entity: AnyEntity, field: ProjectedField): FieldValue {
    switch (field.kind) {
      case 'value':
      case 'properties':
        return field.attribute.kind === 'storage' ? (entity[field.name] ?? null) : readComputed(entity, field.attribute)
      case 'deferredEntity':
        return foreignKeyOf(entity, field.name) ?? null
      case 'deferredEntities':
        return null
      case 'entity': {
        const related = entity[field.name] as AnyEntity | null
        return related === null ? null : this.read(related, field.projection)
      }
      case 'entities':
        return this.#readRelated(entity[field.name] as AnySelection, field.projection)
    }
  }

  #readRelated(related: AnySelection, projection: Projection): RelatedPage {
    const records: EntityRecord[] = []
    for (const entity of related.page(0, this.#bounds.relatedTop)) records.push(this.read(entity, projection))
    return { count: related.count, records }
  }
}

/** Reads what the application computes. Throws `unreadable` for whatever its code throws. */
function readComputed(entity: AnyEntity, attribute: ValueAttribute): FieldValue {
  try {
    return entity[attribute.name] ?? null
  } catch (cause) {
    throw unreadable(attribute, cause)
  }
}
