import { EntiaError } from '../errors.ts'
import type { GroupPage, IterateOptions, Page } from '../model/async-store-types.ts'
import type { ClassModel, RelationAttribute } from '../model/catalog.ts'
import type { Untyped } from '../model/definition.ts'
import type { Grouping } from '../model/group-types.ts'
import { checkOwnPath } from '../model/path.ts'
import type { Selection } from '../model/selection-types.ts'
import type { AnySelection } from '../model/session-types.ts'
import { textOf } from '../query/filter-parts.ts'
import { needCapabilities } from '../store/kernel/capability.ts'
import { checkText } from '../value/check-options.ts'
import { type Access, callFunction } from './call.ts'
import { copyOf, shown, type Values } from './copy.ts'
import {
  checkIteration,
  type Described,
  type DescribedGroups,
  DescribedSet,
  type SelectionReads,
} from './described-selection.ts'

type Found = Selection<Untyped, string>

/** Reads of a store in the process: each runs its query. */
export class LocalReads implements SelectionReads {
  readonly #access: Access
  readonly #isScored: boolean

  /** `isScored`: the best matches of a search come first. Else the order is that of the members. */
  constructor(access: Access, isScored = true) {
    this.#access = access
    this.#isScored = isScored
  }

  checkSearch(): void {
    needCapabilities(this.#access.store, 'search', ['indexes'])
  }
  checkPaths(paths: unknown): void {
    checkText('A projection', paths, 'lastName, employer.name')
  }
  membersOf(described: Described): Found {
    return this.#run(described)
  }

  page(described: Described, skip: number, top: number): Page<Untyped> {
    const found = this.#run(described)
    return { count: found.count, skip, entities: itemsOf(described, found.page(skip, top)) }
  }
  first(described: Described): Untyped {
    return itemsOf(described, this.#run(described).page(0, 1))[0]
  }
  all(described: Described): Untyped[] {
    return itemsOf(described, this.#run(described))
  }
  async *iterate(
    described: Described,
    options: IterateOptions,
  ): AsyncGenerator<Untyped, void, undefined> {
    const { size, signal } = checkIteration(options)
    const found = this.#run(described).settle()
    // The first page is read also where it is empty, so that wrong paths are refused.
    for (let skip = 0; skip === 0 || skip < found.count; skip += size) {
      signal?.throwIfAborted()
      yield* itemsOf(described, found.page(skip, size))
    }
  }

  aggregate(
    described: Described,
    action: 'sum' | 'average' | 'min' | 'max',
    path: string,
  ): Untyped {
    const found = this.#run(described)
    checkOwnPath(described.dataClass, path)
    const value = found[action](path)
    return action === 'min' || action === 'max' ? shown(value) : value
  }
  distinct(described: Described, path: string): Untyped {
    const found = this.#run(described)
    checkOwnPath(described.dataClass, path)
    return found.distinct(path).map(shown)
  }
  groups(
    described: Described,
    { attributes, aggregates, condition, orderBy }: DescribedGroups,
    skip: number,
    top: number,
  ): GroupPage<Untyped> {
    const groups: Grouping<Untyped> = this.#run(described).groupBy(attributes, aggregates)
    const some = condition === null ? groups : groups.having(textOf(condition), condition.values)
    const found = orderBy === null ? some : some.orderBy(orderBy)
    return { count: found.count, skip, groups: found.page(skip, top).toArray() }
  }

  call(described: Described, name: string, args: readonly unknown[]): Promise<unknown> {
    const run = (given: readonly unknown[]) => this.#run(described).call(name, ...given)
    return callFunction(this.#access, run, args, entitySetOf(this.#access))
  }
  keep(described: Described, options: { readonly lifetimeSeconds?: number }): string {
    const found = this.#run(described)
    // Refuses wrong paths.
    itemsOf(described, found.page(0, 0))
    return this.#access.store.entitySets.create(found, options)
  }
  combine(
    { setId }: Described,
    combination: { readonly operator: 'AND' | 'OR' | 'EXCEPT'; readonly other: string } | null,
  ): string {
    const { store, session } = this.#access
    const { entitySets } = store
    const members =
      combination === null
        ? entitySets.clean(setId!, session)
        : entitySets.combine(setId!, combination.operator, combination.other, session)
    return entitySets.create(members, {})
  }
  intersects({ setId }: Described, other: string): boolean {
    const { store, session } = this.#access
    return store.entitySets.combine(setId!, 'INTERSECT', other, session)
  }
  release(id: string): boolean {
    return this.#access.store.entitySets.release(id, this.#access.session)
  }
  remove(described: Described): void {
    const found = this.#run(described)
    this.#access.write(() => found.remove())
  }

  #members({ dataClass, setId }: Described): Found {
    const { store, session } = this.#access
    if (setId === null) return store.dataClass(dataClass.name).all()
    const found = store.entitySets.get(setId, session)
    if (found === undefined) throw new EntiaError('entitySetNotFound', { id: setId })
    return found
  }
  /** The members with the words of the search, the best matches of a dataclass first. */
  #found(described: Described): Found {
    const { dataClass, setId, search } = described
    if (search === null) return this.#members(described)
    return setId === null && this.#isScored
      ? this.#access.store.dataClass(dataClass.name).search(search)
      : this.#members(described).search(search)
  }
  #run(described: Described): Found {
    const { filter, orderBy, paths } = described
    // Stores elsewhere do not check paths before a read.
    if (paths !== null) projectionOf(described, paths)
    const members = this.#found(described)
    const filtered = filter === null ? members : members.query(textOf(filter), filter.values)
    return orderBy === null ? filtered : filtered.orderBy(orderBy)
  }
}

/** Keeps selections as entity sets. */
export const entitySetOf =
  (access: Access) =>
  (found: AnySelection): DescribedSet =>
    new DescribedSet(
      new LocalReads(access),
      found.dataClass.model,
      access.store.entitySets.create(found, {}),
    )

/** Members of a selection as their reader asks for them. */
function itemsOf(described: Described, found: Found): Untyped[] {
  const { dataClass, paths } = described
  if (paths === null) return found.toArray().map((entity) => copyOf(entity, dataClass))
  return projectionOf(described, paths).rows(found)
}

const projections = new WeakMap<Described, LocalProjection>()

/** The projection of a selection. Its text is read once. */
export function projectionOf(described: Described, paths: string): LocalProjection {
  let projection = projections.get(described)
  if (projection === undefined) {
    projection = new LocalProjection(paths, described.dataClass)
    projections.set(described, projection)
  }
  return projection
}

/** The most entities of a to-many relation in a projection of any asynchronous store. */
const RELATED_ENTITIES = 100

/**
 * Reads plain objects of some attributes. A path that ends in a to-one relation gives its key, or
 * nothing beside paths that lead behind it; one that ends in a to-many relation gives nothing.
 * Throws what `select` of core throws.
 */
class LocalProjection {
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
