import type {
  Arrived,
  AsyncSelection,
  AttributesOf,
  Checked,
  CheckedAggregates,
  Condition,
  FilterValue,
  FunctionName,
  GroupAggregates,
  GroupError,
  GroupRow,
  IterateOptions,
  KeyOf,
  ListError,
  Model,
  NumericName,
  OrderError,
  OwnPathError,
  Page,
  PathValue,
  Projection,
} from '@entia/core'
import { bothSearches, refuseJson, refuseWholeRemoval, withFilter } from '@entia/core/query'
import { callFunction, type Link } from './call-function.ts'
import { onePath, orderText, pageParameters, wholeNumber } from './check-input.ts'
import { decodeEntity, decodeValue, decodeValues, keyFrom, pathTree, type Wire } from './decode.ts'
import { extrasOf } from './dehydrated.ts'
import { FunctionArgument, SENT, type SentArgument } from './function-argument.ts'
import type { CallArguments, CallResult } from './function-types.ts'
import { nameInAddress } from './key-in-address.ts'
import {
  follow,
  type LiveDecoder,
  type LiveEvent,
  type LiveIdentity,
  type LiveOptions,
} from './live.ts'
import { ALL_MEMBERS, parametersOf, paramsOf, type QueryParts } from './query-parts.ts'
import type { RemoteModel } from './remote-catalog.ts'
import type { RemoteEntitySet } from './remote-entity-set.ts'
import { RemoteGrouping } from './remote-grouping.ts'
import type { RemoteEntity, RemoteMedia } from './remote-types.ts'
import { type Parameters, searchOf } from './transport.ts'

export type { IterateOptions, Page } from '@entia/core'

/**
 * Entities on the server, requested when they are read. Each method except `query`, `search`,
 * `orderBy` and `select` sends a request. `E` is the type of the items. The async iterator reads
 * page by page from an entity set that it releases at the end. No entity is repeated or skipped.
 */
export class RemoteSelection<M extends Model, N extends keyof M, E = RemoteEntity<M, N>>
  extends FunctionArgument
  implements AsyncSelection<M, N, E>
{
  /** The name of the dataclass. */
  readonly dataClass: N & string
  protected readonly link: Link
  /** Relative to the connection's address. */
  protected readonly path: string
  readonly #query: QueryParts

  constructor(link: Link, dataClass: N & string, path: string, query: QueryParts = ALL_MEMBERS) {
    super()
    this.link = link
    this.dataClass = dataClass
    this.path = path
    this.#query = query
  }

  /**
   * Adds a filter with `and`: ``query`salary > ${minimum} and employer.city === ${city}` ``, or
   * a condition of `where` of `@entia/core/query`.
   */
  query(
    filter: TemplateStringsArray | Condition<N & string>,
    ...values: readonly FilterValue[]
  ): RemoteSelection<M, N, E> {
    return this.#with({ filter: withFilter(this.#query.filter, this.dataClass, filter, values) })
  }
  /**
   * Adds a search with `and`: every word occurs in the entity, in any attribute with `words: true`.
   * A word that ends with `@` or `*` is a prefix. Pages without an order begin with the best
   * matches, where the server has scores.
   */
  search(words: string): RemoteSelection<M, N, E> {
    return this.#with({ search: bothSearches(this.#query.search, words) })
  }
  /** Replaces the order: `orderBy('salary desc, employer.name')`. */
  orderBy<const S extends string>(text: Checked<S, OrderError<M, N, S>>): RemoteSelection<M, N, E> {
    return this.#with({ orderBy: orderText(text) })
  }
  /**
   * Reads plain objects of these attributes, nested along relations; at most 100 entities of a
   * to-many relation.
   */
  select<const S extends string>(
    paths: Checked<S, ListError<M, N, S>>,
  ): RemoteSelection<M, N, Arrived<Projection<M, N, S>, RemoteMedia>> {
    return this.#with({ attributes: paths, paths: pathTree(paths) })
  }

  async page(skip: number, top: number, signal?: AbortSignal): Promise<Page<E>> {
    return this.#read(await this.#ask(pageParameters(skip, top), signal))
  }
  async first(): Promise<E | undefined> {
    return (await this.page(0, 1)).entities[0]
  }
  async count(): Promise<number> {
    return (await this.page(0, 0)).count
  }
  /** Reads all members into one list. */
  async toArray(options?: IterateOptions): Promise<E[]> {
    const all: E[] = []
    for await (const entity of this.iterate(options)) all.push(entity)
    return all
  }
  [Symbol.asyncIterator](): AsyncIterator<E> {
    return this.iterate()
  }
  async *iterate({
    pageSize = 100,
    signal,
  }: IterateOptions = {}): AsyncGenerator<E, void, undefined> {
    const size = wholeNumber('pageSize', pageSize, 1)
    const first = await this.#ask(
      { $top: size, ...(!this.isKept && { $method: 'entityset' }) },
      signal,
    )
    const opened = this.isKept ? null : this.#setOf(first)
    const set = opened ?? this
    try {
      let { count, entities, sent } = await this.#readSent(first)
      let position = 0
      for (;;) {
        yield* entities
        position += sent
        if (position >= count || sent === 0) return
        const next = await set.#ask(
          { $skip: position, $top: size, $attributes: this.#query.attributes ?? undefined },
          signal,
        )
        ;({ count, entities, sent } = await this.#readSent(next))
      }
    } finally {
      await opened?.release().catch(() => {})
    }
  }

  /**
   * Follows the selection: first its members, then each change:
   * ``for await (const event of rich.live({ signal }))``. The server must have live queries
   * enabled. After a lost connection it reconnects without missing a change.
   */
  live(
    options: LiveOptions = {},
  ): AsyncGenerator<LiveEvent<E, KeyOf<AttributesOf<M, N>>>, void, undefined> {
    type Key = KeyOf<AttributesOf<M, N>>
    const key = (text: unknown, model: RemoteModel): Key => keyFrom(text, model.key) as Key
    const decoder: LiveDecoder<E, Key> = {
      decode: (convert) =>
        this.link.catalog.use(this.dataClass, (model) =>
          convert({
            key: (text) => key(text, model),
            members: (list) =>
              new Map(
                list.map((wire) => [key(wire.__KEY, model), this.#decodeOne(wire, model) as E]),
              ),
          }),
        ),
    }
    return follow(this.link.transport, this.path, this.#parameters(), decoder, options)
  }

  /** Identifies what `live` follows, without a request. */
  liveIdentity(): LiveIdentity {
    const { origin, withExtras } = this.link
    const text = this.path + searchOf(this.#parameters())
    return { origin, text, extrasOf, withExtras }
  }

  /**
   * 0 if there is no value. A sum beyond the largest number is infinite, or NaN if values have both
   * signs: the server answers null, and another request tells the sign.
   */
  async sum(attribute: NumericName<AttributesOf<M, N>>): Promise<number> {
    const sum = (await this.#compute(attribute, 'sum')) as number | null
    return sum ?? (await this.#beyond(attribute)) ?? 0
  }
  /** Null if there is no value. It is infinite or NaN where the sum is. */
  async average(attribute: NumericName<AttributesOf<M, N>>): Promise<number | null> {
    const average = (await this.#compute(attribute, 'average')) as number | null
    return average ?? this.#beyond(attribute)
  }
  /** What stands for a sum that JSON cannot hold; null if there is no value. */
  async #beyond(attribute: string): Promise<number | null> {
    const all = (await this.#compute(attribute, '$all')) as {
      readonly [path: string]: { readonly min: number | null; readonly max: number | null }
    }
    const [{ min, max } = { min: null, max: null }] = Object.values(all)
    if (min === null || max === null) return null
    if (min >= 0) return Number.POSITIVE_INFINITY
    return max <= 0 ? Number.NEGATIVE_INFINITY : Number.NaN
  }
  async min<const S extends string>(
    path: Checked<S, OwnPathError<M, N, S>>,
  ): Promise<Arrived<PathValue<M, N, S>> | null> {
    return (await this.#compute(path, 'min')) as Arrived<PathValue<M, N, S>> | null
  }
  async max<const S extends string>(
    path: Checked<S, OwnPathError<M, N, S>>,
  ): Promise<Arrived<PathValue<M, N, S>> | null> {
    return (await this.#compute(path, 'max')) as Arrived<PathValue<M, N, S>> | null
  }
  /** The distinct values of an attribute, in order. */
  async distinct<const S extends string>(
    path: Checked<S, OwnPathError<M, N, S>>,
  ): Promise<readonly NonNullable<Arrived<PathValue<M, N, S>>>[]> {
    const values = await this.#ask({ $distinct: true, $attributes: path, $orderby: undefined })
    return (await this.#valuesOf(path, values as readonly unknown[])) as readonly NonNullable<
      Arrived<PathValue<M, N, S>>
    >[]
  }

  /** Calls an exposed function that works on the selection. */
  call<K extends FunctionName<M[N]['functions'], 'selection'>>(
    name: K,
    ...args: CallArguments<M, N, K>
  ): Promise<CallResult<M, N, K>> {
    const { $filter, $params, $orderby } = this.#parameters()
    const path = `${this.path}/${nameInAddress(name)}`
    return callFunction(this.link, path, args, { $filter, $params, $orderby })
  }
  async [SENT](): Promise<SentArgument> {
    const set = await this.entitySet()
    return { ...(await set[SENT]()), release: () => set.release() }
  }

  /**
   * Groups the members: `groupBy('origin.state', { count: true, delay: ['average', 'max'] })`.
   * Sends nothing; the groups are requested when they are read.
   */
  groupBy<const S extends string, const A extends GroupAggregates = Record<never, never>>(
    attributes: Checked<S, GroupError<M, N, S>>,
    aggregates?: A & CheckedAggregates<M, N, A>,
  ): RemoteGrouping<GroupRow<M, N, S, A>> {
    const selection = {
      catalog: this.link.catalog,
      dataClass: this.dataClass,
      values: this.#query.filter?.values ?? [],
      ask: (parameters: Parameters, values: readonly unknown[], signal?: AbortSignal) => {
        const $params = values.length === 0 ? undefined : paramsOf(values)
        return this.#ask({ $attributes: undefined, ...parameters, $params }, signal)
      },
    }
    const groups = { attributes, aggregates: aggregates ?? {}, condition: null, orderBy: null }
    return new RemoteGrouping(selection, groups)
  }

  /**
   * Stores the members and their order on the server until they are unused for this long; two hours
   * by default.
   */
  async entitySet({
    lifetimeSeconds,
  }: {
    readonly lifetimeSeconds?: number
  } = {}): Promise<RemoteEntitySet<M, N>> {
    return this.#setOf(
      await this.#ask({ $method: 'entityset', $top: 0, $timeout: lifetimeSeconds }),
    )
  }
  toJSON(): never {
    return refuseJson()
  }
  /** Removes all members in one transaction. */
  async remove(): Promise<void> {
    // A deletion accepts neither an order nor an attribute list.
    const { $filter, $params, $search } = this.#parameters()
    if (!this.path.includes('/') && $search === undefined) refuseWholeRemoval(this.#query.filter)
    await this.link.transport.ask('DELETE', this.path, { $filter, $params, $search, $atomic: true })
  }
  /** The plan of the filter in the protocol's form. */
  async explain(): Promise<unknown> {
    return ((await this.#ask({ $queryplan: true, $top: 0 })) as Wire).__queryPlan
  }

  /** True for an entity set: members and order are stored. */
  protected get isKept(): boolean {
    return false
  }
  /** The entity set that a response names. */
  protected setAt(answer: unknown): RemoteEntitySet<M, N> {
    return this.#setOf(answer)
  }

  #with<F = E>(change: Partial<QueryParts>): RemoteSelection<M, N, F> {
    return new RemoteSelection<M, N, F>(this.link, this.dataClass, this.path, {
      ...this.#query,
      ...change,
    })
  }
  #setOf(answer: unknown): RemoteEntitySet<M, N> {
    const { __ENTITYSET: address } = answer as { readonly __ENTITYSET: string }
    return this.link.entitySet(this.dataClass, address)
  }

  #parameters(): Parameters {
    return parametersOf(this.#query)
  }
  #ask(parameters: Parameters, signal?: AbortSignal): Promise<unknown> {
    return this.link.transport.ask(
      'GET',
      this.path,
      { ...this.#parameters(), ...parameters },
      undefined,
      signal,
    )
  }
  async #compute(path: string, keyword: string): Promise<unknown> {
    const value = await this.#ask({
      $compute: keyword,
      $attributes: onePath(path),
      $orderby: undefined,
    })
    return (await this.#valuesOf(path, [value]))[0]
  }
  /** Only calendar dates differ from what the server sends. */
  #valuesOf(path: string, values: readonly unknown[]): Promise<readonly unknown[]> {
    if (typeof values[0] !== 'string') return Promise.resolve(values)
    return this.link.catalog.use(this.dataClass, (model) => {
      const attribute = model.attributes.get(path)
      return attribute === undefined
        ? values
        : values.map((value) => decodeValue(value, attribute, model))
    })
  }
  async #read(answer: unknown): Promise<Page<E>> {
    const { count, skip, entities } = await this.#readSent(answer)
    return { count, skip, entities }
  }
  async #readSent(answer: unknown): Promise<Page<E> & { readonly sent: number }> {
    const {
      __COUNT: count,
      __FIRST: skip,
      __ENTITIES: list,
    } = answer as {
      readonly __COUNT: number
      readonly __FIRST: number
      readonly __ENTITIES: readonly Wire[]
    }
    const entities = await this.link.catalog.use(this.dataClass, (model) =>
      list.map((wire) => this.#decodeOne(wire, model)).filter((entity) => entity !== null),
    )
    return { count, skip, entities: entities as E[], sent: list.length }
  }
  /** Null for a deleted member. */
  #decodeOne(wire: Wire, model: RemoteModel): Wire | null {
    const { paths } = this.#query
    if (paths === undefined) return decodeEntity(wire, model)
    return '__KEY' in wire ? decodeValues(wire, model, paths) : null
  }
}
