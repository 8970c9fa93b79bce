import type { ClassModel } from '@entia/core'
import { readsOf, readsOfOrder } from '@entia/core/internal'
import { classOf, type FollowQuery, type Projection } from '@entia/engine'
import type { CallerFilters } from '../read/caller-filters.ts'

/** What decides which dataclasses an answer reads. */
export type AnswerParts = Pick<FollowQuery, 'source'> &
  Partial<Pick<FollowQuery, 'filter' | 'orderBy' | 'projection'>>

/**
 * The names of the dataclasses that decide about the answer of a query; null if that may be
 * any, as with a computed attribute. Throws the errors of the filter and the order. Cost: O(query).
 */
export function readsOfAnswer(
  filters: CallerFilters,
  { source, filter = null, orderBy = null, projection }: AnswerParts,
): ReadonlySet<string> | null {
  const dataClass = classOf(source)
  const bound = filters.bind(dataClass, filter)
  const order = orderBy === null ? (bound.orderBy ?? []) : filters.bindOrderBy(dataClass, orderBy)
  const reads = new Reads(filters)
  reads.visible(dataClass)
  reads.all(readsOf(bound.predicate))
  reads.all(readsOfOrder(order))
  for (const { steps } of order) reads.along(steps)
  if (source.kind === 'related') reads.visible(source.owner.dataClass)
  if (projection !== undefined) reads.shown(projection)
  return reads.names
}

class Reads {
  readonly #filters: CallerFilters
  #names: Set<string> | null = new Set()

  constructor(filters: CallerFilters) {
    this.#filters = filters
  }

  get names(): ReadonlySet<string> | null {
    return this.#names
  }

  all(classes: Iterable<ClassModel> | null): void {
    if (classes === null) this.#names = null
    else for (const { name } of classes) this.#names?.add(name)
  }

  /** Entities of which the caller may see some. */
  visible(dataClass: ClassModel): void {
    this.all([dataClass])
    const rows = this.#filters.rowsOf(dataClass)
    if (rows !== null) this.all(readsOf(rows))
  }

  along(steps: readonly { readonly target: ClassModel }[]): void {
    for (const { target } of steps) this.visible(target)
  }

  shown({ fields }: Projection): void {
    for (const field of fields)
      switch (field.kind) {
        case 'value':
        case 'properties':
          if (field.attribute.kind === 'calculated') this.all(null)
          if (field.attribute.kind !== 'alias') break
          this.along(field.attribute.steps)
          if (field.attribute.target.kind === 'calculated') this.all(null)
          break
        case 'deferredEntity':
          // Whether a related entity is shown depends on whether the caller may see it.
          if (this.#filters.rowsOf(field.attribute.target) !== null)
            this.visible(field.attribute.target)
          break
        case 'deferredEntities':
          break
        case 'entity':
        case 'entities':
          this.visible(field.attribute.target)
          this.shown(field.projection)
      }
  }
}
