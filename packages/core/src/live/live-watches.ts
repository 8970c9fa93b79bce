import { assertNever } from '../errors.ts'
import type { Database } from '../execute/database.ts'
import { type RecordTest, recordTest } from '../execute/record-test.ts'
import type { OrderBy, Predicate } from '../filter/predicate.ts'
import type {
  ClassModel,
  RelationAttribute,
  StorageAttribute,
  ToOneAttribute,
} from '../model/catalog.ts'
import type { Counts } from '../plan/cost.ts'
import type { IndexRanges } from '../plan/key-range.ts'
import type { Table } from '../storage/table.ts'
import { entryOf } from '../value/entry.ts'
import { type Anchor, type AnchorKey, anchorsOf, keyAt, RangeList } from './live-anchor.ts'
import type { LiveCommit, Way } from './live-commit.ts'

// A live query names the records that it depends on, its watches; a commit looks up the queries
// whose watches its records satisfy. A missed watch would be a missed change, so what cannot be
// watched depends on everything.

/**
 * Records of one table whose changes may affect a query: its own records, or those that one of its
 * relations leads to.
 */
export interface Watch extends Way {
  readonly table: Table
  /**
   * The dataclass of the query and the relations from there, joined by dots, with the rules of the
   * steps: unique for each way to these records.
   */
  readonly name: string
  /**
   * Columns that the query reads, null for all. Other columns matter only for the query's own
   * records.
   */
  readonly columns: ReadonlySet<number> | null
  /**
   * The condition of the query on one of these records; null if it cannot be tested, or if the
   * query only orders by them or shows them.
   */
  readonly test: RecordTest | null
  /** What the query uses the records for. */
  readonly use: 'filter' | 'order' | 'shown'
  /**
   * Every record that matters satisfies one of them before or after the commit; null if any record
   * may matter.
   */
  readonly anchors: readonly Anchor[] | null
}

type Found<Q> = (query: Q, watch: Watch, slot: number) => void
interface Owner<Q> {
  readonly query: Q
  readonly watch: Watch
}

/**
 * An index over the conditions of queries. It finds the queries that a changed record may affect,
 * by its old and new values.
 */
export class LiveDispatch<Q> {
  readonly #tables = new Map<Table, TableDispatch<Q>>()

  /** Adds a watch and returns a function that removes it. Both cost O(anchors). */
  add(query: Q, watch: Watch): () => void {
    const { table } = watch
    const owner = { query, watch }
    const dispatch = entryOf(this.#tables, table, () => new TableDispatch<Q>())
    dispatch.add(owner)
    return () => {
      dispatch.delete(owner)
      if (dispatch.isEmpty && this.#tables.get(table) === dispatch) this.#tables.delete(table)
    }
  }

  /**
   * Calls back for each watch that a record may affect, possibly more than once. Cost: one look-up
   * for each attribute with anchors, and O(watches found).
   */
  collect(table: Table, slot: number, commit: LiveCommit, found: Found<Q>): void {
    this.#tables.get(table)?.collect(table, slot, commit, found)
  }
}

class TableDispatch<Q> {
  /** By the names of the relations and the attribute. */
  readonly #anchored = new Map<string, AttributeDispatch<Q>>()
  readonly #anywhere = new Set<Owner<Q>>()

  get isEmpty(): boolean {
    return this.#anchored.size + this.#anywhere.size === 0
  }

  add(owner: Owner<Q>): void {
    const { anchors } = owner.watch
    if (anchors === null) this.#anywhere.add(owner)
    else for (const anchor of anchors) this.#at(anchor).add(anchor.ranges, owner)
  }

  delete(owner: Owner<Q>): void {
    this.#anywhere.delete(owner)
    for (const anchor of owner.watch.anchors ?? []) {
      const dispatch = this.#at(anchor)
      dispatch.delete(anchor.ranges, owner)
      if (dispatch.isEmpty) this.#anchored.delete(nameOf(anchor))
    }
  }

  #at(anchor: Anchor): AttributeDispatch<Q> {
    return entryOf(this.#anchored, nameOf(anchor), () => new AttributeDispatch<Q>(anchor))
  }

  collect(table: Table, slot: number, commit: LiveCommit, found: Found<Q>): void {
    const call = ({ query, watch }: Owner<Q>): void => found(query, watch, slot)
    for (const owner of this.#anywhere) call(owner)
    if (this.#anchored.size === 0) return
    const now = commit.now(table, slot)
    const before = commit.before(table, slot)
    const written = now === null ? null : (commit.changeOf(table).past.get(slot)?.values ?? null)
    for (const dispatch of this.#anchored.values()) {
      const { steps, attribute } = dispatch
      const has = now === null ? undefined : keyAt(now, steps, attribute)
      if (has !== undefined) dispatch.collect(has, call)
      if (
        before !== null &&
        written !== null &&
        steps.length === 0 &&
        !written.has(attribute.ordinal)
      )
        continue
      const had = before === null ? undefined : keyAt(before, steps, attribute)
      if (had !== undefined && had !== has) dispatch.collect(had, call)
    }
  }
}

const nameOf = ({ steps, attribute }: Anchor): string =>
  [...steps, attribute].map(({ name }) => name).join('.')

/** The watches with anchors at one attribute. */
class AttributeDispatch<Q> {
  readonly steps: readonly ToOneAttribute[]
  readonly attribute: StorageAttribute
  readonly #points = new Map<AnchorKey, Set<Owner<Q>>>()
  readonly #nulls = new Set<Owner<Q>>()
  /** All of the attribute's kind. */
  readonly #ranges = new RangeList<AnchorKey, Owner<Q>>()

  constructor({ steps, attribute }: Anchor) {
    this.steps = steps
    this.attribute = attribute
  }

  get isEmpty(): boolean {
    return this.#points.size + this.#nulls.size + this.#ranges.size === 0
  }

  add(ranges: IndexRanges, owner: Owner<Q>): void {
    if (ranges.nulls) this.#nulls.add(owner)
    for (const { low, high } of ranges.ranges)
      if (ranges.isPoints) entryOf(this.#points, low, () => new Set()).add(owner)
      else this.#ranges.add(low, high, owner)
  }

  delete(ranges: IndexRanges, owner: Owner<Q>): void {
    this.#nulls.delete(owner)
    for (const { low, high } of ranges.ranges) {
      const owners = this.#points.get(low)
      if (!ranges.isPoints) this.#ranges.delete(low, high, owner)
      else if (owners?.delete(owner) && owners.size === 0) this.#points.delete(low)
    }
  }

  collect(key: AnchorKey | null, found: (owner: Owner<Q>) => void): void {
    if (key === null) {
      for (const owner of this.#nulls) found(owner)
      return
    }
    const owners = this.#points.get(key)
    if (owners !== undefined) for (const owner of owners) found(owner)
    this.#ranges.collect(key, found)
  }
}

/** What one place of a query reads of its entities. */
export interface Place {
  readonly dataClass: ClassModel
  readonly path: readonly RelationAttribute[]
  readonly part: Predicate | null
  readonly columns: Set<number>
}

/**
 * The records whose changes may affect a query: its own records first, then those that its
 * relations lead to. `orderBy` is null if the order does not decide which records the result has.
 * Null if that is unknown, as a computed attribute may read anything. Cost: see `anchorsOf`.
 */
export function watchesOf(
  database: Database,
  counts: Counts,
  dataClass: ClassModel,
  predicate: Predicate,
  orderBy: OrderBy | null,
): readonly Watch[] | null {
  const root = placeAt(dataClass, predicate)
  const places = [root]
  if (!addReads(predicate, root, places)) return null
  for (const { steps, attribute } of orderBy ?? []) {
    if (attribute.kind !== 'storage') return null
    let place = root
    for (const step of steps) place = addPlace(step, null, place, places)
    place.columns.add(attribute.ordinal)
  }
  return places.map(({ dataClass: reached, path, part, columns }) => ({
    table: database.tableOf(reached),
    name: [dataClass, ...path].map(({ name }) => name).join('.'),
    path,
    rules: [],
    part,
    columns,
    test: part === null ? null : recordTest(part),
    use: part === null ? 'order' : 'filter',
    anchors: part === null ? null : anchorsOf(part, counts),
  }))
}

/** The place of the query's own entities. */
export const placeAt = (dataClass: ClassModel, part: Predicate | null = null): Place => ({
  dataClass,
  path: [],
  part,
  columns: new Set(),
})

/**
 * A relation leads from a foreign key to a key or back. Keys never change, so only the foreign key
 * is read.
 */
export function addPlace(
  relation: RelationAttribute,
  part: Predicate | null,
  from: Place,
  places: Place[],
): Place {
  const place = {
    dataClass: relation.target,
    path: [...from.path, relation],
    part,
    columns: new Set<number>(),
  }
  if (relation.kind === 'relatedEntity') from.columns.add(relation.foreignKey.ordinal)
  else place.columns.add(relation.inverse.foreignKey.ordinal)
  places.push(place)
  return place
}

/** Adds what a predicate reads; false if that is unknown, as for computed attributes. */
export function addReads(predicate: Predicate, place: Place, places: Place[]): boolean {
  switch (predicate.kind) {
    case 'constant':
      return true
    case 'compare':
    case 'property':
      place.columns.add(predicate.attribute.ordinal)
      return true
    case 'computed':
      return false
    case 'related': {
      const target = addPlace(predicate.relation, predicate.part, place, places)
      return addReads(predicate.part, target, places)
    }
    case 'not':
      return addReads(predicate.part, place, places)
    case 'and':
    case 'or':
      return predicate.parts.every((part) => addReads(part, place, places))
    default:
      return assertNever(predicate)
  }
}
