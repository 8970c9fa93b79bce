import type { AsyncGrouping, GroupPage } from '../model/async-group-types.ts'
import type { FilterValue, IterateOptions } from '../model/async-store-types.ts'
import type { Untyped } from '../model/definition.ts'
import type { GroupAggregates, Grouping } from '../model/group-types.ts'
import type { AnySelection } from '../model/session-types.ts'
import { bothOf, type FilterParts, filterOf, textOf } from '../query/filter-parts.ts'
import { checkCallOptions } from '../value/check-options.ts'

interface Groups {
  readonly attributes: string
  readonly aggregates: GroupAggregates
  readonly condition: FilterParts | null
  readonly orderBy: string | null
}

/** Groups of a store in the process. Each read computes them. */
export class LocalGrouping<R> implements AsyncGrouping<R> {
  readonly #members: () => AnySelection
  readonly #groups: Groups

  constructor(members: () => AnySelection, groups: Groups) {
    this.#members = members
    this.#groups = groups
  }

  having(strings: TemplateStringsArray, ...values: readonly FilterValue[]): LocalGrouping<R> {
    return this.#with({ condition: bothOf(this.#groups.condition, filterOf(strings, values)) })
  }
  orderBy(orderBy: string): LocalGrouping<R> {
    return this.#with({ orderBy })
  }

  async page(skip: number, top: number, signal?: AbortSignal): Promise<GroupPage<R>> {
    signal?.throwIfAborted()
    const found = this.#run()
    return { count: found.count, skip, groups: found.page(skip, top).toArray() }
  }
  async first(): Promise<R | undefined> {
    return this.#run().first()
  }
  async count(): Promise<number> {
    return this.#run().count
  }
  async toArray(options: Pick<IterateOptions, 'signal'> = {}): Promise<R[]> {
    checkCallOptions(options, ['signal'])
    options.signal?.throwIfAborted()
    return [...this.#run()]
  }
  async *[Symbol.asyncIterator](): AsyncGenerator<R, void, undefined> {
    yield* this.#run()
  }

  #with(change: Partial<Groups>): LocalGrouping<R> {
    return new LocalGrouping<R>(this.#members, { ...this.#groups, ...change })
  }
  #run(): Grouping<R> {
    const { attributes, aggregates, condition, orderBy } = this.#groups
    const groups: Grouping<R> = this.#members().groupBy(attributes, aggregates) as Untyped
    const some = condition === null ? groups : groups.having(textOf(condition), condition.values)
    return orderBy === null ? some : some.orderBy(orderBy)
  }
}
