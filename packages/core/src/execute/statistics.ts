import type { RelatedPredicate } from '../filter/predicate.ts'
import type { ClassModel, RelationAttribute, StorageAttribute } from '../model/catalog.ts'
import type { IndexRanges } from '../plan/key-range.ts'
import type { IndexAccess, JoinPlaces, PhysicalPlan } from '../plan/physical-plan.ts'
import type { Statistics } from '../plan/statistics.ts'
import type { AttributeIndex } from '../storage/attribute-index.ts'
import { WordColumn } from '../storage/column.ts'
import type { PostingLists } from '../storage/posting-lists.ts'
import { slotsOf } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { Database } from './database.ts'
import { accessOf, addList, listsOf, rangeAccessOf } from './index-access.ts'

const SAMPLE = 64
/** From this number of ranges on, counting takes longer than a look-up of earlier counts. */
const MIN_KEPT_RANGES = 64

/**
 * The planner's counts over a database: ranks of block indexes, lengths of posting lists, hits of
 * hashes. `mayDangle`: see `Statistics`.
 */
export function createStatistics(database: Database, mayDangle = (): boolean => false): Statistics {
  // The counts of long lists, which several plans use.
  const counted = new WeakMap<IndexRanges, IndexAccess>()
  const accessTo = (
    table: Table,
    attribute: StorageAttribute,
    ranges: IndexRanges,
  ): IndexAccess | null => {
    if (ranges.ranges.length < MIN_KEPT_RANGES)
      return accessOf(table, attribute, ranges, database.slices)
    const known = counted.get(ranges)
    if (known?.version === table.version) return known
    const found = accessOf(table, attribute, ranges, database.slices)
    if (found !== null) counted.set(ranges, found)
    return found
  }
  return {
    get mayDangle() {
      return mayDangle()
    },
    rowCount: (dataClass: ClassModel) => database.tableOf(dataClass).liveCount,
    access(attribute, ranges) {
      const table = database.tableOf(attribute.owner)
      const { slices } = database
      const hasNone = table.indexes[attribute.ordinal] === null && !attribute.key
      if (slices === null || hasNone) return accessTo(table, attribute, ranges)
      return slices.once(['access', attribute, ranges], () => accessTo(table, attribute, ranges))
    },
    rangeAccess(range) {
      return rangeAccessOf(database.tableOf(range.attribute.owner), range)
    },
    sampledShare(attribute, ranges) {
      return sampledShare(database.tableOf(attribute.owner), attribute, ranges)
    },
    joinPlaces: (predicate, inner) => joinPlaces(database, predicate, inner),
    fanOut(relation: RelationAttribute) {
      const source = database.tableOf(relation.owner).liveCount
      const target = database.tableOf(relation.target).liveCount
      return target === 0 ? 0 : source / target
    },
    wordCount(attribute) {
      const column = database.tableOf(attribute.owner).columns[attribute.ordinal]
      return column instanceof WordColumn ? column.dictionary.size : null
    },
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
  const lists: number[] = []
  let rows = whenMissing ? addList(postings, 0, lists) : 0
  const slots = innerSlots(target, inner) ?? slotsOf(database.select(relation.target, part))
  for (let i = 0; i < slots.length; i++) {
    const list = index.listOfValue(key.read(slots[i]) as string | number)
    if (list !== 0) rows += addList(postings, list, lists)
  }
  return { version, innerVersion: target.version, rows, lists }
}

/** The records of an inner query, unordered, if its plan holds them; else null. */
function innerSlots(table: Table, plan: PhysicalPlan): readonly number[] | null {
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

/**
 * The share of living records in a sample that the ranges select. It is never 0 or 1, which a
 * sample cannot prove.
 */
function sampledShare(table: Table, attribute: StorageAttribute, ranges: IndexRanges): number {
  const column = table.columns[attribute.ordinal]
  if (table.liveCount === 0) return 0
  if (column instanceof WordColumn && ranges.kind === 'text' && ranges.isPoints) {
    let rows = 0
    for (const { low } of ranges.ranges)
      for (const code of column.dictionary.codesOfKey(low)) rows += column.dictionary.counts[code]
    return rows / table.liveCount
  }
  const step = Math.max(1, Math.floor(table.length / SAMPLE))
  let seen = 0
  let selected = 0
  for (let slot = 0; slot < table.length; slot += step) {
    if (!table.isLive(slot)) continue
    seen++
    const key =
      column.layout === 'text'
        ? column.keys[slot]
        : column.layout === 'word'
          ? wordKey(column, slot)
          : scalarKey(column.read(slot))
    if (key === null ? ranges.nulls : isWithin(ranges, key)) selected++
  }
  return (selected + 0.5) / (seen + 1)
}

const wordKey = (column: WordColumn, slot: number): string | null =>
  column.codes[slot] === 0 ? null : column.dictionary.keys[column.codes[slot]]
const scalarKey = (value: unknown): number | null =>
  value === null
    ? null
    : typeof value === 'boolean'
      ? Number(value)
      : typeof value === 'number'
        ? value
        : null

function isWithin(ranges: IndexRanges, key: string | number): boolean {
  // Finds the last range that begins at or before the key by bisection: there may be thousands.
  let at = 0
  let end = ranges.ranges.length
  while (at < end) {
    const middle = (at + end) >>> 1
    if (ranges.ranges[middle].low <= key) at = middle + 1
    else end = middle
  }
  if (at === 0) return false
  if (ranges.kind === 'number') return (key as number) <= ranges.ranges[at - 1].high
  const { high } = ranges.ranges[at - 1]
  return high === null || (key as string) < high
}
