import type { OrderBy, Predicate } from '../filter/predicate.ts'
import { type AttributeIndex, numberKey, type OrderedEntries } from '../storage/attribute-index.ts'
import { type TextColumn, WordColumn } from '../storage/column.ts'
import type { PostingLists } from '../storage/posting-lists.ts'
import { contains, type RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import { orderedIndex } from '../storage/table-load.ts'
import { type ColumnFilter, filterFromTest } from './column-filter.ts'
import type { Database } from './database.ts'
import { type Collected, PageCollector, sortedPage } from './page-collector.ts'
import { conjunctionFilter } from './predicate-filter.ts'
import { Steps } from './steps.ts'

/** Entries of an index: ranks [from, to), or posting lists of words. */
export type IndexWindow =
  | { readonly kind: 'ranks'; readonly from: number; readonly to: number }
  | { readonly kind: 'lists'; readonly lists: readonly number[] }

/** The index that gives a table's records in the order of the first term, or null. */
export function indexOfOrder(table: Table, orderBy: OrderBy): AttributeIndex | null {
  const { attribute, steps, properties } = orderBy[0]
  if (attribute.kind !== 'storage' || steps.length > 0 || properties.length > 0) return null
  return orderedIndex(table, attribute.ordinal)
}

/**
 * Records `skip` to `skip + top` of an order, read off the index of its first term; equal keys are
 * sorted by the further terms. `members` null means every living record: then `skip` is a jump by
 * rank. `window` gives the entries of the members instead, exactly: a rank range of a block index,
 * or posting lists of words. `members` identifies them in a sliced read. Cost: entries walked until
 * the page is full, plus sorting groups of equal keys.
 */
export function pageByIndex(
  database: Database,
  table: Table,
  index: AttributeIndex,
  orderBy: OrderBy,
  members: RecordSet | null,
  window: IndexWindow | null,
  skip: number,
  top: number,
): Int32Array {
  if (top <= 0) return new Int32Array(0)
  const { slices } = database
  const isMember = members && ((slot: number): boolean => contains(members, slot))
  const memoKey = (): readonly unknown[] => ['page', table, orderBy, skip, top, members, window]
  const steps = Steps.in(slices, memoKey)
  const collected = steps.once(() => {
    const { descending } = orderBy[0]
    const isOfWords = index.column instanceof WordColumn
    if (isMember !== null && !isOfWords) {
      const most = Number.POSITIVE_INFINITY
      const filter = filterFromTest(isMember)
      const found = walkEntries(steps, index, descending, filter, skip + top, most, 0)
      return collectedEntries(index, found as number[], skip, top)
    }
    if (isOfWords) {
      const lists = window?.kind === 'lists' ? window.lists : null
      const page = new PageCollector(skip, top)
      // A sliced read may have to test all records of a word: then each word is a step.
      const isListed = slices !== null && isMember !== null
      return walkWords(steps, index, index.column, descending, isMember, lists, page, isListed)
    }
    const page = new PageCollector(skip, top)
    walkRanks(index, descending, window?.kind === 'ranks' ? window : null, page)
    return page.collected()
  })
  return sortedPage(database, table, orderBy, collected)
}

/**
 * The same for records that pass all tests of own columns; null if the page is not full after
 * `most` entries.
 */
export function pageByFilters(
  database: Database,
  table: Table,
  index: AttributeIndex,
  orderBy: OrderBy,
  residual: readonly Predicate[],
  skip: number,
  top: number,
  most: number,
): Int32Array | null {
  if (index.ordered === null) return null
  if (top <= 0) return new Int32Array(0)
  const { descending } = orderBy[0]
  const filter = conjunctionFilter(database, table, residual)
  const memoKey = (): readonly unknown[] => ['walk', table, orderBy, residual, skip, top]
  const steps = Steps.in(database.slices, memoKey)
  const collected = steps.once(() => {
    const found = walkEntries(steps, index, descending, filter, skip + top, most, 1)
    return found === null ? null : collectedEntries(index, found, skip, top)
  })
  return collected === null ? null : sortedPage(database, table, orderBy, collected)
}

function walkWords(
  steps: Steps,
  index: AttributeIndex,
  column: WordColumn,
  descending: boolean,
  isMember: ((slot: number) => boolean) | null,
  lists: readonly number[] | null,
  empty: PageCollector,
  isListed: boolean,
): Collected {
  const postings = index.postings as PostingLists
  const { dictionary } = column
  const order = dictionary.order()
  const visitList = (page: PageCollector, list: number): void => {
    const start = postings.start(list)
    const length = postings.length(list)
    const { data } = postings
    for (let i = 0; i < length; i++)
      if (isMember === null || isMember(data[start + i])) page.add(data[start + i])
  }
  const visitNulls = (page: PageCollector): boolean => {
    if (isMember === null && postings.length(0) <= page.toSkip) page.pass(postings.length(0))
    else visitList(page, 0)
    return page.endGroup()
  }
  const visit = (walk: WordWalk, code: number): boolean => {
    const { page } = walk
    if (order.labels[code] !== walk.label) {
      if (page.endGroup()) return true
      walk.label = order.labels[code]
      // A group of one word that ends before the page is not read.
      const length = postings.length(code)
      if (
        isMember === null &&
        length <= page.toSkip &&
        dictionary.singleCodeOfKey(dictionary.keys[code]) === code
      ) {
        page.pass(length)
        return false
      }
    }
    visitList(page, code)
    return false
  }
  const all = isListed
    ? order.codesBetween(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
    : null
  const codes = lists === null ? all : inWordOrder(lists, order.labels)
  if (descending) codes?.reverse()
  const hasNulls = lists === null || lists.includes(0)
  const nullsFirst = hasNulls && !descending
  const start = (): WordWalk => ({
    page: empty,
    label: Number.NaN,
    isFull: nullsFirst && visitNulls(empty),
  })
  const body = (walk: WordWalk, from: number, to: number): boolean => {
    const visitCode = (code: number): boolean => visit(walk, code)
    walk.isFull ||=
      codes === null
        ? order.some(descending, visitCode, from, to)
        : codes.slice(from, to).some(visitCode)
    return !walk.isFull
  }
  const units = codes?.length ?? order.blocks
  const { page, isFull } = steps.loop(units, start, body, 0, WORD_WEIGHT)
  if (!isFull && !page.endGroup() && hasNulls && descending) visitNulls(page)
  return page.collected()
}

/** A word may have many records: the first block is one word. */
const WORD_WEIGHT = 64

/** How far a walk over words has come. */
interface WordWalk {
  readonly page: PageCollector
  /** Of the group that is not ended yet. */
  label: number
  isFull: boolean
}

/** The lists of words, without that of nulls, in the order of the words. */
const inWordOrder = (lists: readonly number[], labels: Float64Array): number[] =>
  lists.filter((list) => list !== 0).sort((a, b) => labels[a] - labels[b] || a - b)

/**
 * The first `needed` entries that pass the filter, in index order, up to the end of the last group
 * of equal keys; null if that takes more than `most` entries.
 */
function walkEntries(
  steps: Steps,
  index: AttributeIndex,
  descending: boolean,
  filter: ColumnFilter,
  needed: number,
  most: number,
  visits: number,
): number[] | null {
  const ordered = index.ordered as OrderedEntries
  const isSame = sameKey(index)
  const { size } = ordered
  const chunk = new Int32Array(Math.min(size, CHUNK))
  const start = (): Walked => ({ found: [], isTooLong: false })
  const visit = (walk: Walked, from: number, end: number): boolean => {
    const { found } = walk
    for (let walked = from; walked < end; walked += CHUNK) {
      if (walked > most) walk.isTooLong = true
      if (walk.isTooLong) return false
      const to = Math.min(end, walked + CHUNK)
      const taken = descending
        ? ordered.slotsBetween(size - to, size - walked, chunk, true)
        : ordered.slotsBetween(walked, to, chunk)
      const count = filter.narrow(chunk, taken)
      for (let i = 0; i < count; i++) {
        if (found.length >= needed && !isSame(found[needed - 1], chunk[i])) return false
        found.push(chunk[i])
      }
    }
    return true
  }
  const { found, isTooLong } = steps.loop(size, start, visit, visits)
  return isTooLong ? null : found
}

interface Walked {
  readonly found: number[]
  isTooLong: boolean
}

/**
 * Records `skip` to `skip + top` of those in index order: groups of equal keys that reach into the
 * page are sorted further.
 */
function collectedEntries(
  index: AttributeIndex,
  found: readonly number[],
  skip: number,
  top: number,
): Collected {
  const isSame = sameKey(index)
  const end = Math.min(found.length, skip + top)
  let start = Math.min(skip, end)
  while (start > 0 && start < end && isSame(found[start - 1], found[start])) start--
  const page = new PageCollector(skip - start, top)
  for (let i = start; i < found.length; i++) {
    if (i > start && !isSame(found[i - 1], found[i]) && page.endGroup()) break
    page.add(found[i])
  }
  return page.collected()
}

/** Entries that are filtered together. */
const CHUNK = 512

function walkRanks(
  index: AttributeIndex,
  descending: boolean,
  window: { readonly from: number; readonly to: number } | null,
  page: PageCollector,
): void {
  const ordered = index.ordered as OrderedEntries
  const { from, to } = window ?? { from: 0, to: ordered.size }
  const skip = page.toSkip
  if (skip >= to - from) {
    page.pass(to - from)
    return
  }
  // Start at the first entry of the group of equal keys that holds the page's first record.
  const first = ordered.slotAt(descending ? to - 1 - skip : from + skip)
  const group =
    ordered.kind === 'number'
      ? [
          ordered.lowerRank(numberKey(index.column, first)),
          ordered.upperRank(numberKey(index.column, first)),
        ]
      : [ordered.lowerRank(textKeyOf(index, first)), ordered.upperRank(textKeyOf(index, first))]
  let low = descending ? from : Math.max(from, group[0])
  let high = descending ? Math.min(to, group[1]) : to
  page.pass(descending ? to - high : low - from)
  const isSame = sameKey(index)
  const chunk = new Int32Array(Math.min(high - low, page.needed + 64))
  let last = -1
  while (low < high) {
    const size = Math.min(chunk.length, high - low)
    if (descending) ordered.slotsBetween(high - size, high, chunk, true)
    else ordered.slotsBetween(low, low + size, chunk)
    for (let i = 0; i < size; i++) {
      if (last >= 0 && !isSame(last, chunk[i]) && page.endGroup()) return
      page.add(chunk[i])
      last = chunk[i]
    }
    if (descending) high -= size
    else low += size
  }
}

/** For a column whose entries are ordered and not numbers. */
const textKeyOf = ({ column }: AttributeIndex, slot: number): string | null =>
  (column as TextColumn).keys[slot]

function sameKey(index: AttributeIndex): (a: number, b: number) => boolean {
  const { column } = index
  if (column.layout === 'text') return (a, b) => column.keys[a] === column.keys[b]
  return (a, b) => numberKey(column, a) === numberKey(column, b)
}
