import type { StorageAttribute } from '../model/catalog.ts'
import {
  after,
  type IndexRanges,
  type NumberRanges,
  prefixRange,
  sharesBeginning,
  type TextRange,
  type TextRanges,
} from '../plan/key-range.ts'
import { IndexAccess, type IndexPlan, type Sought } from '../plan/physical-plan.ts'
import type { RangeTemplate } from '../plan/range-filter.ts'
import { type AttributeIndex, numberKey, type OrderedEntries } from '../storage/attribute-index.ts'
import { NumberColumn, type TextColumn, WordColumn } from '../storage/column.ts'
import type { Table } from '../storage/table.ts'
import { orderedIndex } from '../storage/table-load.ts'
import type { Pass, TextBeginnings } from '../storage/text-beginnings.ts'
import {
  addList,
  addPoint,
  findPoint,
  listAccess,
  listsAccess,
  NOWHERE,
  pointAccess,
  slotAccess,
  slotsAccess,
} from './point-access.ts'
import { Steps, wordsBetween } from './steps.ts'
import type { TimeSlices } from './time-slices.ts'
import { wordAccess } from './word-search.ts'

const windowAccess = (table: Table, from: number, end: number): IndexAccess =>
  new IndexAccess('range', 'window', table.version, Math.max(0, end - from), from, end, NOWHERE)

/**
 * The ranks [from, to) of an access, one after the other in one list; empty for an access of
 * another kind.
 */
export const windowsOf = ({ kind, first, end, many }: IndexAccess): ArrayLike<number> =>
  kind === 'window' ? [first, end] : kind === 'windows' ? many : NOWHERE

/** How an index of the attribute answers ranges or a search for words; null if none does. */
export function soughtAccess(
  table: Table,
  attribute: StorageAttribute,
  sought: Sought,
  slices: TimeSlices | null = null,
): IndexAccess | null {
  if (sought.kind !== 'words') return accessOf(table, attribute, sought, slices)
  const words = table.indexes[attribute.ordinal]?.words ?? null
  return words === null ? null : wordAccess(table, words, sought, slices)
}

/**
 * How an index of the attribute answers the ranges, with the count; null if none does. Cost: two
 * searches per range.
 */
export function accessOf(
  table: Table,
  attribute: StorageAttribute,
  ranges: IndexRanges,
  slices: TimeSlices | null = null,
): IndexAccess | null {
  const index = table.indexes[attribute.ordinal]
  const points = pointAccess(table, attribute, ranges)
  if (points !== null) return points
  if (ranges.isPoints && index === null) return null
  const ordered = orderedIndex(table, attribute.ordinal)
  if (ordered === null)
    return index?.beginnings == null
      ? null
      : beginningsAccess(table, attribute, index.beginnings, ranges, slices)
  if (ordered.postings !== null && ordered.column instanceof WordColumn) {
    const lists: number[] = []
    let rows = ranges.nulls ? addList(ordered.postings, 0, lists) : 0
    for (const code of codesOf(ordered.column, ranges as TextRanges))
      rows += addList(ordered.postings, code, lists)
    return listsAccess('range', table, lists, rows)
  }
  const windows = rankRanges(ordered, ranges)
  if (windows.length <= 2) return windowAccess(table, windows[0] ?? 0, windows[1] ?? 0)
  let rows = 0
  for (let i = 0; i < windows.length; i += 2) rows += windows[i + 1] - windows[i]
  return new IndexAccess('range', 'windows', table.version, rows, 0, 0, windows)
}

/**
 * How unique text without an order answers ranges of texts with a common beginning; null for other
 * ranges.
 */
function beginningsAccess(
  table: Table,
  attribute: StorageAttribute,
  beginnings: TextBeginnings,
  ranges: IndexRanges,
  slices: TimeSlices | null,
): IndexAccess | null {
  const { unique } = table.indexes[attribute.ordinal] as AttributeIndex
  // A hash tells whether there are nulls, but not where.
  if (ranges.nulls)
    return ranges.ranges.length === 0 && unique?.size === table.liveCount
      ? slotsAccess(table, NOWHERE)
      : null
  const intervals = (ranges as TextRanges).ranges
  if (!intervals.every(sharesBeginning)) return null
  const slots: number[] = []
  beginnings.collect(intervals, table.length, passOf(slices, attribute), slots)
  return new IndexAccess('range', 'slots', table.version, slots.length, 0, 0, slots)
}

/** Loops that a sliced read runs in blocks. */
const passOf =
  (slices: TimeSlices | null, attribute: StorageAttribute): Pass =>
  (name, count, start, body) =>
    Steps.in(slices, () => ['beginnings', attribute, name]).loop(count, start, body, 1)

const postingAccess = (table: Table, list: number, rows: number): IndexAccess =>
  rows === 0 ? listsAccess('posting', table, NOWHERE, 0) : listAccess('posting', table, list, rows)

/** `accessOf` for numbers that a range filter has read. */
export function numberAccess(
  table: Table,
  { attribute, isPoint, low, high }: RangeTemplate,
): IndexAccess | null {
  const index = table.indexes[attribute.ordinal]
  if (isPoint) {
    if (attribute.key || index?.unique)
      return slotAccess(table, low === high ? findPoint(table, attribute, low) : -1)
    if (index === null) return null
    if (index.postings !== null) {
      const list = low === high ? index.listOfValue(low) : 0
      return postingAccess(table, list, list === 0 ? 0 : index.postings.length(list))
    }
  }
  const ordered = orderedIndex(table, attribute.ordinal)?.ordered
  if (ordered?.kind !== 'number') return null
  const from = low > high ? 0 : ordered.lowerRank(low)
  return windowAccess(table, from, low > high ? 0 : ordered.upperRank(high))
}

/**
 * `accessOf` for a text that a range filter has read. A word with the same spelling is found
 * without folding.
 */
export function textAccess(table: Table, range: RangeTemplate): IndexAccess | null {
  const { attribute, isPoint } = range
  const index = table.indexes[attribute.ordinal]
  if (isPoint && (attribute.key || index?.unique))
    return slotAccess(table, findPoint(table, attribute, range.key))
  if (index === null || index.postings === null || !(index.column instanceof WordColumn))
    return null
  const { dictionary } = index.column
  let rows = 0
  if (isPoint) {
    const code = dictionary.onlyCodeOf(range.text)
    if (code > 0) return postingAccess(table, code, index.postings.length(code))
    const lists: number[] = []
    rows = addPoint(index, index.postings, range.key, lists)
    return listsAccess('posting', table, lists, rows)
  }
  if (!index.isOrdered) return null
  // The list of codes is not shared: codes of unused words are removed in place.
  const { low, high } = prefixRange(range.key)
  const codes = wordsBetween(index.column, low, high)
  let kept = 0
  for (let i = 0; i < codes.length; i++) {
    const found = index.postings.length(codes[i])
    rows += found
    if (found > 0) codes[kept++] = codes[i]
  }
  if (kept < codes.length) codes.length = kept
  return listsAccess('range', table, codes, rows)
}

/** The places of an index access now: as planned, or looked up again if the table has changed. */
export function placesOf(table: Table, plan: IndexPlan): IndexAccess | null {
  return plan.places.version === table.version
    ? plan.places
    : soughtAccess(table, plan.attribute, plan.ranges)
}

/** The word codes that text ranges select, in order of their keys. */
export function codesOf(column: WordColumn, { ranges }: TextRanges): number[] {
  if (ranges.length === 1) return wordsBetween(column, ranges[0].low, ranges[0].high)
  const codes: number[] = []
  // Without spread syntax: there may be more words than a call can have arguments.
  for (const range of ranges) for (const code of wordsWithin(column, range)) codes.push(code)
  return codes
}

const wordsWithin = (column: WordColumn, range: TextRange): readonly number[] =>
  isPoint(range)
    ? column.dictionary.codesOfKey(range.low)
    : wordsBetween(column, range.low, range.high)

/** True for a range of one key, which needs no search. */
const isPoint = ({ low, high }: TextRange): boolean =>
  high !== null && high.length === low.length + 1 && high === after(low)

/**
 * The rank ranges [from, to) of a block index that ranges select, ascending, one after the other in
 * one list.
 */
function rankRanges(index: AttributeIndex, ranges: IndexRanges): number[] {
  const ordered = index.ordered as OrderedEntries
  const out: number[] = []
  const add = (from: number, to: number): void => {
    if (to > from) out.push(from, to)
  }
  if (ordered.kind === 'number') {
    if (ranges.nulls) add(0, ordered.upperRank(Number.NEGATIVE_INFINITY))
    for (const { low, high } of (ranges as NumberRanges).ranges)
      add(ordered.lowerRank(low), ordered.upperRank(high))
    return out
  }
  if (ranges.nulls) add(0, ordered.upperRank(null))
  const { keys } = index.column as TextColumn
  for (const { low, high } of (ranges as TextRanges).ranges) {
    const from = ordered.lowerRank(low)
    // If there are many ranges, most hold no entry or one.
    const isOver = (rank: number): boolean =>
      high !== null && (keys[ordered.slotAt(rank)] as string) >= high
    let to = from
    while (to < ordered.size && to - from < NEAR && !isOver(to)) to++
    add(from, to - from < NEAR ? to : high === null ? ordered.size : ordered.lowerRank(high))
  }
  return out
}

/** Entries of a range that are visited before its end is searched. */
const NEAR = 2

/**
 * The lowest or highest value of a number or date, from the end of its index. Null if there is no
 * value, or no index. Cost: O(log n).
 */
export function endOfIndex(
  table: Table,
  attribute: StorageAttribute,
  end: 'min' | 'max',
): number | null {
  const column = table.columns[attribute.ordinal]
  if (!(column instanceof NumberColumn)) return null
  const ordered = orderedIndex(table, attribute.ordinal)?.ordered
  if (ordered?.kind !== 'number') return null
  const nulls = ordered.upperRank(Number.NEGATIVE_INFINITY)
  if (nulls === ordered.size) return null
  return numberKey(column, ordered.slotAt(end === 'min' ? nulls : ordered.size - 1))
}
