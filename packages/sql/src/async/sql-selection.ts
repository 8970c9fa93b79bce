import type {
  AsyncEntity,
  AsyncEntitySet,
  AsyncSelection,
  Checked,
  CheckedAggregates,
  ClassCallArguments,
  ClassCallResult,
  ClassModel,
  Condition,
  EntitySetId,
  FilterValue,
  FunctionName,
  GroupAggregates,
  GroupError,
  GroupRow,
  IterateOptions,
  Model,
  Page,
  Untyped,
} from '@entia/core'
import {
  checkCallOptions,
  checkOwnPath,
  checkText,
  ITERATE_OPTIONS,
  wholeNumber,
} from '@entia/core/internal'
import { bothSearches, refuseJson, refuseWholeRemoval, withFilter } from '@entia/core/query'
import { callOver, DescribedArgument } from './call.ts'
import { type Described, selectionOver, setsOf, UNFILTERED } from './described.ts'
import { combineSets, keepSelection, releaseKept, setsIntersect } from './kept-sets.ts'
import { selectedOr } from './mirrored.ts'
import { type Local, readAggregates, readDistinct, readLocally, readPage } from './reads.ts'
import { SqlGrouping } from './sql-grouping.ts'
import type { AsyncRuns } from './sql-user.ts'

/** A query of a store over a database. Each read runs it. */
export class SqlSelection<M extends Model, N extends keyof M, E = AsyncEntity<M, N>>
  extends DescribedArgument
  implements AsyncSelection<M, N, E>
{
  readonly runs: AsyncRuns

  constructor(runs: AsyncRuns, described: Described) {
    super(described)
    this.runs = runs
  }

  get dataClass(): N & string {
    return this.described.dataClass.name as N & string
  }
  /** What Node prints for a selection: it is a description, and has no members yet. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `Selection of ${this.dataClass}`
  }

  query(
    filter: TemplateStringsArray | Condition<N & string>,
    ...values: readonly FilterValue[]
  ): SqlSelection<M, N, E> {
    return this.#with({ filter: withFilter(this.described.filter, this.dataClass, filter, values) })
  }
  search(words: string): SqlSelection<M, N, E> {
    return this.#with({ search: bothSearches(this.described.search, words) })
  }
  orderBy(orderBy: string): SqlSelection<M, N, E> {
    checkText('The order', orderBy, 'name desc')
    return this.#with({ orderBy })
  }
  select(paths: string): SqlSelection<M, N, Untyped> {
    return this.#with({ paths })
  }

  async page(skip: number, top: number, signal?: AbortSignal): Promise<Page<E>> {
    signal?.throwIfAborted()
    const from = wholeNumber('skip', skip)
    const size = wholeNumber('top', top)
    return this.#read(
      (members) => members.page(from, size) as Promise<Page<E>>,
      () => readPage(this, from, size),
    )
  }
  async first(): Promise<E | undefined> {
    return (await this.page(0, 1)).entities[0]
  }
  async count(): Promise<number> {
    return (await this.page(0, 0)).count
  }
  async toArray(options: IterateOptions = {}): Promise<E[]> {
    checkCallOptions(options, ITERATE_OPTIONS)
    return [...(await this.page(0, Number.MAX_SAFE_INTEGER, options.signal)).entities]
  }
  [Symbol.asyncIterator](): AsyncIterator<E> {
    return this.iterate()
  }
  /** Reads pages of an entity set, which it releases at the end. */
  async *iterate(options: IterateOptions = {}): AsyncGenerator<E, void, undefined> {
    checkCallOptions(options, ITERATE_OPTIONS)
    const { pageSize = 100, signal } = options
    signal?.throwIfAborted()
    const size = wholeNumber('pageSize', pageSize, 1)
    if (this.runs.port === null) {
      yield* await this.toArray()
      return
    }
    const { dataClass, paths, filter, search, orderBy, setId } = this.described
    const isKept = setId !== null && filter === null && search === null && orderBy === null
    const id = isKept ? setId : await keepSelection(this.#with({ paths: null }))
    const members = { ...UNFILTERED, dataClass, paths, setId: id }
    const set = new SqlSelection<M, N, E>(this.runs, members)
    try {
      for (let skip = 0; ; skip += size) {
        const { count, entities } = await set.page(skip, size, signal)
        yield* entities
        if (skip + size >= count) return
      }
    } finally {
      if (!isKept) await releaseKept(this.runs, id)
    }
  }

  sum(attribute: string): Promise<number> {
    return this.#aggregate(attribute, 'sum', 0)
  }

  average(attribute: string): Promise<number | null> {
    return this.#aggregate(attribute, 'average', null)
  }

  min(path: string): Promise<Untyped> {
    return this.#aggregate(path, 'min', null)
  }

  max(path: string): Promise<Untyped> {
    return this.#aggregate(path, 'max', null)
  }

  distinct(path: string): Promise<Untyped> {
    return this.#compute<Untyped>(
      path,
      (members) => members.distinct(path),
      () => readDistinct(this, path),
    )
  }

  groupBy<const S extends string, const A extends GroupAggregates = Record<never, never>>(
    attributes: Checked<S, GroupError<M, N, S>>,
    aggregates?: A & CheckedAggregates<M, N, A>,
  ): SqlGrouping<GroupRow<M, N, S, A>> {
    const groups = { attributes, aggregates: aggregates ?? {}, condition: null, orderBy: null }
    return new SqlGrouping(this, groups)
  }

  async call<K extends FunctionName<M[N]['functions'], 'selection'>>(
    name: K,
    ...args: ClassCallArguments<M, N, K>
  ): Promise<ClassCallResult<M, N, K>> {
    const run = (access: Untyped, given: readonly unknown[]): Promise<unknown> =>
      (selectionOver(access, this.described) as Untyped).call(name, ...given)
    const sets = setsOf(this.described)
    const setOf = entitySetOf(this.runs)
    const found = await callOver(this.runs, { name: String(name), args, sets, run, setOf })
    return found as ClassCallResult<M, N, K>
  }

  async entitySet(
    options: { readonly lifetimeSeconds?: number } = {},
  ): Promise<AsyncEntitySet<M, N>> {
    checkCallOptions(options, ['lifetimeSeconds'])
    // Refuses wrong paths.
    if (this.described.paths !== null) await this.page(0, 0)
    const id = await keepSelection(this.#with({ paths: null }), options)
    return new SqlEntitySet<M, N>(this.runs, this.described.dataClass, id)
  }
  toJSON(): never {
    return refuseJson()
  }
  async remove(): Promise<void> {
    const { filter, search, setId } = this.described
    if (setId === null && search === null) refuseWholeRemoval(filter)
    const sets = setsOf(this.described)
    await this.runs.write('a deletion', { sets }, (access) =>
      selectionOver(access, this.described).remove(),
    )
  }

  /** From the mirror, or else from the database. */
  #read<R>(local: (members: Local) => Promise<R>, fromDatabase: () => Promise<R>): Promise<R> {
    return selectedOr(this, local, fromDatabase)
  }

  /** `none`: what an aggregate of no values is. */
  #aggregate(
    path: string,
    action: 'sum' | 'average' | 'min' | 'max',
    none: number | null,
  ): Promise<Untyped> {
    const local = (members: Local): Promise<Untyped> => members[action](path as never)
    return this.#compute(path, local, async () => {
      const found = await readAggregates(this, path, action)
      return found && (found[action] ?? none)
    })
  }

  /** The same for values, which core's own code computes where they have no SQL. */
  async #compute<R>(
    path: string,
    local: (members: Local) => Promise<R>,
    bySql: () => Promise<R | undefined>,
  ): Promise<R> {
    checkOwnPath(this.described.dataClass, path)
    return this.#read(local, async () => {
      const found = await bySql()
      return found === undefined ? readLocally(this, local) : found
    })
  }

  #with<F = E>(change: Partial<Described>): SqlSelection<M, N, F> {
    return new SqlSelection<M, N, F>(this.runs, { ...this.described, ...change })
  }
}

/** Entity sets by their ids. */
export const entitySetOf =
  (runs: AsyncRuns) =>
  (dataClass: ClassModel, id: string): SqlEntitySet<Untyped, string> =>
    new SqlEntitySet<Untyped, string>(runs, dataClass, id)

/** An entity set of the database. */
class SqlEntitySet<M extends Model, N extends keyof M>
  extends SqlSelection<M, N>
  implements AsyncEntitySet<M, N>
{
  readonly id: string

  constructor(runs: AsyncRuns, dataClass: Described['dataClass'], id: string) {
    super(runs, { ...UNFILTERED, dataClass, setId: id })
    this.id = id
  }

  and({ id }: EntitySetId<N>): Promise<AsyncEntitySet<M, N>> {
    return this.#combined({ operator: 'AND', other: id })
  }
  or({ id }: EntitySetId<N>): Promise<AsyncEntitySet<M, N>> {
    return this.#combined({ operator: 'OR', other: id })
  }
  except({ id }: EntitySetId<N>): Promise<AsyncEntitySet<M, N>> {
    return this.#combined({ operator: 'EXCEPT', other: id })
  }
  intersects({ id }: EntitySetId<N>): Promise<boolean> {
    return setsIntersect(this.runs, this.described.dataClass, this.id, id)
  }
  clean(): Promise<AsyncEntitySet<M, N>> {
    return this.#combined(null)
  }
  release(): Promise<boolean> {
    return releaseKept(this.runs, this.id)
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }

  async #combined(combination: Parameters<typeof combineSets>[1]): Promise<AsyncEntitySet<M, N>> {
    const id = await combineSets(this, combination)
    return new SqlEntitySet<M, N>(this.runs, this.described.dataClass, id)
  }
}
