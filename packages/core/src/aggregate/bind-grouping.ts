import { attributeReader, comparableReader, relatedVisitor } from '../entity/path-reader.ts'
import type { Database } from '../execute/database.ts'
import { checkLimit } from '../filter/filter-errors.ts'
import type { Scalar } from '../filter/predicate.ts'
import type { AttributeModel, ClassModel, ToOneAttribute } from '../model/catalog.ts'
import type { AggregateName, DateSpan } from '../model/group-types.ts'
import { isRelation, notApplicable, type ResolvedPath } from '../model/path.ts'
import type { Binder } from '../query/selection-port.ts'
import { WordColumn } from '../storage/column.ts'
import type { Table } from '../storage/table.ts'
import { describeFound, refused } from '../value/check-options.ts'
import { toOneSteps } from './column-codes.ts'
import { refuseBoxed } from './distinct.ts'
import { countedColumn } from './fold-numbers-by-group.ts'
import { columnOf, type Members, slotAt } from './members.ts'
import { isDateSpan, type ValuePath } from './value-codes.ts'

/** The aggregates of the values of one path. */
export interface AggregatedPath extends ValuePath {
  readonly functions: readonly AggregateName[]
}

/** What a grouping computes: its names are known and apply to their attributes. */
export interface BoundGrouping {
  readonly dataClass: ClassModel
  readonly terms: readonly ValuePath[]
  /** True for the number of members of each group. */
  readonly isCounted: boolean
  readonly aggregated: readonly AggregatedPath[]
}

/** What binding a grouping needs of its reader. */
type GroupBinder = Pick<Binder, 'limits' | 'resolvePath'>

const FUNCTIONS: ReadonlySet<unknown> = new Set<AggregateName>([
  'average',
  'count',
  'countDistinct',
  'max',
  'min',
  'sum',
])
const isFunction = (name: unknown): name is AggregateName => FUNCTIONS.has(name)

/** Types whose values can be added up; those of properties are known when they are read. */
const NUMERIC: ReadonlySet<string> = new Set(['long', 'long64', 'number', 'duration'])

/**
 * Resolves the attributes and aggregates of a grouping. Throws `attributeNotFound`,
 * `attributeNotApplicable`, `argumentInvalid`, `filterTooLarge`.
 */
export function bindGrouping(
  binder: GroupBinder,
  dataClass: ClassModel,
  attributes: unknown,
  aggregates: unknown,
): BoundGrouping {
  if (typeof attributes !== 'string')
    throw refused('The list of attributes', 'text', describeFound(attributes))
  checkLimit(binder.limits, 'maxFilterLength', attributes.length)
  const names = attributes.split(',').map((name) => name.trim())
  if (names.includes(''))
    throw refused('The list of attributes', 'paths separated by commas', `"${attributes}"`)
  checkLimit(binder.limits, 'maxSortKeys', names.length)
  if (typeof aggregates !== 'object' || aggregates === null)
    throw refused('The aggregates', 'an object', describeFound(aggregates))
  const aggregated: AggregatedPath[] = []
  let isCounted = false
  for (const [name, functions] of Object.entries(aggregates)) {
    if (name === 'count' && functions === true) isCounted = true
    else aggregated.push(bindAggregates(binder, dataClass, name, functions))
  }
  const terms = names.map((name) => bindTerm(binder, dataClass, name))
  return { dataClass, terms, isCounted, aggregated }
}

function bindTerm(binder: GroupBinder, dataClass: ClassModel, name: string): ValuePath {
  const dot = name.lastIndexOf('.')
  const last = name.slice(dot + 1)
  if (dot > 0) {
    const path = binder.resolvePath(dataClass, name.slice(0, dot))
    const { attribute, properties } = path
    if (properties.length === 0 && !isRelation(attribute) && attribute.type === 'date') {
      if (!isDateSpan(last)) throw notASpan(attribute, name)
      return { name, path, steps: toOneSteps(path.steps, GROUPS), span: last }
    }
  }
  const path = binder.resolvePath(dataClass, name)
  refuseRelation(path, GROUPS)
  refuseBoxed(path, GROUPS)
  return { name, path, steps: toOneSteps(path.steps, GROUPS), span: null }
}

const notASpan = ({ name, owner }: AttributeModel, path: string) =>
  notApplicable(
    owner.name,
    name,
    `the groups of "${path.slice(0, 100)}"`,
    'Behind a date, write day, week, month, quarter or year.',
  )

const GROUPS = 'groups'
const AGGREGATE = 'an aggregate'

function bindAggregates(
  binder: GroupBinder,
  dataClass: ClassModel,
  name: string,
  given: unknown,
): AggregatedPath {
  const functions = typeof given === 'string' ? [given] : given
  if (!Array.isArray(functions) || functions.length === 0 || !functions.every(isFunction))
    throw refused(
      `The aggregates of "${name.slice(0, 100)}"`,
      `one of, or a list of: ${[...FUNCTIONS].join(', ')}`,
      Array.isArray(functions)
        ? `[${functions.map((each) => String(each).slice(0, 40)).join(', ')}]`
        : describeFound(functions),
    )
  const path = binder.resolvePath(dataClass, name)
  refuseRelation(path, AGGREGATE)
  if (functions.some((each) => each !== 'count')) refuseBoxed(path, AGGREGATE)
  if (functions.includes('sum') || functions.includes('average')) refuseNotNumeric(path, name)
  const steps = toOneSteps(path.steps, AGGREGATE)
  return { name, path, steps, span: null, functions: [...new Set(functions)] }
}

function refuseRelation({ attribute, written }: ResolvedPath, use: string): void {
  if (!isRelation(attribute)) return
  throw notApplicable(
    written.owner.name,
    written.name,
    use,
    `Name an attribute behind the relation: "${written.name}.<attribute>".`,
  )
}

function refuseNotNumeric({ attribute, properties, written }: ResolvedPath, name: string): void {
  if (isRelation(attribute) || properties.length > 0 || NUMERIC.has(attribute.type)) return
  throw notApplicable(
    written.owner.name,
    name.slice(0, 100),
    'a sum or an average',
    'Name a number or duration attribute.',
  )
}

/**
 * How a grouping is computed. `words`: a dictionary knows how many records have each word.
 * `postings`: a foreign key has a posting list for each related entity. `columns`: one pass over
 * the members for each attribute.
 */
export type GroupPlan =
  | { readonly kind: 'words'; readonly column: WordColumn }
  | { readonly kind: 'postings'; readonly relation: ToOneAttribute }
  | { readonly kind: 'columns' }

/**
 * Chooses the cheapest way. The first two read no member. They are for groups of a whole dataclass
 * by one value, of which only the number of members is requested.
 */
export function planGrouping(
  database: Database,
  table: Table,
  { terms, aggregated }: BoundGrouping,
  isWhole: boolean,
): GroupPlan {
  const [term, ...others] = terms
  if (!isWhole || others.length > 0 || aggregated.length > 0) return { kind: 'columns' }
  const column = countedColumn(database, term)
  if (column !== null) return { kind: 'words', column }
  const [relation] = term.steps
  if (relation === undefined || term.path.properties.length > 0) return { kind: 'columns' }
  const hasLists = table.indexes[relation.foreignKey.ordinal]?.postings != null
  const isShorter = database.tableOf(relation.target).liveCount < table.liveCount
  return hasLists && isShorter ? { kind: 'postings', relation } : { kind: 'columns' }
}

/** Members that are read to estimate the number of groups. */
const SAMPLE = 64

/** About how many groups there are. */
export function estimateGroups(
  database: Database,
  { terms }: BoundGrouping,
  members: Members,
): number {
  const groups = terms.reduce((all, term) => all * estimateValues(database, term, members), 1)
  return Math.min(groups, members.count)
}

/** About how many values a path has: the words of its dictionary, or the values of a sample. */
function estimateValues(database: Database, term: ValuePath, members: Members): number {
  const column = columnOf(database, term.path)
  return column instanceof WordColumn
    ? Math.max(1, column.dictionary.size)
    : sampled(database, term, members)
}

function sampled(database: Database, { path, steps, span }: ValuePath, members: Members): number {
  const read = attributeReader(database, path)
  const toKey = comparableReader(path)
  const visit = relatedVisitor(database, steps)
  const size = Math.min(SAMPLE, members.count)
  const values = new Set<Scalar | null>()
  for (let i = 0; i < size; i++) {
    const place = Math.floor((i * members.count) / size)
    visit(slotAt(members, place), (slot) => values.add(spanned(toKey(read(slot)), span)))
  }
  // Where few values repeat, there are more than the sample shows.
  return values.size <= size / 2 ? Math.max(1, values.size) : (values.size * members.count) / size
}

/** The characters of an ISO 8601 text that name the span, about. */
const SPAN_LENGTHS = { year: 4, quarter: 7, month: 7, week: 10, day: 10 } as const

const spanned = (key: Scalar | null, span: DateSpan | null): Scalar | null =>
  span !== null && typeof key === 'string' ? key.slice(0, SPAN_LENGTHS[span]) : key
