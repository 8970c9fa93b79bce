import type {
  AsyncEntitySet,
  AsyncGrouping,
  AsyncSelection,
  EntitySetId,
  FilterValue,
  GroupPage,
  IterateOptions,
  Page,
} from '../model/async-store-types.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { Condition } from '../model/condition-types.ts'
import type { Untyped } from '../model/definition.ts'
import type { GroupAggregates } from '../model/group-types.ts'
import type { AnySelection } from '../model/session-types.ts'
import {
  bothOf,
  bothSearches,
  type FilterParts,
  filterOf,
  refuseJson,
  refuseWholeRemoval,
  withFilter,
} from '../query/filter-parts.ts'
import { checkCallOptions, checkText, wholeNumber } from '../value/check-options.ts'

/** A selection that is described. */
export interface Described {
  readonly dataClass: ClassModel
  /** The entity set of the members before the filters; null for the whole dataclass. */
  readonly setId: string | null
  readonly filter: FilterParts | null
  /** Words that entities must have; null for none. */
  readonly search: string | null
  readonly orderBy: string | null
  /** The attributes to read; null for whole entities. */
  readonly paths: string | null
}

/** Describes all members of a dataclass or of an entity set. */
export const wholeOf = (dataClass: ClassModel, setId: string | null = null): Described => ({
  dataClass,
  setId,
  filter: null,
  search: null,
  orderBy: null,
  paths: null,
})

/** What groups are made of. */
export interface DescribedGroups {
  readonly attributes: string
  readonly aggregates: GroupAggregates
  readonly condition: FilterParts | null
  readonly orderBy: string | null
}

/** Combines an entity set with the one that has the id `other`. */
interface Combination {
  readonly operator: 'AND' | 'OR' | 'EXCEPT'
  readonly other: string
}

/** What answers for selections that are described: a store in the process, or one elsewhere. */
export interface SelectionReads {
  /** Refuses what the store cannot do, as soon as it is described. */
  readonly checkSearch?: () => void
  readonly checkPaths?: (paths: unknown) => void
  /** The members, as the argument of a function of a store in the process. */
  readonly membersOf?: (described: Described) => AnySelection
  page(described: Described, skip: number, top: number): Page<Untyped> | Promise<Page<Untyped>>
  first(described: Described): Untyped
  all(described: Described): Untyped[] | Promise<Untyped[]>
  iterate(described: Described, options: IterateOptions): AsyncGenerator<Untyped, void, undefined>
  aggregate(described: Described, action: 'sum' | 'average' | 'min' | 'max', path: string): Untyped
  distinct(described: Described, path: string): Untyped
  groups(
    described: Described,
    groups: DescribedGroups,
    skip: number,
    top: number,
  ): GroupPage<Untyped> | Promise<GroupPage<Untyped>>
  call(described: Described, name: string, args: readonly unknown[]): Untyped
  /** Keeps the members as an entity set, and returns its id. */
  keep(
    described: Described,
    options: { readonly lifetimeSeconds?: number },
  ): string | Promise<string>
  /** The id of a new entity set. Null leaves out members that were removed. */
  combine(described: Described, combination: Combination | null): string | Promise<string>
  intersects(described: Described, other: string): boolean | Promise<boolean>
  release(id: string): boolean | Promise<boolean>
  remove(described: Described): void | Promise<void>
}

const ITERATE_OPTIONS = ['pageSize', 'signal']

/** How many entities an iteration reads at once, and what ends it. Throws as `iterate`. */
export function checkIteration(options: IterateOptions): {
  readonly size: number
  readonly signal: AbortSignal | undefined
} {
  checkCallOptions(options, ITERATE_OPTIONS)
  const { pageSize = 100, signal } = options
  signal?.throwIfAborted()
  return { size: wholeNumber('pageSize', pageSize, 1), signal }
}

/**
 * A query of an asynchronous store: a description, whose members are found by each read. Callers
 * see it by the types of their model.
 */
export class DescribedSelection implements AsyncSelection<Untyped, string, Untyped> {
  readonly dataClass: string
  readonly reads: SelectionReads
  readonly described: Described

  constructor(reads: SelectionReads, described: Described) {
    this.dataClass = described.dataClass.name
    this.reads = reads
    this.described = described
  }

  /** What Node prints. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `Selection of ${this.dataClass}`
  }

  query(
    filter: TemplateStringsArray | Condition,
    ...values: readonly FilterValue[]
  ): DescribedSelection {
    return this.#with({ filter: withFilter(this.described.filter, this.dataClass, filter, values) })
  }
  search(words: string): DescribedSelection {
    this.reads.checkSearch?.()
    return this.#with({ search: bothSearches(this.described.search, words) })
  }
  orderBy(orderBy: string): DescribedSelection {
    checkText('The order', orderBy, 'name desc')
    return this.#with({ orderBy })
  }
  select(paths: string): DescribedSelection {
    this.reads.checkPaths?.(paths)
    return this.#with({ paths })
  }

  async page(skip: number, top: number, signal?: AbortSignal): Promise<Page<Untyped>> {
    signal?.throwIfAborted()
    return this.reads.page(this.described, skip, top)
  }
  async first(): Promise<Untyped> {
    return this.reads.first(this.described)
  }
  async count(): Promise<number> {
    // Reads a page, so that wrong paths are refused.
    return (await this.page(0, 0)).count
  }
  async toArray(options: IterateOptions = {}): Promise<Untyped[]> {
    checkCallOptions(options, ITERATE_OPTIONS)
    options.signal?.throwIfAborted()
    return this.reads.all(this.described)
  }
  [Symbol.asyncIterator](): AsyncIterator<Untyped> {
    return this.iterate()
  }
  iterate(options: IterateOptions = {}): AsyncGenerator<Untyped, void, undefined> {
    return this.reads.iterate(this.described, options)
  }

  async sum(attribute: string): Promise<number> {
    return this.reads.aggregate(this.described, 'sum', attribute)
  }
  async average(attribute: string): Promise<number | null> {
    return this.reads.aggregate(this.described, 'average', attribute)
  }
  async min(path: string): Promise<Untyped> {
    return this.reads.aggregate(this.described, 'min', path)
  }
  async max(path: string): Promise<Untyped> {
    return this.reads.aggregate(this.described, 'max', path)
  }
  async distinct(path: string): Promise<Untyped> {
    return this.reads.distinct(this.described, path)
  }

  groupBy(attributes: string, aggregates?: GroupAggregates): DescribedGrouping {
    // In JavaScript, null may stand for none.
    const groups = { attributes, aggregates: aggregates ?? {}, condition: null, orderBy: null }
    return new DescribedGrouping(this, groups)
  }
  async call(name: string, ...args: readonly unknown[]): Promise<Untyped> {
    return this.reads.call(this.described, name, args)
  }

  async entitySet(options: { readonly lifetimeSeconds?: number } = {}): Promise<DescribedSet> {
    return this.#setOf(await this.reads.keep(this.described, options))
  }
  toJSON(): never {
    return refuseJson()
  }
  async remove(): Promise<void> {
    const { filter, search, setId } = this.described
    if (setId === null && search === null) refuseWholeRemoval(filter)
    await this.reads.remove(this.described)
  }

  #with(change: Partial<Described>): DescribedSelection {
    return new DescribedSelection(this.reads, { ...this.described, ...change })
  }
  #setOf(id: string): DescribedSet {
    return new DescribedSet(this.reads, this.described.dataClass, id)
  }
}

/** An entity set of an asynchronous store. */
export class DescribedSet extends DescribedSelection implements AsyncEntitySet<Untyped, string> {
  readonly id: string

  constructor(reads: SelectionReads, dataClass: ClassModel, id: string) {
    super(reads, wholeOf(dataClass, id))
    this.id = id
  }

  async and({ id }: EntitySetId<string>): Promise<DescribedSet> {
    return this.#combined({ operator: 'AND', other: id })
  }
  async or({ id }: EntitySetId<string>): Promise<DescribedSet> {
    return this.#combined({ operator: 'OR', other: id })
  }
  async except({ id }: EntitySetId<string>): Promise<DescribedSet> {
    return this.#combined({ operator: 'EXCEPT', other: id })
  }
  async intersects({ id }: EntitySetId<string>): Promise<boolean> {
    return this.reads.intersects(this.described, id)
  }
  async clean(): Promise<DescribedSet> {
    return this.#combined(null)
  }
  async release(): Promise<boolean> {
    return this.reads.release(this.id)
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }

  async #combined(combination: Combination | null): Promise<DescribedSet> {
    const id = await this.reads.combine(this.described, combination)
    return new DescribedSet(this.reads, this.described.dataClass, id)
  }
}

/** Groups of an asynchronous store. Each read computes them. */
class DescribedGrouping implements AsyncGrouping<Untyped> {
  readonly #selection: DescribedSelection
  readonly #groups: DescribedGroups

  constructor(selection: DescribedSelection, groups: DescribedGroups) {
    this.#selection = selection
    this.#groups = groups
  }

  having(strings: TemplateStringsArray, ...values: readonly FilterValue[]): DescribedGrouping {
    return this.#with({ condition: bothOf(this.#groups.condition, filterOf(strings, values)) })
  }
  orderBy(orderBy: string): DescribedGrouping {
    checkText('The order', orderBy, 'count desc')
    return this.#with({ orderBy })
  }

  async page(skip: number, top: number, signal?: AbortSignal): Promise<GroupPage<Untyped>> {
    signal?.throwIfAborted()
    const { reads, described } = this.#selection
    return reads.groups(described, this.#groups, skip, top)
  }
  async first(): Promise<Untyped> {
    return (await this.page(0, 1)).groups[0]
  }
  async count(): Promise<number> {
    return (await this.page(0, 0)).count
  }
  async toArray(options: Pick<IterateOptions, 'signal'> = {}): Promise<Untyped[]> {
    checkCallOptions(options, ['signal'])
    return [...(await this.page(0, Number.MAX_SAFE_INTEGER, options.signal)).groups]
  }
  async *[Symbol.asyncIterator](): AsyncGenerator<Untyped, void, undefined> {
    yield* await this.toArray()
  }

  #with(change: Partial<DescribedGroups>): DescribedGrouping {
    return new DescribedGrouping(this.#selection, { ...this.#groups, ...change })
  }
}
