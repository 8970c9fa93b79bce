import { type AnyEntity, type AnySelection, type ClassModel, keyOf } from '@entia/core'
import type {
  AggregatePath,
  Aggregates,
  ComputeAnswer,
  ComputeQuery,
  DistinctAnswer,
  DistinctQuery,
  EntityAnswer,
  EntityQuery,
  FilterAnswer,
  PageAnswer,
  PageQuery,
} from '../door/engine-door.ts'
import { classOf, type SelectionQuery } from '../door/selection-source.ts'
import type { ComputeAction } from '../request/parameters.ts'
import type { CallerStore } from './caller-store.ts'
import { RecordReader } from './record.ts'
import { keepSelection, selectSource } from './select.ts'

/** The reading half of the door to a store in this process. */
export class CoreReader {
  readonly #seen: CallerStore

  constructor(seen: CallerStore) {
    this.#seen = seen
  }

  readEntity(query: EntityQuery): EntityAnswer | null {
    const { reference, filter, through, projection } = query
    const { store, view } = this.#seen
    const entity = this.#seen.entity(reference)
    if (entity === undefined) return null
    const shown = through === null ? entity : (view.related(entity, through.name) as AnyEntity | null)
    const { globalStamp } = store
    if (shown === null) return { globalStamp, record: null, condition: null, trace: null }
    const { dataClass } = projection
    if (filter !== null && this.#seen.within(view.dataClass(dataClass.name).from([keyOf(shown)]), filter).count === 0)
      return null
    const record = new RecordReader(view, query).read(shown, projection)
    return { globalStamp, record, ...this.#filterAnswer(dataClass, query) }
  }

  readSelection(query: PageQuery): PageAnswer | null {
    const selected = selectSource(this.#seen, query)
    if (selected === null) return null
    const { selection } = selected
    return {
      globalStamp: this.#seen.store.globalStamp,
      ...this.#readPage(selection, query),
      count: selection.count,
      ...this.#filterAnswer(classOf(query.source), query),
      // Last of all: a request that fails keeps nothing.
      entitySetId: query.keep === null ? null : keepSelection(this.#seen, selected, query.keep),
    }
  }

  compute(query: ComputeQuery): ComputeAnswer | null {
    const selection = this.#select({ ...query, orderBy: null })
    if (selection === null) return null
    const aggregates = query.paths.map((path) =>
      query.distinct ? distinctAggregates(selection, path, query.action) : aggregate(selection, path, query.action),
    )
    return { aggregates, ...this.#filterAnswer(classOf(query.source), query) }
  }

  distinct(query: DistinctQuery): DistinctAnswer | null {
    const selection = this.#select({ ...query, orderBy: null })
    if (selection === null) return null
    const ascending = selection.distinct(query.path.path)
    const values = query.descending ? [...ascending].reverse() : ascending
    const told = this.#filterAnswer(classOf(query.source), query)
    return { values: values.slice(query.skip, query.skip + query.top), ...told }
  }

  /** As texts where that is wanted: no object is made for an entity then. */
  #readPage(selection: AnySelection, query: PageQuery): Pick<PageAnswer, 'records' | 'texts'> {
    const { skip, top, textForm, projection, maxEntities } = query
    if (textForm !== null) {
      const page = selection.page(skip, top)
      // Too many, unless some of them are gone: then those that are there are counted.
      if (page.count <= maxEntities) return { records: [], texts: page.texts(textForm) }
    }
    const records = new RecordReader(this.#seen.view, query).readPage(selection, skip, top, projection)
    return { records, texts: null }
  }

  #select(query: SelectionQuery): AnySelection | null {
    return selectSource(this.#seen, query)?.selection ?? null
  }

  #filterAnswer(
    dataClass: ClassModel,
    { filter, withPlan, withPath }: Pick<SelectionQuery, 'filter' | 'withPlan' | 'withPath'>,
  ): FilterAnswer {
    return {
      condition: withPlan ? this.#seen.condition(dataClass, filter) : null,
      trace: withPath ? this.#seen.trace(dataClass, filter) : null,
    }
  }
}

/** Only what the action needs is computed; the rest of the answer is left null. */
function aggregate(selection: AnySelection, { path }: AggregatePath, action: ComputeAction): Aggregates {
  const nothing = { count: 0, min: null, max: null }
  switch (action) {
    case 'all':
      return selection.compute(path)
    case 'count':
      return { ...nothing, count: selection.countOf(path) }
    case 'sum':
      return { ...nothing, sum: selection.sum(path) }
    case 'average':
      return { ...nothing, average: selection.average(path) }
    case 'min':
      return { ...nothing, min: selection.min(path) }
    case 'max':
      return { ...nothing, max: selection.max(path) }
  }
}

/** Each value counts once. What holds no numbers has no sum, and is refused for it as without `$distinct`. */
function distinctAggregates(selection: AnySelection, path: AggregatePath, action: ComputeAction): Aggregates {
  const aggregates = selection.compute(path.path, { distinct: true })
  const isSum = action === 'sum' || action === 'average'
  return isSum && aggregates.sum == null ? aggregate(selection, path, action) : aggregates
}
