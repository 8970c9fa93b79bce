import type { Database } from '../execute/database.ts'
import { Ordering, sortSlots } from '../execute/ordering.ts'
import { recordTest } from '../execute/record-test.ts'
import { hasRelevance, relevanceError } from '../filter/bind-order-by.ts'
import { both } from '../filter/context.ts'
import type { OrderBy, Predicate } from '../filter/predicate.ts'
import type {
  AttributeModel,
  ClassModel,
  RelationAttribute,
  StorageAttribute,
} from '../model/catalog.ts'
import { findAttribute, isRelation, resolvePath, type Sees } from '../model/path.ts'
import { isSingleAccess } from '../plan/physical-plan.ts'
import { rewrite } from '../plan/rewrite.ts'
import type { Provenance } from '../query/provenance.ts'
import type { Scope, SelectionPort } from '../query/selection-port.ts'
import { slotsOf } from '../storage/record-set.ts'
import { refused } from '../value/check-options.ts'
import type { StepRule } from './live-commit.ts'
import { addPlace, addReads, type Place, placeAt, type Watch } from './live-watches.ts'

/** A value of a related entity that the caller shows; null for everything about the entity. */
export interface Shown {
  readonly steps: readonly RelationAttribute[]
  readonly attribute: StorageAttribute | null
}

/** What an entity has beside its attributes, where none has that name. */
const MARKS: ReadonlySet<string> = new Set(['key', 'stamp', 'timestamp'])

/**
 * What a list of paths shows of related entities: `lastName, employer.name, staff.*`. A path that
 * ends with a relation means everything about the related entities. Throws `attributeNotFound`,
 * `attributeNotApplicable`, `budgetExceeded`.
 */
export function shownOf(dataClass: ClassModel, text: string, sees: Sees): readonly Shown[] {
  const shown: Shown[] = []
  for (const part of text.split(',')) {
    const path = part.trim()
    const dot = path.lastIndexOf('.')
    const [before, last] = [path.slice(0, Math.max(0, dot)), path.slice(dot + 1)]
    const at = before === '' ? { steps: [], target: dataClass } : relatedAt(dataClass, before, sees)
    if (at !== null && (path === '' || last === '*')) addValues(shown, at.steps, at.target, sees)
    else if (at !== null && MARKS.has(last) && findAttribute(at.target, last) === undefined)
      shown.push({ steps: at.steps, attribute: last === 'key' ? at.target.key : null })
    else {
      const whole = last === '*' ? before : path
      const { steps, attribute } = resolvePath(dataClass, whole, sees)
      add(shown, steps, attribute)
    }
  }
  return shown.filter(({ steps }) => steps.length > 0)
}

interface Related {
  readonly steps: readonly RelationAttribute[]
  readonly target: ClassModel
}

/** The dataclass that a path leads to; null for a path that ends with a value. */
function relatedAt(dataClass: ClassModel, path: string, sees: Sees): Related | null {
  const { steps, attribute } = resolvePath(dataClass, path, sees)
  if (!isRelation(attribute)) return null
  return { steps: [...steps, attribute], target: attribute.target }
}

function addValues(
  shown: Shown[],
  steps: readonly RelationAttribute[],
  { attributes }: ClassModel,
  sees: Sees,
): void {
  for (const attribute of attributes.values()) {
    if (!sees(attribute) || isRelation(attribute)) continue
    if (attribute.kind === 'alias') add(shown, [...steps, ...attribute.steps], attribute.target)
    else add(shown, steps, attribute)
  }
}

/** A computed attribute may read anything of its entity. */
function add(
  shown: Shown[],
  steps: readonly RelationAttribute[],
  attribute: Exclude<AttributeModel, { readonly kind: 'alias' }>,
): void {
  if (isRelation(attribute)) shown.push({ steps: [...steps, attribute], attribute: null })
  else shown.push({ steps, attribute: attribute.kind === 'storage' ? attribute : null })
}

/**
 * The related records whose changes may change what the caller shows of its own records. A caller
 * who does not see all entities also depends on what its row rules read, but not on what hidden
 * records lead to: a change of that would reveal them.
 */
export function shownWatches(
  database: Database,
  scope: Scope,
  dataClass: ClassModel,
  shown: readonly Shown[],
): readonly Watch[] {
  const root = placeAt(dataClass)
  const places: Place[] = [root]
  const known = new Map<string, Place>()
  const whole = new Set<Place>()
  /** The places that a row rule reads, with the step that the rule is for. */
  const ruled = new Map<Place, number>()
  for (const { steps, attribute } of shown) {
    let place = root
    let name = ''
    for (const [at, step] of steps.entries()) {
      name += `.${step.name}`
      let next = known.get(name)
      if (next === undefined) {
        next = addPlace(step, null, place, places)
        known.set(name, next)
        const rows = scope.rowsOf(step.target)
        if (rows !== null) {
          const first = places.length
          const read = { ...next, columns: new Set<number>() }
          if (!addReads(rows, read, places)) whole.add(next)
          for (const each of [read, ...places.slice(first)]) ruled.set(each, at)
        }
      }
      place = next
    }
    if (attribute === null) whole.add(place)
    else place.columns.add(attribute.ordinal)
  }
  return [...new Set([...places.slice(1), ...ruled.keys()])].map((place) => {
    const { path } = place
    const end = ruled.get(place)
    const rules = path.map(({ target }, at) =>
      end !== undefined && at > end ? undefined : stepRule(scope, target, at === end),
    )
    const names = rules.map((rule, at) => rule && [scope.ruleOf(path[at].target), rule.mustTurn])
    const dotted = [dataClass, ...path].map((each) => each.name).join('.')
    return {
      table: database.tableOf(place.dataClass),
      name: rules.some((rule) => rule !== undefined) ? dotted + JSON.stringify(names) : dotted,
      path,
      rules,
      columns: whole.has(place) ? null : place.columns,
      test: null,
      use: 'shown',
      anchors: null,
    }
  })
}

function stepRule(scope: Scope, target: ClassModel, mustTurn: boolean): StepRule | undefined {
  const rows = scope.rowsOf(target)
  const test = rows === null ? null : recordTest(rows)
  return test === null ? undefined : { test, mustTurn }
}

/** What a live query asks. */
export interface LiveSource {
  readonly dataClass: ClassModel
  /** With the row rules of the caller. */
  readonly predicate: Predicate
  readonly orderBy: OrderBy | null
  /** Not null for a page of it. */
  readonly page: { readonly skip: number; readonly top: number } | null
  /** What the caller shows of related entities. */
  readonly shown: readonly Shown[]
}

/**
 * The query that repeats a selection. Throws `argumentInvalid` if the selection was not created by
 * a query.
 */
export function liveSource(
  dataClass: ClassModel,
  provenance: Provenance | null,
  page: { readonly skip: number; readonly top: number } | null,
  shown: readonly Shown[],
): LiveSource {
  const query = queryOf(provenance)
  if (query !== null && hasRelevance(query.orderBy))
    throw relevanceError(
      dataClass,
      `Every commit changes the scores: follow another order, as orderBy('${dataClass.key.name}').`,
    )
  if (query !== null)
    return { dataClass, predicate: rewrite(query.predicate), orderBy: query.orderBy, page, shown }
  throw refused(
    'A live selection',
    'the result of one filter on a dataclass or a relation, ordered or not, or a page of it',
    provenance === null
      ? 'a selection from keys or an entity set, or a combination of selections: use one filter instead'
      : 'a selection derived from a page: take the page last',
  )
}

/**
 * Equal for sources of one reader exactly if dataclass, predicate, order and page are equal. Cost:
 * O(predicate).
 */
export function textOfSource({ dataClass, predicate, orderBy, page }: LiveSource): string {
  const terms = orderBy?.map(({ steps, attribute, properties, descending }) => [
    [...steps, attribute].map(({ name }) => name),
    properties,
    descending,
  ])
  return JSON.stringify([dataClass.name, predicate, terms, page], nameOfModel)
}

/** Predicates hold attributes of the model under these names; a name says which one it is. */
const nameOfModel = (member: string, value: unknown): unknown =>
  member === 'attribute' || member === 'relation' ? (value as { name: string }).name : value

interface Query {
  readonly predicate: Predicate
  readonly orderBy: OrderBy | null
}

/**
 * A query within a selection satisfies both filters. Its own order replaces that of the selection.
 */
function queryOf(provenance: Provenance | null): Query | null {
  if (provenance === null || provenance.isPart) return null
  const { read, orderBy, within, outer } = provenance
  const { predicate } = read
  if (within === null) return { predicate, orderBy }
  const around = queryOf(outer)
  if (around === null) return null
  return { predicate: both([around.predicate, predicate]), orderBy: orderBy ?? around.orderBy }
}

/**
 * The records that a live query selects, in its order. Cost: that of the query. A page reads keys
 * of its order as far as it needs them, unlike a page of a selection, which other writes follow.
 */
export function runSource(
  port: SelectionPort,
  { dataClass, predicate, orderBy, page }: LiveSource,
): Int32Array {
  const { database, planner } = port
  const { indexing } = planner
  const table = database.tableOf(dataClass)
  if (page !== null && orderBy !== null && indexing !== null) {
    const plan = planner.planOf(dataClass, predicate)
    const wanted = isSingleAccess(plan) ? Math.min(page.top, plan.rows - page.skip) : 0
    const found =
      isSingleAccess(plan) && wanted > 0
        ? indexing.orderedPage(database, table, plan, orderBy, page.skip, wanted)
        : null
    if (found !== null) return found
  }
  const set = database.select(dataClass, predicate)
  if (page === null)
    return orderBy === null ? slotsOf(set) : sortSlots(database, table, slotsOf(set), orderBy)
  const { skip, top } = page
  if (orderBy === null) return slotsOf(set).slice(skip, skip + top)
  const walked = indexing?.walkedPage(database, table, set, orderBy, skip, top)
  return walked ?? new Ordering(database, table, slotsOf(set), orderBy, () => null).page(skip, top)
}
