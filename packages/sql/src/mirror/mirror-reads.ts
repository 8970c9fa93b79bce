import type { ClassModel } from '@entia/core'
import {
  type Awaitable,
  andThen,
  type Caller,
  classOf,
  type EntityQuery,
  type Followed,
  type FollowQuery,
  isPromise,
  type SelectionQuery,
} from '@entia/engine'
import type { bounded } from '../engine/bounded-calls.ts'
import { readsOfAnswer } from '../live/live-reads.ts'
import type { CallerFilters } from '../read/caller-filters.ts'
import type { Reads } from '../read/sql-reader.ts'
import type { Dataset } from '../schema/dataset.ts'
import type { MirrorAnswers } from './mirror-answers.ts'

type Answer<N extends keyof Reads> = ReturnType<Reads[N]>
type Query<N extends keyof Reads> = Parameters<Reads[N]>[0]

export interface MirrorReadsOptions {
  readonly answers: MirrorAnswers
  readonly dataset: Dataset
  readonly filtersOf: (caller: Caller) => CallerFilters
  /** Runs a read within the time of its request. */
  readonly within: ReturnType<typeof bounded>
  /** What answers the other reads. */
  readonly database: Reads
}

/** The reads of an engine: from a mirror where it can answer, and from the database otherwise. */
export class MirrorReads implements Reads {
  readonly #options: MirrorReadsOptions

  constructor(options: MirrorReadsOptions) {
    this.#options = options
  }

  readEntity(query: EntityQuery, caller: Caller): Answer<'readEntity'> {
    const { reference, through, projection, filter, content } = query
    const needs = (): Needs => {
      const filters = this.#options.filtersOf(caller)
      const shown = { ...allOf(projection.dataClass), filter, projection }
      const needs = readsOfAnswer(filters, shown)
      if (through === null) return needs
      return both(needs, readsOfAnswer(filters, allOf(reference.dataClass)))
    }
    const isPossible = content === 'address' && isPlain(query)
    return this.#read('readEntity', query, caller, isPossible && reference.dataClass, needs)
  }
  readSelection(query: Query<'readSelection'>, caller: Caller): Answer<'readSelection'> {
    const isPossible = query.keep === null && !query.withExplain
    return this.#select('readSelection', query, caller, isPossible, () =>
      readsOfAnswer(this.#options.filtersOf(caller), query),
    )
  }
  compute(query: Query<'compute'>, caller: Caller): Answer<'compute'> {
    const paths = query.paths.map(({ path }) => path)
    return this.#select('compute', query, caller, true, () => this.#along(query, caller, paths))
  }
  distinct(query: Query<'distinct'>, caller: Caller): Answer<'distinct'> {
    const paths = [query.path.path]
    return this.#select('distinct', query, caller, true, () => this.#along(query, caller, paths))
  }
  group(query: Query<'group'>, caller: Caller): Answer<'group'> {
    // Which values a group reads shows when it is read.
    const needs = (): Needs => this.#along(query, caller, []) && null
    return this.#select('group', query, caller, !query.withExplain, needs)
  }

  /** A live query that the mirror judges, commit by commit; undefined if it cannot. */
  async follow(query: FollowQuery, caller: Caller): Promise<Followed | null | undefined> {
    const { answers, dataset } = this.#options
    if (query.source.kind === 'entitySet') return undefined
    // Wrong queries are refused as without a mirror.
    const reads = readsOfAnswer(this.#options.filtersOf(caller), query)
    if (reads === null || !answers.hasAll(reads)) return undefined
    const { since } = query
    const known = since?.instanceId === dataset.id ? since.globalStamp : 0
    const contents = await answers.reach(caller, known)
    // No code of the application runs, so that nothing asks for a session.
    return contents === null
      ? undefined
      : contents.engine.follow(query, { ...caller, session: null })
  }

  #select<N extends Exclude<keyof Reads, 'readEntity'>>(
    name: N,
    query: Query<N> & SelectionQuery,
    caller: Caller,
    isPossible: boolean,
    needs: () => Needs,
  ): Answer<N> {
    const { source, saved } = query
    const isOfClass = source.kind !== 'entitySet' && saved === null && isPlain(query)
    return this.#read(name, query, caller, isPossible && isOfClass && classOf(source), needs)
  }

  /** From the mirror of a dataclass, or else from the database; false: from the database. */
  #read<N extends keyof Reads>(
    name: N,
    query: Query<N>,
    caller: Caller,
    dataClass: ClassModel | false,
    needs: () => Needs,
  ): Answer<N> {
    const { answers, database, within } = this.#options
    if (dataClass === false) return readBy(database, name, query, caller)
    let isOver = false
    const isGone = (): boolean => isOver || caller.isGone?.() === true
    const found = answers.answer({
      dataClass: dataClass.name,
      caller,
      needs,
      isWhole: name === 'readEntity' || name === 'readSelection',
      read: ({ engine }, session) =>
        readBy(engine, name, query, { ...caller, session, isGone }) as Awaitable<
          Awaited<Answer<N>>
        >,
    })
    // What does not end at once is bounded. A read that is over ends with its time slice.
    const bounded = isPromise(found)
      ? within(caller, () => found).catch((error) => {
          isOver = true
          throw error
        })
      : found
    return andThen(
      bounded,
      (found): Awaitable<unknown> =>
        found === null ? readBy(database, name, query, caller) : found.value,
    ) as Answer<N>
  }

  /** The dataclasses that decide about values behind paths. */
  #along({ source, filter }: SelectionQuery, caller: Caller, paths: readonly string[]): Needs {
    const filters = this.#options.filtersOf(caller)
    let needs = readsOfAnswer(filters, { source, filter })
    for (const path of paths) {
      const { steps, attribute } = filters.resolvePath(classOf(source), path)
      if (attribute.kind === 'calculated') return null
      for (const { target } of steps) needs = both(needs, readsOfAnswer(filters, allOf(target)))
    }
    return needs
  }
}

const allOf = (dataClass: ClassModel) => ({ source: { kind: 'all', dataClass } }) as const

type Needs = ReadonlySet<string> | null

const both = (some: Needs, others: Needs): Needs =>
  some === null || others === null ? null : new Set([...some, ...others])

/** Whether plans are not asked for: they are those of the database. */
const isPlain = ({ withPlan, withPath }: Pick<SelectionQuery, 'withPlan' | 'withPath'>): boolean =>
  !withPlan && !withPath

/** The compiler does not know that a method takes the query of its own name. */
function readBy<N extends keyof Reads>(
  reads: Reads,
  name: N,
  query: Query<N>,
  caller: Caller,
): Answer<N> {
  const read = reads[name] as (query: Query<N>, caller: Caller) => Answer<N>
  return read.call(reads, query, caller)
}
