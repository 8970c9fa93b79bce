import { type Awaitable, type Caller, classOf, type Engine, type PlannedQuery } from '@entia/engine'

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
const unknown = (): FoundAndShown => UNKNOWN

/** The same engine. `around` runs each call that reads, writes or calls a function. */
export function observedEngine(
  engine: Engine,
  around: <R>(observed: Observed<R>, call: () => Awaitable<R>) => Awaitable<R>,
): Engine {
  const observed: Partial<Engine> = {
    readEntity: (query, caller) =>
      around(
        {
          operation: 'entity',
          name: () => query.projection.dataClass.name,
          caller,
          query: null,
          entities: unknown,
        },
        () => engine.readEntity(query, caller),
      ),
    readSelection: (query, caller) => {
      const { source, filter, orderBy, skip, top } = query
      return around(
        {
          operation: 'page',
          name: () => classOf(source).name,
          caller,
          query: { source, filter, orderBy, page: { skip, top } },
          entities: (page) =>
            page === null
              ? UNKNOWN
              : { found: page.count, shown: (page.texts ?? page.records).length },
        },
        () => engine.readSelection(query, caller),
      )
    },
    compute: (query, caller) =>
      around(ofValues('aggregates', query, caller), () => engine.compute(query, caller)),
    distinct: (query, caller) =>
      around(ofValues('distinct values', query, caller), () => engine.distinct(query, caller)),
    group: (query, caller) =>
      around(ofValues('groups', query, caller), () => engine.group(query, caller)),
    write: (query, caller) =>
      around(
        {
          operation: 'save',
          name: () => query.dataClass.name,
          caller,
          query: null,
          entities: () => ({ found: null, shown: query.items.length }),
        },
        () => engine.write(query, caller),
      ),
    remove: (query, caller) =>
      around(
        {
          operation: 'deletion',
          name: () => query.dataClass.name,
          caller,
          query: null,
          entities: () => ({ found: null, shown: query.items?.length ?? null }),
        },
        () => engine.remove(query, caller),
      ),
    call: (query, caller) =>
      around(
        { operation: 'function', name: () => query.name, caller, query: null, entities: unknown },
        () => engine.call(query, caller),
      ),
  }
  // Inherits the rest. A copy would keep the first instance id, and would draw it while a module
  // loads, which Workers refuse.
  return Object.create(engine, Object.getOwnPropertyDescriptors(observed)) as Engine
}

/** Values of a selection, whose order does not matter. */
const ofValues = (
  operation: Operation,
  { source, filter }: Pick<PlannedQuery, 'source' | 'filter'>,
  caller: Caller,
): Observed<unknown> => ({
  operation,
  caller,
  name: () => classOf(source).name,
  query: { source, filter, orderBy: null, page: null },
  entities: unknown,
})
