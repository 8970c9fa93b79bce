import { EntiaError } from '../errors.ts'
import type {
  AsyncEntitySet,
  AsyncSelection,
  EntitySetId,
  FilterValue,
  IterateOptions,
  Page,
} from '../model/async-store-types.ts'
import type { Condition } from '../model/condition-types.ts'
import type { Untyped } from '../model/definition.ts'
import type { GroupAggregates } from '../model/group-types.ts'
import { checkOwnPath } from '../model/path.ts'
import type { Selection } from '../model/selection-types.ts'
import type { AnySelection } from '../model/session-types.ts'
import {
  bothSearches,
  type FilterParts,
  refuseJson,
  refuseWholeRemoval,
  textOf,
  withFilter,
} from '../query/filter-parts.ts'
import { needCapabilities } from '../store/kernel/capability.ts'
import { checkCallOptions, checkText, wholeNumber } from '../value/check-options.ts'
import { type Access, callFunction, MEMBERS } from './call.ts'
import { copyOf, shown } from './copy.ts'
import { LocalGrouping, LocalProjection } from './local-projection.ts'

export const ITERATE_OPTIONS = ['pageSize', 'signal']

interface QueryParts {
  readonly filter: FilterParts | null
  /** Words that entities must have; null for none. */
  readonly search?: string | null
  /** The best matches come first. False: the order is that of the members. */
  readonly isScored?: boolean
  readonly orderBy: string | null
  readonly projection: LocalProjection | null
}
const ALL_MEMBERS: QueryParts = { filter: null, orderBy: null, projection: null }

type Found = Selection<Untyped, string>

/**
 * A query of a store in the process. Each read runs it. Callers see it by the types of their model.
 */
export class LocalSelection implements AsyncSelection<Untyped, string, Untyped> {
  readonly dataClass: string
  protected readonly access: Access
  /** The entity set of the members before the filters; null for the whole dataclass. */
  readonly #setId: string | null
  readonly #query: QueryParts

  constructor(
    access: Access,
    dataClass: string,
    setId: string | null = null,
    query: QueryParts = ALL_MEMBERS,
  ) {
    this.access = access
    this.dataClass = dataClass
    this.#setId = setId
    this.#query = query
  }

  query(
    filter: TemplateStringsArray | Condition,
    ...values: readonly FilterValue[]
  ): LocalSelection {
    return this.#with({ filter: withFilter(this.#query.filter, this.dataClass, filter, values) })
  }
  search(words: string): LocalSelection {
    needCapabilities(this.access.store, 'search', ['indexes'])
    return this.#with({ search: bothSearches(this.#query.search, words) })
  }
  orderBy(orderBy: string): LocalSelection {
    checkText('The order', orderBy, 'name desc')
    return this.#with({ orderBy })
  }
  select(paths: string): LocalSelection {
    return this.#with({ projection: new LocalProjection(paths, this.access.model(this.dataClass)) })
  }

  async page(skip: number, top: number, signal?: AbortSignal): Promise<Page<Untyped>> {
    signal?.throwIfAborted()
    const found = this.#run()
    return { count: found.count, skip, entities: this.#items(found.page(skip, top)) }
  }
  async first(): Promise<Untyped> {
    return this.#items(this.#run().page(0, 1))[0]
  }
  async count(): Promise<number> {
    // Reads a page, so that wrong paths are refused.
    return (await this.page(0, 0)).count
  }
  async toArray(options: IterateOptions = {}): Promise<Untyped[]> {
    checkCallOptions(options, ITERATE_OPTIONS)
    options.signal?.throwIfAborted()
    return this.#items(this.#run())
  }
  [Symbol.asyncIterator](): AsyncIterator<Untyped> {
    return this.iterate()
  }
  async *iterate(options: IterateOptions = {}): AsyncGenerator<Untyped, void, undefined> {
    checkCallOptions(options, ITERATE_OPTIONS)
    const { pageSize = 100, signal } = options
    signal?.throwIfAborted()
    const size = wholeNumber('pageSize', pageSize, 1)
    const found = this.#run().settle()
    // The first page is read also where it is empty, so that wrong paths are refused.
    for (let skip = 0; skip === 0 || skip < found.count; skip += size) {
      signal?.throwIfAborted()
      yield* this.#items(found.page(skip, size))
    }
  }

  async sum(attribute: string): Promise<number> {
    return this.#run().sum(this.#ownPath(attribute))
  }
  async average(attribute: string): Promise<number | null> {
    return this.#run().average(this.#ownPath(attribute))
  }
  async min(path: string): Promise<Untyped> {
    return shown(this.#run().min(this.#ownPath(path)))
  }
  async max(path: string): Promise<Untyped> {
    return shown(this.#run().max(this.#ownPath(path)))
  }
  async distinct(path: string): Promise<Untyped> {
    return this.#run().distinct(this.#ownPath(path)).map(shown)
  }

  groupBy(attributes: string, aggregates?: GroupAggregates): LocalGrouping {
    // In JavaScript, null may stand for none.
    const groups = { attributes, aggregates: aggregates ?? {}, condition: null, orderBy: null }
    return new LocalGrouping(() => this.#run(), groups)
  }
  async call(name: string, ...args: readonly unknown[]): Promise<Untyped> {
    const run = (given: readonly unknown[]) => this.#run().call(name, ...given)
    return callFunction(this.access, run, args, entitySetOf(this.access))
  }

  /** The members, as the argument of a function. */
  [MEMBERS](): Found {
    return this.#run()
  }

  async entitySet(options: { readonly lifetimeSeconds?: number } = {}): Promise<LocalEntitySet> {
    const found = this.#run()
    // Refuses wrong paths.
    this.#items(found.page(0, 0))
    return entitySetOf(this.access)(found, options)
  }
  toJSON(): never {
    return refuseJson()
  }
  async remove(): Promise<void> {
    const { filter, search = null } = this.#query
    if (this.#setId === null && search === null) refuseWholeRemoval(filter)
    const found = this.#run()
    this.access.write(() => found.remove())
  }

  #with(change: Partial<QueryParts>): LocalSelection {
    const query = { ...this.#query, ...change }
    return new LocalSelection(this.access, this.dataClass, this.#setId, query)
  }
  #members(): Found {
    const { store, session } = this.access
    if (this.#setId === null) return store.dataClass(this.dataClass).all()
    const found = store.entitySets.get(this.#setId, session)
    if (found === undefined) throw new EntiaError('entitySetNotFound', { id: this.#setId })
    return found
  }
  /** The members with the words of the search, the best matches of a dataclass first. */
  #found(): Found {
    const { search = null, isScored = true } = this.#query
    if (search === null) return this.#members()
    return this.#setId === null && isScored
      ? this.access.store.dataClass(this.dataClass).search(search)
      : this.#members().search(search)
  }
  #ownPath(path: string): string {
    checkOwnPath(this.access.model(this.dataClass), path)
    return path
  }
  #run(): Found {
    const { filter, orderBy } = this.#query
    const members = this.#found()
    const filtered = filter === null ? members : members.query(textOf(filter), filter.values)
    return orderBy === null ? filtered : filtered.orderBy(orderBy)
  }
  #items(found: Found): object[] {
    const { projection } = this.#query
    const model = this.access.model(this.dataClass)
    return projection === null
      ? found.toArray().map((entity) => copyOf(entity, model))
      : projection.rows(found)
  }
}

/** Keeps selections as entity sets. */
export const entitySetOf =
  (access: Access) =>
  (found: AnySelection, options: { readonly lifetimeSeconds?: number } = {}) => {
    const id = access.store.entitySets.create(found, options)
    return new LocalEntitySet(access, found.dataClass.name, id)
  }

/** An entity set of the store. */
class LocalEntitySet extends LocalSelection implements AsyncEntitySet<Untyped, string> {
  readonly id: string

  constructor(access: Access, dataClass: string, id: string) {
    super(access, dataClass, id)
    this.id = id
  }

  and(other: EntitySetId<string>): Promise<LocalEntitySet> {
    return this.#combined('AND', other)
  }
  or(other: EntitySetId<string>): Promise<LocalEntitySet> {
    return this.#combined('OR', other)
  }
  except(other: EntitySetId<string>): Promise<LocalEntitySet> {
    return this.#combined('EXCEPT', other)
  }
  async intersects({ id }: EntitySetId<string>): Promise<boolean> {
    const { store, session } = this.access
    return store.entitySets.combine(this.id, 'INTERSECT', id, session)
  }
  async clean(): Promise<LocalEntitySet> {
    return entitySetOf(this.access)(
      this.access.store.entitySets.clean(this.id, this.access.session),
    )
  }
  async release(): Promise<boolean> {
    return this.access.store.entitySets.release(this.id, this.access.session)
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }

  async #combined(
    operator: 'AND' | 'OR' | 'EXCEPT',
    { id }: EntitySetId<string>,
  ): Promise<LocalEntitySet> {
    const { store, session } = this.access
    return entitySetOf(this.access)(store.entitySets.combine(this.id, operator, id, session))
  }
}
