import { type AnyDataStore, type AnyEntity, type AnySelection, type ConditionNode, keyOf } from '@entia/core'
import type { FilterText } from '../request/filter-text.ts'
import type { ComputeAction } from '../request/parameters.ts'
import type { Caller } from './caller.ts'
import { applyFilter, conditionOf, selectFrom } from './core-filter.ts'
import { RecordReader } from './core-record.ts'
import type {
  AggregatePath,
  Aggregates,
  ComputeAnswer,
  ComputeQuery,
  DistinctAnswer,
  DistinctQuery,
  EntityAnswer,
  EntityQuery,
  EntityReference,
  PageAnswer,
  PageQuery,
  SelectionQuery,
  SelectionSource,
} from './engine-door.ts'
import { classOf } from './selection-query.ts'

/** The reading half of the door to a store in this process. */
export class CoreReader {
  readonly #store: AnyDataStore

  constructor(store: AnyDataStore) {
    this.#store = store
  }

  readEntity(query: EntityQuery, { names }: Caller): EntityAnswer | null {
    const { reference, filter, through, projection } = query
    const entity = findEntity(this.#store, reference)
    if (entity === undefined) return null
    const shown = through === null ? entity : (entity[through.name] as AnyEntity | null)
    const globalStamp = this.#store.globalStamp
    if (shown === null) return { globalStamp, record: null, condition: null }
    const { dataClass } = projection
    const only = this.#store.dataClass(dataClass.name).from([keyOf(shown)])
    if (filter !== null && applyFilter(only, filter).count === 0) return null
    const condition = query.withPlan ? conditionOf(this.#store, dataClass, filter, names) : null
    return { globalStamp, record: new RecordReader(query).read(shown, projection), condition }
  }

  readSelection(query: PageQuery, caller: Caller): PageAnswer | null {
    const selection = this.#select(query)
    if (selection === null) return null
    const reader = new RecordReader(query)
    const page = selection.page(query.skip, query.top)
    return {
      globalStamp: this.#store.globalStamp,
      count: selection.count,
      records: page.members().map((entity) => (entity === undefined ? null : reader.read(entity, query.projection))),
      condition: this.#planOf(query, caller),
    }
  }

  compute(query: ComputeQuery, caller: Caller): ComputeAnswer | null {
    const selection = this.#select({ ...query, orderBy: null })
    if (selection === null) return null
    const aggregates = query.paths.map((path) =>
      query.distinct ? aggregateValues(selection.distinct(path.path), path) : aggregate(selection, path, query.action),
    )
    return { aggregates, condition: this.#planOf(query, caller) }
  }

  distinct(query: DistinctQuery, caller: Caller): DistinctAnswer | null {
    const selection = this.#select({ ...query, orderBy: null })
    if (selection === null) return null
    const values = selection.distinct(query.path.path)
    return { values: values.slice(query.skip, query.skip + query.top), condition: this.#planOf(query, caller) }
  }

  #select({ source, filter, orderBy }: SelectionQuery): AnySelection | null {
    const start = this.#sourceOf(source, filter)
    return start === null || orderBy === null ? start : start.orderBy(orderBy)
  }

  #planOf({ source, filter, withPlan }: SelectionQuery, { names }: Caller): ConditionNode | null {
    return withPlan ? conditionOf(this.#store, classOf(source), filter, names) : null
  }

  #sourceOf(source: SelectionSource, filter: FilterText | null): AnySelection | null {
    if (source.kind === 'all') return selectFrom(this.#store, source.dataClass, filter)
    const owner = findEntity(this.#store, source.owner)
    if (owner === undefined) return null
    const related = owner[source.relation.name] as AnySelection
    return filter === null ? related : applyFilter(related, filter)
  }
}

/** The entity a reference names, or undefined. */
export function findEntity(store: AnyDataStore, reference: EntityReference): AnyEntity | undefined {
  const table = store.dataClass(reference.dataClass.name)
  return reference.kind === 'key' ? table.get(reference.key) : table.findBy(reference.attribute.name, reference.value)
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

/** Aggregates of values that are sorted and hold no null. */
function aggregateValues(values: readonly unknown[], { isNumeric }: AggregatePath): Aggregates {
  const bounds = { count: values.length, min: values[0] ?? null, max: values.at(-1) ?? null }
  if (!isNumeric) return bounds
  const numbers = values.filter((value) => typeof value === 'number')
  const sum = numbers.reduce((total, value) => total + value, 0)
  return { ...bounds, sum, average: numbers.length === 0 ? null : sum / numbers.length }
}
