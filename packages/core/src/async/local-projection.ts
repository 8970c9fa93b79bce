import type {
  AsyncGrouping,
  FilterValue,
  GroupPage,
  IterateOptions,
} from '../model/async-store-types.ts'
import type { ClassModel, RelationAttribute } from '../model/catalog.ts'
import type { Untyped } from '../model/definition.ts'
import type { GroupAggregates, Grouping } from '../model/group-types.ts'
import type { Selection } from '../model/selection-types.ts'
import type { AnySelection } from '../model/session-types.ts'
import { bothOf, type FilterParts, filterOf, textOf } from '../query/filter-parts.ts'
import { checkCallOptions, checkText } from '../value/check-options.ts'
import { shown, type Values } from './copy.ts'

/** The most entities of a to-many relation in a projection of any asynchronous store. */
const RELATED_ENTITIES = 100

/**
 * Reads plain objects of some attributes. A path that ends in a to-one relation gives its key, or
 * nothing beside paths that lead behind it; one that ends in a to-many relation gives nothing.
 * Throws what `select` of core throws.
 */
export class LocalProjection {
  readonly #model: ClassModel
  /** Null if nothing is shown. */
  readonly #paths: string | null
  /** The paths that end in a to-one relation. */
  readonly #references = new Set<string>()

  constructor(text: string, model: ClassModel) {
    this.#model = model
    checkText('A projection', text, 'lastName, employer.name')
    const paths: string[] = []
    const all = text.split(',').map((each) => each.trim())
    for (const path of all) {
      const end = relationAtEnd(path, model)
      if (end?.kind === 'relatedEntities') continue
      if (end !== undefined && all.some((each) => each.startsWith(`${path}.`))) continue
      if (end?.kind === 'relatedEntity') this.#references.add(path)
      paths.push(end === undefined ? path : `${path}.${end.target.key.name}`)
    }
    this.#paths = paths.length === 0 ? null : paths.join()
  }

  rows(selection: Selection<Untyped, string>): Values[] {
    if (this.#paths === null) return selection.toArray().map(() => ({}))
    return selection.select(this.#paths).map((row) => this.#row(row, this.#model, ''))
  }

  #row(row: object, model: ClassModel, at: string): Values {
    const values: Values = {}
    for (const [name, value] of Object.entries(row))
      values[name] = this.#value(value, name, model, at)
    return values
  }

  #value(value: unknown, name: string, model: ClassModel, at: string): unknown {
    const attribute = model.attributes.get(name)
    if (attribute?.kind === 'relatedEntities')
      return (value as readonly object[])
        .slice(0, RELATED_ENTITIES)
        .map((each) => this.#row(each, attribute.target, `${at}${name}.`))
    if (attribute?.kind !== 'relatedEntity' || value === null) return shown(value)
    const { target } = attribute
    return this.#references.has(at + name)
      ? { key: (value as Values)[target.key.name] }
      : this.#row(value as object, target, `${at}${name}.`)
  }
}

/** The relation in which a path ends; undefined for any other path. */
function relationAtEnd(path: string, model: ClassModel): RelationAttribute | undefined {
  let at = model
  let end: RelationAttribute | undefined
  for (const name of path.split('.')) {
    const attribute = at.attributes.get(name)
    if (attribute?.kind !== 'relatedEntity' && attribute?.kind !== 'relatedEntities')
      return undefined
    end = attribute
    at = attribute.target
  }
  return end
}

interface Groups {
  readonly attributes: string
  readonly aggregates: GroupAggregates
  readonly condition: FilterParts | null
  readonly orderBy: string | null
}

/** Groups of a store in the process. Each read computes them. */
export class LocalGrouping implements AsyncGrouping<Untyped> {
  readonly #members: () => AnySelection
  readonly #groups: Groups

  constructor(members: () => AnySelection, groups: Groups) {
    this.#members = members
    this.#groups = groups
  }

  having(strings: TemplateStringsArray, ...values: readonly FilterValue[]): LocalGrouping {
    return this.#with({ condition: bothOf(this.#groups.condition, filterOf(strings, values)) })
  }
  orderBy(orderBy: string): LocalGrouping {
    checkText('The order', orderBy, 'count desc')
    return this.#with({ orderBy })
  }

  async page(skip: number, top: number, signal?: AbortSignal): Promise<GroupPage<Untyped>> {
    signal?.throwIfAborted()
    const found = this.#run()
    return { count: found.count, skip, groups: found.page(skip, top).toArray() }
  }
  async first(): Promise<Untyped> {
    return this.#run().first()
  }
  async count(): Promise<number> {
    return this.#run().count
  }
  async toArray(options: Pick<IterateOptions, 'signal'> = {}): Promise<Untyped[]> {
    checkCallOptions(options, ['signal'])
    options.signal?.throwIfAborted()
    return [...this.#run()]
  }
  async *[Symbol.asyncIterator](): AsyncGenerator<Untyped, void, undefined> {
    yield* this.#run()
  }

  #with(change: Partial<Groups>): LocalGrouping {
    return new LocalGrouping(this.#members, { ...this.#groups, ...change })
  }
  #run(): Grouping<Untyped> {
    const { attributes, aggregates, condition, orderBy } = this.#groups
    const groups: Grouping<Untyped> = this.#members().groupBy(attributes, aggregates)
    const some = condition === null ? groups : groups.having(textOf(condition), condition.values)
    return orderBy === null ? some : some.orderBy(orderBy)
  }
}
