import type { RelatedPredicate } from '../filter/predicate.ts'
import type { RelationAttribute, StorageAttribute } from '../model/catalog.ts'
import type { IndexAccess, JoinPlaces, PhysicalPlan } from '../plan/physical-plan.ts'
import type { RangeTemplate } from '../plan/range-filter.ts'
import type { Sought } from '../plan/sought.ts'
import type { Statistics } from '../plan/statistics.ts'
import type { AttributeIndex } from '../storage/attribute-index.ts'
import { WordColumn } from '../storage/column.ts'
import type { PostingLists } from '../storage/posting-lists.ts'
import type { Table } from '../storage/table.ts'
import type { Database } from './database.ts'
import { accessOf, rangeAccessOf, soughtAccess } from './index-access.ts'
import { listedSlots } from './listed-slots.ts'
import { addList, listsOf } from './point-access.ts'
import { ScanCounts } from './scan-counts.ts'
import { Steps } from './steps.ts'

/** From this number of ranges on, counting takes longer than a look-up of earlier counts. */
const MIN_KEPT_RANGES = 64

/**
 * The planner's counts over a database: ranks of block indexes, lengths of posting lists, hits of
 * hashes.
 */
export class IndexStatistics extends ScanCounts implements Statistics {
  /** The counts of long lists and of words, which several plans use. */
  readonly #counted = new WeakMap<Sought, IndexAccess>()

  override access(attribute: StorageAttribute, ranges: Sought): IndexAccess | null {
    const table = this.database.tableOf(attribute.owner)
    const { slices } = this.database
    const hasNone = table.indexes[attribute.ordinal] === null && !attribute.key
    if (slices === null || hasNone) return this.#accessTo(table, attribute, ranges)
    return slices.once(['access', attribute, ranges], () =>
      this.#accessTo(table, attribute, ranges),
    )
  }
  #accessTo(table: Table, attribute: StorageAttribute, ranges: Sought): IndexAccess | null {
    const { slices } = this.database
    if (ranges.kind !== 'words' && ranges.ranges.length < MIN_KEPT_RANGES)
      return accessOf(table, attribute, ranges, slices)
    const known = this.#counted.get(ranges)
    if (known?.version === table.version) return known
    const found = soughtAccess(table, attribute, ranges, slices)
    if (found !== null) this.#counted.set(ranges, found)
    return found
  }
  rangeAccess(range: RangeTemplate): IndexAccess | null {
    return rangeAccessOf(this.database.tableOf(range.attribute.owner), range)
  }
  joinPlaces(predicate: RelatedPredicate, inner: PhysicalPlan): JoinPlaces | null {
    return joinPlaces(this.database, predicate, inner)
  }
  fanOut(relation: RelationAttribute): number {
    const source = this.rowCount(relation.owner)
    const target = this.rowCount(relation.target)
    return target === 0 ? 0 : source / target
  }
  wordCount(attribute: StorageAttribute): number | null {
    const column = this.database.tableOf(attribute.owner).columns[attribute.ordinal]
    return column instanceof WordColumn ? column.dictionary.size : null
  }
}

function joinPlaces(
  database: Database,
  { relation, part, whenMissing }: RelatedPredicate,
  inner: PhysicalPlan,
): JoinPlaces | null {
  if (relation.kind !== 'relatedEntity') return null
  const { version, indexes } = database.tableOf(relation.owner)
  // A foreign key always has posting lists.
  const index = indexes[relation.foreignKey.ordinal] as AttributeIndex
  const postings = index.postings as PostingLists
  const target = database.tableOf(relation.target)
  const key = target.columns[target.model.key.ordinal]
  const { slices } = database
  const slots =
    innerSlots(target, inner) ?? listedSlots(slices, database.select(relation.target, part))
  const memoKey = (): readonly unknown[] => [
    'places of a join',
    database,
    relation,
    part,
    whenMissing,
  ]
  const start = (): { lists: number[]; rows: number } => {
    const lists: number[] = []
    return { lists, rows: whenMissing ? addList(postings, 0, lists) : 0 }
  }
  const found = Steps.in(slices, memoKey).loop(
    slots.length,
    start,
    (all, from, to) => {
      for (let i = from; i < to; i++) {
        const list = index.listOfValue(key.read(slots[i]) as string | number)
        if (list !== 0) all.rows += addList(postings, list, all.lists)
      }
    },
    1,
  )
  return { version, innerVersion: target.version, ...found }
}

/** The records of an inner query, unordered, if its plan holds them; else null. */
function innerSlots(table: Table, plan: PhysicalPlan): ArrayLike<number> | null {
  if (plan.kind !== 'index' || plan.places.version !== table.version) return null
  const { places } = plan
  if (places.kind === 'slots') return places.many
  const postings = table.indexes[plan.attribute.ordinal]?.postings ?? null
  if (postings === null) return null
  const slots: number[] = []
  const { data } = postings
  const lists = listsOf(places)
  for (let i = 0; i < lists.length; i++) {
    const start = postings.start(lists[i])
    const end = start + postings.length(lists[i])
    for (let at = start; at < end; at++) slots.push(data[at])
  }
  return slots
}
