import { attributeReader, comparableReader, relatedVisitor } from '../entity/path-reader.ts'
import type { Database } from '../execute/database.ts'
import type { Scalar } from '../filter/predicate.ts'
import type { ToOneAttribute } from '../model/catalog.ts'
import type { DateSpan } from '../model/group-types.ts'
import { WordColumn } from '../storage/column.ts'
import type { Table } from '../storage/table.ts'
import type { BoundGrouping } from './bind-grouping.ts'
import { countedColumn } from './fold-numbers-by-group.ts'
import { type Members, slotAt } from './members.ts'
import type { ValuePath } from './value-codes.ts'

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
  const { attribute, properties } = term.path
  if (attribute.kind === 'storage' && properties.length === 0) {
    const column = database.tableOf(attribute.owner).columns[attribute.ordinal]
    if (column instanceof WordColumn) return Math.max(1, column.dictionary.size)
  }
  return sampled(database, term, members)
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
