import type { AsyncGrouping, FilterValue, GroupPage, IterateOptions, Untyped } from '@entia/core'
import { checkCallOptions, checkText, wholeNumber } from '@entia/core/internal'
import { bothOf, filterOf } from '@entia/core/query'
import type { Reading } from './described.ts'
import { selectedOr } from './mirrored.ts'
import { type DescribedGroups, type Local, readGroups, readLocally } from './reads.ts'

/** Groups of a store over a database. Each read computes them. */
export class SqlGrouping<R> implements AsyncGrouping<R> {
  readonly #reading: Reading
  readonly #groups: DescribedGroups

  constructor(reading: Reading, groups: DescribedGroups) {
    this.#reading = reading
    this.#groups = groups
  }

  having(strings: TemplateStringsArray, ...values: readonly FilterValue[]): SqlGrouping<R> {
    return this.#with({ condition: bothOf(this.#groups.condition, filterOf(strings, values)) })
  }
  orderBy(orderBy: string): SqlGrouping<R> {
    checkText('The order', orderBy, 'count desc')
    return this.#with({ orderBy })
  }

  async page(skip: number, top: number, signal?: AbortSignal): Promise<GroupPage<R>> {
    signal?.throwIfAborted()
    const from = wholeNumber('skip', skip)
    const size = wholeNumber('top', top)
    const locally = (members: Local) => this.#over(members).page(from, size)
    return selectedOr(this.#reading, locally, async () => {
      const found = await readGroups(this.#reading, this.#groups, from, size)
      if (found !== undefined) return found as GroupPage<R>
      return readLocally(this.#reading, locally)
    })
  }
  async first(): Promise<R | undefined> {
    return (await this.page(0, 1)).groups[0]
  }
  async count(): Promise<number> {
    return (await this.page(0, 0)).count
  }
  async toArray(options: Pick<IterateOptions, 'signal'> = {}): Promise<R[]> {
    checkCallOptions(options, ['signal'])
    return [...(await this.page(0, Number.MAX_SAFE_INTEGER, options.signal)).groups]
  }
  async *[Symbol.asyncIterator](): AsyncGenerator<R, void, undefined> {
    yield* await this.toArray()
  }

  #with(change: Partial<DescribedGroups>): SqlGrouping<R> {
    return new SqlGrouping<R>(this.#reading, { ...this.#groups, ...change })
  }
  #over(members: Local): AsyncGrouping<R> {
    const { attributes, aggregates, condition, orderBy } = this.#groups
    const groups: AsyncGrouping<R> = (members as Untyped).groupBy(attributes, aggregates)
    const strings = condition === null ? null : Object.assign([...condition.parts], { raw: [] })
    const some =
      strings === null || condition === null
        ? groups
        : groups.having(strings, ...(condition.values as readonly FilterValue[]))
    return orderBy === null ? some : some.orderBy(orderBy)
  }
}
