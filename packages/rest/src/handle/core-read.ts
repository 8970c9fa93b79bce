import type { AnyDataStore, AnyEntity, Explain } from '@entia/core'
import type { FilterText } from '../request/filter-text.ts'
import type { ComputeAction } from '../request/parameters.ts'
import { RecordReader } from './core-record.ts'
import type { AnySelection, AnyTable } from './core-types.ts'
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

/** The reading half of the door to a store in this process. */
export class CoreReader {
  readonly #store: AnyDataStore

  constructor(store: AnyDataStore) {
    this.#store = store
  }

  readEntity(query: EntityQuery): EntityAnswer | null {
    const { reference, filter, through, projection } = query
    const entity = findEntity(this.#store, reference)
    if (entity === undefined) return null
    const shown = through === null ? entity : (entity[through.name] as AnyEntity | null)
    const globalStamp = this.#store.globalStamp
    if (shown === null) return { globalStamp, record: null, explain: null }
    const table = this.#store.dataClass(projection.dataClass.name)
    if (filter !== null && filtered(table.from([shown.key]), filter).count === 0) return null
    const explain = query.withPlan ? explainFilter(table, filter) : null
    return { globalStamp, record: new RecordReader(query).read(shown, projection), explain }
  }

  readSelection(query: PageQuery): PageAnswer | null {
    const selection = this.#select(query)
    if (selection === null) return null
    const reader = new RecordReader(query)
    const page = selection.page(query.skip, query.top)
    return {
      globalStamp: this.#store.globalStamp,
      count: selection.count,
      records: page.members().map((entity) => (entity === undefined ? null : reader.read(entity, query.projection))),
      explain: this.#explain(query),
    }
  }

  compute(query: ComputeQuery): ComputeAnswer | null {
    const selection = this.#select({ ...query, orderBy: null })
    if (selection === null) return null
    const aggregates = query.paths.map((path) =>
      query.distinct ? aggregateValues(selection.distinct(path.path), path) : aggregate(selection, path, query.action),
    )
    return { aggregates, explain: this.#explain(query) }
  }

  distinct(query: DistinctQuery): DistinctAnswer | null {
    const selection = this.#select({ ...query, orderBy: null })
    if (selection === null) return null
    const values = selection.distinct(query.path.path)
    return { values: values.slice(query.skip, query.skip + query.top), explain: this.#explain(query) }
  }

  #select({ source, filter, orderBy }: SelectionQuery): AnySelection | null {
    const start = this.#sourceOf(source, filter)
    return start === null || orderBy === null ? start : start.orderBy(orderBy)
  }

  #explain({ source, filter, withPlan }: SelectionQuery): Explain | null {
    const dataClass = source.kind === 'all' ? source.dataClass : source.relation.target
    return withPlan ? explainFilter(this.#store.dataClass(dataClass.name), filter) : null
  }

  #sourceOf(source: SelectionSource, filter: FilterText | null): AnySelection | null {
    if (source.kind === 'all') {
      const table = this.#store.dataClass(source.dataClass.name)
      return filter === null ? table.all() : table.query(filter.text, filter.params ?? undefined)
    }
    const owner = findEntity(this.#store, source.owner)
    if (owner === undefined) return null
    const related = owner[source.relation.name] as AnySelection
    return filter === null ? related : filtered(related, filter)
  }
}

/** The entity a reference names, or undefined. */
export function findEntity(store: AnyDataStore, reference: EntityReference): AnyEntity | undefined {
  const table = store.dataClass(reference.dataClass.name)
  return reference.kind === 'key' ? table.get(reference.key) : table.findBy(reference.attribute.name, reference.value)
}

/** The plan of the filter over its dataclass: what a filter costs does not depend on what it is applied to. */
function explainFilter(table: AnyTable, filter: FilterText | null): Explain | null {
  return filter === null ? null : table.query(filter.text, filter.params ?? undefined).explain()
}

/** What of a selection a filter keeps. */
export function filtered(selection: AnySelection, filter: FilterText): AnySelection {
  return selection.query(filter.text, filter.params ?? undefined)
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
