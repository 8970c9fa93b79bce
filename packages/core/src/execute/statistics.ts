import type { RelatedPredicate } from '../filter/predicate.ts'
import type { ClassModel, RelationAttribute, StorageAttribute } from '../model/catalog.ts'
import type { IndexRanges, TextRanges } from '../plan/key-range.ts'
import type { IndexAccess, IndexPlaces, IndexPlan, JoinPlaces, PhysicalPlan } from '../plan/physical-plan.ts'
import type { Statistics } from '../plan/statistics.ts'
import type { AttributeIndex } from '../storage/attribute-index.ts'
import { WordColumn } from '../storage/column.ts'
import type { PostingLists } from '../storage/posting-lists.ts'
import { slotsOf } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { Database } from './database.ts'

const SAMPLE = 64

/** The planner's counts over a database: ranks of block indexes, lengths of posting lists, hits of hashes. */
export function createStatistics(database: Database): Statistics {
  return {
    rowCount: (dataClass: ClassModel) => database.tableOf(dataClass).liveCount,
    access(attribute, ranges) {
      const table = database.tableOf(attribute.owner)
      return accessOf(table, attribute, ranges)
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
  const index = indexes[relation.foreignKey.ordinal]
  if (index === null || index.postings === null) return null
  const { postings } = index
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

/** The records of an inner query, in no order, where its plan tells them; else null. */
function innerSlots(table: Table, plan: PhysicalPlan): readonly number[] | null {
  if (plan.kind !== 'index' || plan.places.version !== table.version) return null
  const { places } = plan
  if (places.kind === 'slots') return places.slots
  const postings = table.indexes[plan.attribute.ordinal]?.postings ?? null
  if (places.kind !== 'lists' || postings === null) return null
  const slots: number[] = []
  const { data } = postings
  for (let i = 0; i < places.lists.length; i++) {
    const start = postings.start(places.lists[i])
    const end = start + postings.length(places.lists[i])
    for (let at = start; at < end; at++) slots.push(data[at])
  }
  return slots
}

function accessOf(table: Table, attribute: StorageAttribute, ranges: IndexRanges): IndexAccess | null {
  const index = table.indexes[attribute.ordinal]
  const { version } = table
  if (ranges.isPoints) {
    if (!ranges.nulls && (attribute.key || index?.unique)) {
      const slots: number[] = []
      for (const { low } of ranges.ranges) {
        const slot = findPoint(table, attribute, low)
        if (slot >= 0) slots.push(slot)
      }
      return { access: 'hash', rows: slots.length, places: { kind: 'slots', version, slots } }
    }
    if (index === null) return null
    if (index.postings !== null) {
      const lists: number[] = []
      let rows = ranges.nulls ? addList(index.postings, 0, lists) : 0
      for (const { low } of ranges.ranges) rows += addPoint(index, index.postings, low, lists)
      return { access: 'posting', rows, places: { kind: 'lists', version, lists } }
    }
  }
  if (index === null || !index.isOrdered) return null
  if (index.postings !== null && index.column instanceof WordColumn) {
    const lists: number[] = []
    let rows = ranges.nulls ? addList(index.postings, 0, lists) : 0
    for (const code of codesOf(index.column, ranges as TextRanges)) rows += addList(index.postings, code, lists)
    return { access: 'range', rows, places: { kind: 'lists', version, lists } }
  }
  const windows = rankRanges(index, ranges)
  let rows = 0
  for (let i = 0; i < windows.length; i++) rows += windows[i][1] - windows[i][0]
  return { access: 'range', rows, places: { kind: 'windows', version, windows } }
}

/** Where an index access finds its records now: as it was planned, or looked up again where the table changed since. */
export function placesOf(table: Table, { attribute, ranges, places }: IndexPlan): IndexPlaces | null {
  return places.version === table.version ? places : (accessOf(table, attribute, ranges)?.places ?? null)
}

/** Notes a posting list that is not empty; returns its length. */
function addList(postings: PostingLists, list: number, lists: number[]): number {
  const rows = postings.length(list)
  if (rows > 0) lists.push(list)
  return rows
}

/** The record of one key or unique value, or -1. */
function findPoint(table: Table, attribute: StorageAttribute, key: string | number): number {
  const value = attribute.type === 'bool' ? key === 1 : key
  if (attribute.key) return table.keys.find(value)
  return table.indexes[attribute.ordinal]?.unique?.find(value) ?? -1
}

/** Notes the posting lists of one value: those of each spelling, where it is text. Returns how many records they hold. */
function addPoint(index: AttributeIndex, postings: PostingLists, key: string | number, lists: number[]): number {
  if (!(index.column instanceof WordColumn)) {
    const list = index.listOfValue(key)
    return list === 0 ? 0 : addList(postings, list, lists)
  }
  const { dictionary } = index.column
  const single = dictionary.singleCodeOfKey(key as string)
  if (single >= 0) return single === 0 ? 0 : addList(postings, single, lists)
  let rows = 0
  for (const code of dictionary.codesOfKey(key as string)) rows += addList(postings, code, lists)
  return rows
}

/** The word codes that text ranges select, in order of their keys. */
export function codesOf(column: WordColumn, ranges: TextRanges): number[] {
  const order = column.dictionary.order()
  const codes: number[] = []
  for (const { low, high } of ranges.ranges) {
    const end = high === null ? Number.POSITIVE_INFINITY : order.labelAtOrAfter(high)
    // Not spread: there may be more words than a call takes arguments.
    for (const code of order.codesBetween(order.labelAtOrAfter(low), end)) codes.push(code)
  }
  return codes
}

/** The rank ranges [from, to) of a block index that ranges select, ascending. */
export function rankRanges(index: AttributeIndex, ranges: IndexRanges): [number, number][] {
  const { ordered } = index
  if (ordered === null) return []
  const out: [number, number][] = []
  if (ordered.kind === 'number') {
    if (ranges.kind !== 'number') return []
    if (ranges.nulls) out.push([0, ordered.upperRank(Number.NEGATIVE_INFINITY)])
    for (const { low, high } of ranges.ranges) {
      const from = ordered.lowerRank(low)
      const to = ordered.upperRank(high)
      if (to > from) out.push([from, to])
    }
    return out
  }
  if (ranges.kind !== 'text') return []
  if (ranges.nulls) out.push([0, ordered.upperRank(null)])
  for (const { low, high } of ranges.ranges) {
    const from = ordered.lowerRank(low)
    const to = high === null ? ordered.size : ordered.lowerRank(high)
    if (to > from) out.push([from, to])
  }
  return out
}

/** Share of living records in a sample spread over the column that the ranges select; never 0 or 1, a sample proves neither. */
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
  value === null ? null : typeof value === 'boolean' ? Number(value) : typeof value === 'number' ? value : null

function isWithin(ranges: IndexRanges, key: string | number): boolean {
  if (ranges.kind === 'number')
    return ranges.ranges.some(({ low, high }) => (key as number) >= low && (key as number) <= high)
  return ranges.ranges.some(({ low, high }) => (key as string) >= low && (high === null || (key as string) < high))
}
