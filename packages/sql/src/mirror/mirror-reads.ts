import type { ClassModel } from '@entia/core'
import {
  type Caller,
  classOf,
  type Engine,
  type EntityQuery,
  type Followed,
  type FollowQuery,
  type SelectionQuery,
} from '@entia/engine'
import { readsOfAnswer } from '../live/live-reads.ts'
import type { CallerFilters } from '../read/caller-filters.ts'
import type { Dataset } from '../schema/dataset.ts'
import type { MirrorAnswers } from './mirror-answers.ts'

type Reads = Pick<Engine, 'readEntity' | 'readSelection' | 'compute' | 'distinct' | 'group'>
type Answer<N extends keyof Reads> = ReturnType<Reads[N]>
type Query<N extends keyof Reads> = Parameters<Reads[N]>[0]

export interface MirrorReadsOptions {
  readonly answers: MirrorAnswers
  readonly dataset: Dataset
  readonly filtersOf: (caller: Caller) => CallerFilters
  /** What answers the other reads. */
  readonly database: Reads
}

/** The reads of an engine: from a mirror where it can answer, and from the database otherwise. */
export class MirrorReads implements Reads {
  readonly #options: MirrorReadsOptions

  constructor(options: MirrorReadsOptions) {
    this.#options = options
  }

  async readEntity(query: EntityQuery, caller: Caller): Promise<Awaited<Answer<'readEntity'>>> {
    const { reference, projection, filter, content } = query
    const { database } = this.#options
    const needs = (): Needs => {
      const shown = this.#reads(caller, projection.dataClass, { filter, projection })
      return both(shown, this.#reads(caller, reference.dataClass))
    }
    const found =
      content === 'address' && isPlain(query)
        ? await this.#read('readEntity', query, caller, reference.dataClass, needs)
        : null
    return found === null ? database.readEntity(query, caller) : found.value
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

  async #select<N extends Exclude<keyof Reads, 'readEntity'>>(
    name: N,
    query: Query<N> & SelectionQuery,
    caller: Caller,
    isPossible: boolean,
    needs: () => Needs,
  ): Promise<Awaited<Answer<N>>> {
    const { source, saved } = query
    const isOfClass = source.kind !== 'entitySet' && saved === null && isPlain(query)
    const found =
      isPossible && isOfClass ? await this.#read(name, query, caller, classOf(source), needs) : null
    if (found !== null) return found.value
    return readBy(this.#options.database, name, query, caller)
  }

  #read<N extends keyof Reads>(
    name: N,
    query: Query<N>,
    caller: Caller,
    dataClass: ClassModel,
    needs: () => Needs,
  ): Promise<{ readonly value: Awaited<Answer<N>> } | null> {
    return this.#options.answers.answer({
      dataClass: dataClass.name,
      caller,
      needs,
      isWhole: name === 'readEntity' || name === 'readSelection',
      read: ({ engine }, session) => readBy(engine, name, query, { ...caller, session }),
    })
  }

  /** The dataclasses that decide which entities a caller sees, and what is shown of them. */
  #reads(
    caller: Caller,
    dataClass: ClassModel,
    { filter = null, projection = { dataClass, fields: [] } }: Partial<Shown> = {},
  ): Needs {
    const source = { kind: 'all', dataClass } as const
    const filters = this.#options.filtersOf(caller)
    return readsOfAnswer(filters, { source, filter, orderBy: null, projection })
  }

  /** Those that decide about values behind paths. */
  #along({ source, filter }: SelectionQuery, caller: Caller, paths: readonly string[]): Needs {
    const dataClass = classOf(source)
    const filters = this.#options.filtersOf(caller)
    const projection = { dataClass, fields: [] }
    let needs = readsOfAnswer(filters, { source, filter, orderBy: null, projection })
    for (const path of paths) {
      const { steps, attribute } = filters.resolvePath(dataClass, path)
      if (attribute.kind === 'calculated') return null
      for (const { target } of steps) needs = both(needs, this.#reads(caller, target))
    }
    return needs
  }
}

type Needs = ReadonlySet<string> | null
type Shown = Pick<EntityQuery, 'filter' | 'projection'>

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
): Awaited<Answer<N>> | Promise<Awaited<Answer<N>>> {
  const read = reads[name] as (query: Query<N>, caller: Caller) => Awaited<Answer<N>>
  return read.call(reads, query, caller)
}
