import type { Database } from '../execute/database.ts'
import type { Steps } from '../execute/steps.ts'
import { livingSlots } from '../execute/time-slices.ts'
import type { ToOneAttribute } from '../model/catalog.ts'
import type { AttributeIndex } from '../storage/attribute-index.ts'
import { NULL_INT, WordColumn } from '../storage/column.ts'
import type { PostingLists } from '../storage/posting-lists.ts'
import type { Table } from '../storage/table.ts'
import { entryOf } from '../value/entry.ts'
import { exactSum } from './exact-sum.ts'
import { columnOf, type GroupRun, listed, type Members, READS_RECORDS, slotAt } from './members.ts'
import { type ValuePath, valueCodes } from './value-codes.ts'

/**
 * Aggregates of the numbers in each group, four by code of the group: count, sum, minimum and
 * maximum. Without a number, the minimum is Infinity. In one vector they are close to each other.
 */
export type FoldedNumbers = Float64Array
/** Where the aggregates of a group begin, and the places of the sum and the extremes from there. */
export const WIDTH = 4
export const SUM = 1
export const MIN = 2
export const MAX = 3

/** Numbers of members: a column, or a vector by place. Null is `NULL_INT` or NaN. */
export interface Numbers {
  readonly data: Int32Array | Float64Array
  readonly of: Members
  /** True if no number has a fraction. */
  readonly isIntegral: boolean
}

/** The groups of some members. */
export interface Groups {
  /** By member. */
  readonly codes: Int32Array
  readonly limit: number
}

/** Counts, extremes and exact sums of numbers by group. Cost: O(members). */
export function foldByGroup(
  { steps }: GroupRun,
  { data, of, isIntegral }: Numbers,
  { codes, limit }: Groups,
  needsSums: boolean,
): FoldedNumbers {
  const { slots } = of
  const start = (): FoldedNumbers => {
    const all = new Float64Array(limit * WIDTH)
    for (let at = 0; at < all.length; at += WIDTH) {
      all[at + MIN] = Number.POSITIVE_INFINITY
      all[at + MAX] = Number.NEGATIVE_INFINITY
    }
    return all
  }
  const folded = steps.loop(
    of.count,
    start,
    (all, from, to) =>
      data instanceof Int32Array
        ? foldInts(all, codes, data, slots, from, to)
        : foldDoubles(all, codes, data, slots, from, to),
    READS_RECORDS,
  )
  if (needsSums)
    steps.once(() => {
      const isPlain = steps.once(() => isIntegral && isExact(folded))
      if (!isPlain) sumExactly(steps, { data, of, isIntegral }, { codes, limit }, folded)
    })
  return folded
}

// Functions of their own, with vectors as parameters: closures over them take three times as long.

function foldInts(
  all: FoldedNumbers,
  codes: Int32Array,
  data: Int32Array,
  slots: Int32Array | null,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const value = slots === null ? data[i] : data[slots[i]]
    if (value === NULL_INT) continue
    const at = codes[i] << 2
    all[at]++
    all[at + SUM] += value
    if (value < all[at + MIN]) all[at + MIN] = value
    if (value > all[at + MAX]) all[at + MAX] = value
  }
}

function foldDoubles(
  all: FoldedNumbers,
  codes: Int32Array,
  data: Float64Array,
  slots: Int32Array | null,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const value = slots === null ? data[i] : data[slots[i]]
    if (Number.isNaN(value)) continue
    const at = codes[i] << 2
    all[at]++
    all[at + SUM] += value
    if (value < all[at + MIN]) all[at + MIN] = value
    if (value > all[at + MAX]) all[at + MAX] = value
  }
}

/** True if no partial sum of these whole numbers can exceed 2^53: the plain sums are exact. */
function isExact(all: FoldedNumbers): boolean {
  for (let at = 0; at < all.length; at += WIDTH) {
    if (all[at] === 0) continue
    if (all[at] * Math.max(-all[at + MIN], all[at + MAX]) > Number.MAX_SAFE_INTEGER) return false
  }
  return true
}

/**
 * Exact sums, rounded once. Each sum is kept as two doubles that do not overlap. If an addition to
 * the lower one is not exact, which numbers of similar size hardly ever cause, the numbers of the
 * group are added again by `exactSum`.
 */
function sumExactly(
  steps: Steps,
  { data, of }: Numbers,
  { codes, limit }: Groups,
  folded: FoldedNumbers,
): void {
  const { slots } = of
  const nothing = data instanceof Int32Array ? NULL_INT : Number.NaN
  const start = (): Halves => ({
    high: new Float64Array(limit),
    low: new Float64Array(limit),
    isRounded: new Uint8Array(limit),
  })
  const halves = steps.loop(of.count, start, (all, from, to) => {
    const { high, low, isRounded } = all
    for (let i = from; i < to; i++) {
      const value = data[slots === null ? i : slots[i]]
      if (value === nothing || Number.isNaN(value)) continue
      const group = codes[i]
      const before = high[group]
      const sum = before + value
      const part = sum - before
      const error = before - (sum - part) + (value - part)
      high[group] = sum
      if (error === 0) continue
      const lowBefore = low[group]
      const lowSum = lowBefore + error
      const lowPart = lowSum - lowBefore
      low[group] = lowSum
      // NaN, after a sum beyond the range of doubles, is not 0 either.
      if (lowBefore - (lowSum - lowPart) + (error - lowPart) !== 0) isRounded[group] = 1
    }
  })
  const rounded = halves.isRounded.includes(1)
    ? numbersByGroup(steps, halves.isRounded, { data, of }, codes)
    : []
  for (let group = 0; group < limit; group++)
    folded[group * WIDTH + SUM] = halves.high[group] + halves.low[group] + 0
  for (const [group, numbers] of rounded) folded[group * WIDTH + SUM] = exactSum(numbers)
}

interface Halves {
  readonly high: Float64Array
  readonly low: Float64Array
  readonly isRounded: Uint8Array
}

const noNumbers = (): number[] => []

/** The numbers of some groups. */
function numbersByGroup(
  steps: Steps,
  isWanted: Uint8Array,
  { data, of }: Pick<Numbers, 'data' | 'of'>,
  codes: Int32Array,
): Map<number, number[]> {
  const { slots } = of
  const nothing = data instanceof Int32Array ? NULL_INT : Number.NaN
  const start = (): Map<number, number[]> => new Map()
  return steps.loop(of.count, start, (found, from, to) => {
    for (let i = from; i < to; i++) {
      const group = codes[i]
      const value = data[slots === null ? i : slots[i]]
      if (isWanted[group] === 0 || value === nothing || Number.isNaN(value)) continue
      entryOf(found, group, noNumbers).push(value)
    }
  })
}

/** Groups that are only counted: their values and numbers of members. */
export interface CountedGroups {
  readonly values: readonly unknown[]
  readonly counts: readonly number[]
}

/**
 * The words of a column, with the numbers of living records that the dictionary keeps. Cost:
 * O(words).
 */
export function countWords({ dictionary: { counts, spellings } }: WordColumn): CountedGroups {
  const found: CountedGroups & { values: unknown[]; counts: number[] } = { values: [], counts: [] }
  for (let code = 0; code < spellings.length; code++) {
    if (counts[code] === 0) continue
    found.values.push(code === 0 ? null : spellings[code])
    found.counts.push(counts[code])
  }
  return found
}

/**
 * All records of a table by a value behind a to-one relation: reads each related entity once, and
 * the length of its posting list. Cost: O(related entities).
 */
export function countPostings(
  run: GroupRun,
  table: Table,
  term: ValuePath,
  relation: ToOneAttribute,
): CountedGroups {
  const { target, foreignKey } = relation
  const { database, steps } = run
  const related = database.tableOf(target)
  const visible = database.visibleIn(target)
  const members = listed(livingSlots(database.slices, related, visible?.set() ?? null))
  const inner = { ...term, steps: term.steps.slice(1) }
  const { codes, limit, valueAt } = valueCodes(run, inner, members)
  const index = table.indexes[foreignKey.ordinal] as AttributeIndex
  const postings = index.postings as PostingLists
  const key = related.columns[target.key.ordinal]
  const start = () => ({
    counts: new Float64Array(limit),
    firsts: new Int32Array(limit).fill(-1),
    entries: new Int32Array(limit).fill(-1),
  })
  const all = steps.loop(members.count, start, (state, from, to) => {
    const { counts, firsts, entries } = state
    for (let i = from; i < to; i++) {
      const list = index.listOfValue(key.read(slotAt(members, i)) as string | number)
      const length = list === 0 ? 0 : postings.length(list)
      if (length === 0) continue
      const code = codes[i]
      counts[code] += length
      // The group has the spelling of its first member.
      const first = postings.data[postings.start(list)]
      if (entries[code] < 0 || first < firsts[code]) {
        firsts[code] = first
        entries[code] = i
      }
    }
  })
  const values: unknown[] = []
  const counts: number[] = []
  let others = table.liveCount
  for (let code = 1; code < limit; code++) {
    if (all.counts[code] === 0) continue
    values.push(valueAt(all.entries[code]))
    counts.push(all.counts[code])
    others -= all.counts[code]
  }
  if (others > 0) {
    values.push(null)
    counts.push(others)
  }
  return { values, counts }
}

/** The column whose dictionary counts the groups; null for other paths. */
export function countedColumn(
  database: Database,
  { path, steps, span }: ValuePath,
): WordColumn | null {
  const column = steps.length > 0 || span !== null ? null : columnOf(database, path)
  return column instanceof WordColumn && !column.dictionary.sharesKeys ? column : null
}
