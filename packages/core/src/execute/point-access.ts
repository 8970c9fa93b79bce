import type { StorageAttribute } from '../model/catalog.ts'
import { IndexAccess, type Sought } from '../plan/physical-plan.ts'
import type { AttributeIndex } from '../storage/attribute-index.ts'
import { NULL_INT, WordColumn } from '../storage/column.ts'
import type { HashIndex } from '../storage/hash-index.ts'
import type { PostingLists } from '../storage/posting-lists.ts'
import type { Table } from '../storage/table.ts'

export const NOWHERE: readonly number[] = Object.freeze([])

export const slotsAccess = (table: Table, slots: readonly number[]): IndexAccess =>
  new IndexAccess('hash', 'slots', table.version, slots.length, 0, 0, slots)
/** The access of one record; of none for -1. */
export const slotAccess = (table: Table, slot: number): IndexAccess =>
  slotsAccess(table, slot < 0 ? NOWHERE : [slot])
export const listAccess = (
  access: 'posting' | 'range',
  table: Table,
  list: number,
  rows: number,
): IndexAccess => new IndexAccess(access, 'list', table.version, rows, list, 0, NOWHERE)
export function listsAccess(
  access: 'posting' | 'range',
  table: Table,
  lists: readonly number[],
  rows: number,
): IndexAccess {
  if (lists.length === 1) return listAccess(access, table, lists[0], rows)
  return new IndexAccess(access, 'lists', table.version, rows, 0, 0, lists)
}

/** The posting lists of an access; empty for an access of another kind. */
export const listsOf = ({ kind, first, many }: IndexAccess): readonly number[] =>
  kind === 'list' ? [first] : kind === 'lists' ? (many as readonly number[]) : NOWHERE

/**
 * The records of single values: of the key and of unique values by hash, of a foreign key by its
 * posting lists. Null for other ranges and attributes. Cost: O(values).
 */
export function pointAccess(
  table: Table,
  attribute: StorageAttribute,
  ranges: Sought,
): IndexAccess | null {
  if (ranges.kind === 'words' || !ranges.isPoints) return null
  const index = table.indexes[attribute.ordinal]
  if (!ranges.nulls && (attribute.key || index?.unique)) {
    if (ranges.ranges.length === 1)
      return slotAccess(table, findPoint(table, attribute, ranges.ranges[0].low))
    const slots: number[] = []
    for (const { low } of ranges.ranges) {
      const slot = findPoint(table, attribute, low)
      if (slot >= 0) slots.push(slot)
    }
    return slotsAccess(table, slots)
  }
  if (index === null || index.postings === null) return null
  const lists: number[] = []
  let rows = ranges.nulls ? addList(index.postings, 0, lists) : 0
  for (const { low } of ranges.ranges) rows += addPoint(index, index.postings, low, lists)
  return listsAccess('posting', table, lists, rows)
}

/** Adds a posting list that is not empty; returns its length. */
export function addList(postings: PostingLists, list: number, lists: number[]): number {
  const rows = postings.length(list)
  if (rows > 0) lists.push(list)
  return rows
}

/** The record of one key or unique value, or -1. */
export function findPoint(table: Table, attribute: StorageAttribute, key: string | number): number {
  const value = attribute.type === 'bool' ? key === 1 : key
  if (attribute.key) return table.keys.find(value)
  const { unique } = table.indexes[attribute.ordinal] as AttributeIndex
  return (unique as HashIndex).find(value)
}

/**
 * Adds the posting lists of one value; for text, those of all its spellings. Returns their number
 * of records.
 */
export function addPoint(
  index: AttributeIndex,
  postings: PostingLists,
  key: string | number,
  lists: number[],
): number {
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

/**
 * Records `skip` to `skip + top`, in record order, of one number range; null for other ranges and
 * columns. It stops when it has them. For ranges that select few records: then the processor
 * predicts the branch.
 */
export function rangePage(
  table: Table,
  ordinal: number,
  ranges: Sought,
  skip: number,
  top: number,
): number[] | null {
  const column = table.columns[ordinal]
  if (
    column.layout !== 'number' ||
    ranges.kind !== 'number' ||
    ranges.nulls ||
    ranges.ranges.length !== 1
  )
    return null
  const [{ low, high }] = ranges.ranges
  const { data } = column
  if (data instanceof Int32Array)
    return intPage(data, Math.max(low, NULL_INT + 1), high, table.length, skip, top)
  return doublePage(data, low, high, table.length, skip, top)
}

// The same loop twice, so that each is specialised for one kind of vector. Removed records read as
// null. The bounds are compared without a branch, because it would be unpredictable: a
// misprediction takes longer than the comparison.

function intPage(
  data: Int32Array,
  low: number,
  high: number,
  length: number,
  skip: number,
  top: number,
): number[] {
  const out: number[] = []
  let toSkip = skip
  for (let slot = 0; slot < length && out.length < top; slot++) {
    const value = data[slot]
    if ((+(value >= low) & +(value <= high)) === 1 && toSkip-- <= 0) out.push(slot)
  }
  return out
}

function doublePage(
  data: Float64Array,
  low: number,
  high: number,
  length: number,
  skip: number,
  top: number,
): number[] {
  const out: number[] = []
  let toSkip = skip
  for (let slot = 0; slot < length && out.length < top; slot++) {
    const value = data[slot]
    if ((+(value >= low) & +(value <= high)) === 1 && toSkip-- <= 0) out.push(slot)
  }
  return out
}
