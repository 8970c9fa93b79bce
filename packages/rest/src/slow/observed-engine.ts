import {
  type Awaitable,
  type Caller,
  classOf,
  type Engine,
  type PageAnswer,
  type PlannedQuery,
} from '@entia/engine'

/** What a call of an engine does. */
export type Operation =
  | 'entity'
  | 'page'
  | 'aggregates'
  | 'distinct values'
  | 'groups'
  | 'save'
  | 'deletion'
  | 'function'

/** A call of the engine that is observed. */
export interface Observed<R> {
  readonly operation: Operation
  readonly name: () => string
  readonly caller: Caller
  /** Null for calls that select nothing. */
  readonly query: PlannedQuery | null
  /** What an answer tells of its entities. */
  readonly entities: (answer: R) => FoundAndShown
}

/** Entities that a filter selects, and those that were answered; null if that is not known. */
export interface FoundAndShown {
  readonly found: number | null
  readonly shown: number | null
}

export const UNKNOWN: FoundAndShown = { found: null, shown: null }

/** The same engine. `around` runs each call that reads, writes or calls a function. */
export function observedEngine(
  engine: Engine,
  around: <R>(observed: Observed<R>, call: () => Awaitable<R>) => Awaitable<R>,
): Engine {
  const observed: Partial<Engine> = {
    readEntity: (query, caller) =>
      around(
        plain('entity', caller, () => query.projection.dataClass.name),
        () => engine.readEntity(query, caller),
      ),
    readSelection: (query, caller) => {
      const { orderBy, skip, top } = query
      const page = selecting('page', caller, query, foundAndShown, { orderBy, page: { skip, top } })
      return around(page, () => engine.readSelection(query, caller))
    },
    compute: (query, caller) =>
      around(selecting('aggregates', caller, query), () => engine.compute(query, caller)),
    distinct: (query, caller) =>
      around(selecting('distinct values', caller, query), () => engine.distinct(query, caller)),
    group: (query, caller) =>
      around(selecting('groups', caller, query), () => engine.group(query, caller)),
    write: (query, caller) =>
      around(
        plain('save', caller, () => query.dataClass.name, query.items.length),
        () => engine.write(query, caller),
      ),
    remove: (query, caller) =>
      around(
        plain('deletion', caller, () => query.dataClass.name, query.items?.length),
        () => engine.remove(query, caller),
      ),
    call: (query, caller) =>
      around(
        plain('function', caller, () => query.name),
        () => engine.call(query, caller),
      ),
  }
  // Inherits the rest. A copy would keep the first instance id, and would draw it while a module
  // loads, which Workers refuse.
  return Object.create(engine, Object.getOwnPropertyDescriptors(observed)) as Engine
}

/** A call that selects nothing, and the number of entities that it concerns. */
const plain = (
  operation: Operation,
  caller: Caller,
  name: () => string,
  shown: number | null = null,
): Observed<unknown> => {
  const entities = { found: null, shown }
  return { operation, name, caller, query: null, entities: () => entities }
}

/** Values of a selection, whose order does not matter; a page has one. */
const selecting = <R>(
  operation: Operation,
  caller: Caller,
  { source, filter }: Pick<PlannedQuery, 'source' | 'filter'>,
  entities: (answer: R) => FoundAndShown = () => UNKNOWN,
  { orderBy, page }: Pick<PlannedQuery, 'orderBy' | 'page'> = WHOLE,
): Observed<R> => ({
  operation,
  name: () => classOf(source).name,
  caller,
  query: { source, filter, orderBy, page },
  entities,
})

const WHOLE = { orderBy: null, page: null }

const foundAndShown = (page: PageAnswer | null): FoundAndShown =>
  page === null ? UNKNOWN : { found: page.count, shown: (page.texts ?? page.records).length }
