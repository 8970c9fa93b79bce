import { assertNever } from '../errors.ts'
import type { Database } from '../execute/database.ts'
import { recordTest } from '../execute/record-test.ts'
import type { OrderBy, Predicate } from '../filter/predicate.ts'
import type { ClassModel, RelationAttribute } from '../model/catalog.ts'
import type { Counts } from '../plan/cost.ts'
import { anchorsOf } from './live-anchor.ts'
import type { Watch } from './live-dispatch.ts'

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
