import type {
  AsyncGrouping,
  FilterValue,
  GroupAggregates,
  GroupPage,
  IterateOptions,
} from '@entia/core'
import { bothOf, type FilterParts, filterOf, textOf } from '@entia/core/query'
import { orderText, pageParameters } from './check-input.ts'
import { dayOf } from './decode.ts'
import type { RemoteAttribute, RemoteCatalog, RemoteModels } from './remote-catalog.ts'
import type { Parameters } from './transport.ts'

/** What a grouping uses of the selection that it groups. */
export interface GroupedSelection {
  readonly catalog: RemoteCatalog
  readonly dataClass: string
  /** The values of the selection's own placeholders, which come first. */
  readonly values: readonly unknown[]
  ask(parameters: Parameters, values: readonly unknown[], signal?: AbortSignal): Promise<unknown>
}

interface Groups {
  readonly attributes: string
  readonly aggregates: GroupAggregates
  readonly condition: FilterParts | null
  readonly orderBy: string | null
}

/**
 * Groups of a selection on the server, requested when they are read. `having` and `orderBy` send
 * nothing; every other method sends a request. `R` is the type of the rows.
 */
export class RemoteGrouping<R> implements AsyncGrouping<R> {
  readonly #selection: GroupedSelection
  readonly #groups: Groups

  constructor(selection: GroupedSelection, groups: Groups) {
    this.#selection = selection
    this.#groups = groups
  }

  /** Adds a condition with `and`: ``having`count > ${10} and delay.average > 5` ``. */
  having(strings: TemplateStringsArray, ...values: readonly FilterValue[]): RemoteGrouping<R> {
    return this.#with({ condition: bothOf(this.#groups.condition, filterOf(strings, values)) })
  }
  /** Replaces the order, by members of a row: `orderBy('delay.average desc')`. */
  orderBy(text: string): RemoteGrouping<R> {
    return this.#with({ orderBy: orderText(text) })
  }

  async page(skip: number, top: number, signal?: AbortSignal): Promise<GroupPage<R>> {
    return this.#page(pageParameters(skip, top), signal)
  }
  async first(): Promise<R | undefined> {
    return (await this.page(0, 1)).groups[0]
  }
  /** The number of groups. */
  async count(): Promise<number> {
    return (await this.page(0, 0)).count
  }
  /**
   * Reads all groups into one list: in one request, or in several if the server sends no more at
   * once.
   */
  async toArray({ signal }: Pick<IterateOptions, 'signal'> = {}): Promise<R[]> {
    const all: R[] = []
    for await (const group of this.#rows(signal)) all.push(group)
    return all
  }
  [Symbol.asyncIterator](): AsyncGenerator<R, void, undefined> {
    return this.#rows()
  }

  async *#rows(signal?: AbortSignal): AsyncGenerator<R, void, undefined> {
    for (let skip = 0; ; ) {
      const { count, groups } = await this.#page(skip === 0 ? {} : { $skip: skip }, signal)
      yield* groups
      skip += groups.length
      if (skip >= count || groups.length === 0) return
    }
  }

  #with(change: Partial<Groups>): RemoteGrouping<R> {
    return new RemoteGrouping<R>(this.#selection, { ...this.#groups, ...change })
  }

  async #page(page: Parameters, signal?: AbortSignal): Promise<GroupPage<R>> {
    const { attributes, aggregates, condition, orderBy } = this.#groups
    const { values } = this.#selection
    const parameters = {
      $groupby: attributes,
      $aggregates: listOf(aggregates),
      $having: condition === null ? undefined : `"${textOf(condition, values.length)}"`,
      $orderby: orderBy ?? undefined,
      ...page,
    }
    const all = [...values, ...(condition?.values ?? [])]
    const answer = (await this.#selection.ask(parameters, all, signal)) as {
      readonly __COUNT: number
      readonly __FIRST: number
      readonly __GROUPS: readonly Row[]
    }
    const { catalog, dataClass } = this.#selection
    const groups = await catalog.useAll((models) => {
      const days = daysOf(models, dataClass, this.#groups)
      return answer.__GROUPS.map((row) => decodeRow(row, days) as R)
    })
    return { count: answer.__COUNT, skip: answer.__FIRST, groups }
  }
}

/** The members of a row that are calendar dates, or aggregates of them. */
function daysOf(
  models: RemoteModels,
  dataClass: string,
  { attributes, aggregates }: Groups,
): ReadonlySet<string> {
  const days = new Set<string>()
  for (const name of attributes.split(',').map((name) => name.trim())) {
    const spanned = SPAN.test(name) ? attributeAt(models, dataClass, name.replace(SPAN, '')) : null
    if (attributeAt(models, dataClass, name)?.isDay === true || spanned?.type === 'date')
      days.add(name)
  }
  for (const path of Object.keys(aggregates))
    if (attributeAt(models, dataClass, path)?.isDay === true) days.add(path)
  return days
}

type Row = { readonly [name: string]: unknown }

const SPAN = /\.(?:day|week|month|quarter|year)$/

/** The list of `$aggregates`; undefined for none. */
function listOf(aggregates: GroupAggregates): string | undefined {
  const names = Object.entries(aggregates).flatMap(([path, functions]) =>
    functions === true ? [path] : [functions].flat().map((each) => `${path}.${each}`),
  )
  return names.length === 0 ? undefined : names.join(',')
}

/** The value at the end of a path of relations; null for a property of an object. */
function attributeAt(
  models: RemoteModels,
  dataClass: string,
  path: string,
): RemoteAttribute | null {
  const names = path.split('.')
  let className = dataClass
  for (const [place, name] of names.entries()) {
    const model = models.byName.get(className)
    if (model === undefined) models.unknown.add(className)
    const attribute = model?.attributes.get(name)
    if (attribute === undefined) return null
    if (place === names.length - 1) return attribute
    if (!attribute.kind.startsWith('related')) return null
    className = attribute.type
  }
  return null
}

/** Calendar dates as ISO 8601 days: the server writes them in its own form, or as date-times. */
function decodeRow(row: Row, days: ReadonlySet<string>): Row {
  if (days.size === 0) return row
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, days.has(name) ? dayIn(value) : value]),
  )
}

function dayIn(value: unknown): unknown {
  if (typeof value === 'string') return dayOf(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      typeof each === 'string' ? dayOf(each) : each,
    ]),
  )
}
