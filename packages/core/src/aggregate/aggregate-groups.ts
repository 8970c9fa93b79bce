import { compareKeys, keysInPasses } from '../execute/order-keys.ts'
import type { Steps } from '../execute/steps.ts'
import type { AggregateName } from '../model/group-types.ts'
import { NULL_INT } from '../storage/column.ts'
import { formatDate } from '../value/date.ts'
import type { AggregatedPath } from './bind-grouping.ts'
import { firstOfCodes, follow } from './column-codes.ts'
import {
  type FoldedNumbers,
  foldByGroup,
  type Groups,
  MAX,
  MIN,
  type Numbers,
  SUM,
  WIDTH,
} from './fold-numbers-by-group.ts'
import { columnOf, derived, type GroupRun, type Members, slotAt } from './members.ts'
import { type ValueCodes, type ValuePath, valueCodes } from './value-codes.ts'

/** The values of one aggregate by code of the group. */
export type AggregateReader = (group: number) => unknown

/** The aggregates of one path, in the order in which they are requested. Cost: O(members). */
export function aggregateGroups(
  run: GroupRun,
  path: AggregatedPath,
  members: Members,
  groups: Groups,
): readonly AggregateReader[] {
  const { functions } = path
  const numbers = storedNumbers(run, path, members)
  const wants = (...names: readonly AggregateName[]): boolean =>
    functions.some((each) => names.includes(each))
  const coded =
    numbers === null || wants('countDistinct')
      ? run.steps.once(() => codedValues(run, path, members, groups))
      : null
  const distinct = wants('countDistinct')
    ? countDistinct(run.steps, coded as CodedValues, groups.limit)
    : null
  const needsSums = wants('sum', 'average')
  const readers =
    numbers === null
      ? codedReaders(run, path, coded as CodedValues, wants('min', 'max'), needsSums)
      : numberReaders(path, foldByGroup(run, numbers, groups, needsSums))
  return functions.map((each) =>
    each === 'countDistinct' ? (group) => distinct?.[group] : readers[each],
  )
}

/** By name of the aggregate, except those of distinct values. */
type Readers = { readonly [K in Exclude<AggregateName, 'countDistinct'>]: AggregateReader }

function numberReaders({ path: { attribute } }: AggregatedPath, folded: FoldedNumbers): Readers {
  const isDate = attribute.kind === 'storage' && attribute.type === 'date'
  const shown = (group: number, end: number): unknown => {
    const at = group * WIDTH
    if (folded[at] === 0) return null
    return isDate ? formatDate(folded[at + end], attribute.dateOnly) : folded[at + end]
  }
  return {
    count: (group) => folded[group * WIDTH],
    sum: (group) => folded[group * WIDTH + SUM],
    average: (group) => groupAverage(folded, group),
    min: (group) => shown(group, MIN),
    max: (group) => shown(group, MAX),
  }
}

function groupAverage(folded: FoldedNumbers, group: number): number | null {
  const count = folded[group * WIDTH]
  return count === 0 ? null : folded[group * WIDTH + SUM] / count
}

/** The numbers of a stored attribute, through its relations; null for other paths. */
function storedNumbers(
  run: GroupRun,
  { path, steps }: ValuePath,
  members: Members,
): Numbers | null {
  const column = columnOf(run.database, path)
  if (column?.layout !== 'number') return null
  const { data, isIntegral } = column
  if (steps.length === 0) return { data, of: members, isIntegral }
  const { codes, placeOf, found } = follow(run, steps, members)
  const nothing = data instanceof Int32Array ? NULL_INT : Number.NaN
  const table = run.steps.once(() => {
    const table = new Float64Array(placeOf.length).fill(Number.NaN)
    for (let key = 0; key < table.length; key++) {
      if (placeOf[key] < 0) continue
      const value = data[slotAt(found, placeOf[key])]
      if (value !== nothing) table[key] = value
    }
    return table
  })
  const of = derived(members.count)
  const start = (): Float64Array => new Float64Array(members.count)
  const numbers = run.steps.loop(members.count, start, (out, from, to) => {
    for (let i = from; i < to; i++) out[i] = table[codes[i]]
  })
  return { data: numbers, of, isIntegral }
}

/** Coded values with the group of each entry. */
interface CodedValues extends ValueCodes {
  readonly groups: Int32Array
  readonly groupLimit: number
}

function codedValues(
  run: GroupRun,
  path: AggregatedPath,
  members: Members,
  { codes, limit }: Groups,
): CodedValues {
  const values = valueCodes(run, path, members)
  const { places } = values
  const groups = places === null ? codes : places.map((place) => codes[place])
  return { ...values, groups, groupLimit: limit }
}

/** Aggregates of texts, booleans, computed values and properties. */
function codedReaders(
  run: GroupRun,
  { path }: AggregatedPath,
  coded: CodedValues,
  needsEnds: boolean,
  needsSums: boolean,
): Readers {
  const { codes, groups, groupLimit, valueAt } = coded
  const counts = run.steps.loop(
    codes.length,
    () => new Int32Array(groupLimit),
    (out, from, to) => {
      for (let i = from; i < to; i++) if (codes[i] !== 0) out[groups[i]]++
    },
  )
  const ends = needsEnds ? extremes(run, coded) : null
  const added = needsSums ? addedNumbers(run, coded) : null
  const extremeAt = (places: Int32Array | undefined, group: number): unknown =>
    places === undefined || places[group] < 0 ? null : valueAt(places[group])
  // The sum of a property is known only if every value is a number.
  const sumsOf = (group: number): FoldedNumbers | null =>
    path.properties.length === 0 || added?.[group * WIDTH] === counts[group] ? added : null
  return {
    count: (group) => counts[group],
    sum: (group) => sumsOf(group)?.[group * WIDTH + SUM] ?? null,
    average: (group) => {
      const sums = sumsOf(group)
      return sums === null ? null : groupAverage(sums, group)
    },
    min: (group) => extremeAt(ends?.mins, group),
    max: (group) => extremeAt(ends?.maxs, group),
  }
}

function addedNumbers(
  run: GroupRun,
  { codes, groups, groupLimit, limit, valueAt, toKey }: CodedValues,
): FoldedNumbers {
  const { steps } = run
  const first = firstOfCodes(run, { codes, limit })
  const none = () => ({ numbers: new Float64Array(limit).fill(Number.NaN), isIntegral: true })
  const { numbers, isIntegral } = steps.loop(limit, none, (all, from, to) => {
    for (let code = Math.max(1, from); code < to; code++) {
      const key = first[code] < 0 ? null : toKey(valueAt(first[code]))
      if (typeof key !== 'number') continue
      if (!Number.isInteger(key)) all.isIntegral = false
      all.numbers[code] = key
    }
  })
  const data = steps.loop(
    codes.length,
    () => new Float64Array(codes.length),
    (out, from, to) => {
      for (let i = from; i < to; i++) out[i] = numbers[codes[i]]
    },
  )
  const given: Numbers = { data, of: derived(codes.length), isIntegral }
  return foldByGroup(run, given, { codes: groups, limit: groupLimit }, true)
}

/** By group: the first entries with the least and the greatest value, or -1. */
function extremes(
  run: GroupRun,
  { codes, groups, groupLimit, limit, valueAt, toKey }: CodedValues,
): { readonly mins: Int32Array; readonly maxs: Int32Array } {
  const { steps } = run
  const first = firstOfCodes(run, { codes, limit })
  const used = steps.once(() => {
    const used: number[] = []
    for (let code = 1; code < limit; code++) if (first[code] >= 0) used.push(code)
    return used
  })
  const keys = steps.once(() =>
    keysInPasses(steps, used.length, (at) => toKey(valueAt(first[used[at]]))),
  )
  const order = steps.sort(used.length, (a, b) => compareKeys(keys, a, b))
  const rankOf = steps.once(() => {
    const rankOf = new Int32Array(limit)
    for (let rank = 0; rank < order.length; rank++) rankOf[used[order[rank]]] = rank + 1
    return rankOf
  })
  const start = () => ({
    mins: new Int32Array(groupLimit).fill(-1),
    maxs: new Int32Array(groupLimit).fill(-1),
  })
  return steps.loop(codes.length, start, (all, from, to) => {
    const { mins, maxs } = all
    for (let i = from; i < to; i++) {
      const rank = rankOf[codes[i]]
      if (rank === 0) continue
      const group = groups[i]
      if (mins[group] < 0 || rank < rankOf[codes[mins[group]]]) mins[group] = i
      if (maxs[group] < 0 || rank > rankOf[codes[maxs[group]]]) maxs[group] = i
    }
  })
}

/** Products of groups and values up to this need no hash. */
const MAX_PAIRS = 1 << 24

function countDistinct(
  steps: Steps,
  { codes, groups, limit }: CodedValues,
  groupLimit: number,
): Int32Array {
  const start = () => ({
    counts: new Int32Array(groupLimit),
    isSeen: limit * groupLimit <= MAX_PAIRS ? new Uint8Array(limit * groupLimit) : null,
    seen: new Set<number>(),
  })
  return steps.loop(codes.length, start, (all, from, to) => {
    const { counts, isSeen, seen } = all
    for (let i = from; i < to; i++) {
      if (codes[i] === 0) continue
      const pair = groups[i] * limit + codes[i]
      if (isSeen === null ? seen.has(pair) : isSeen[pair] === 1) continue
      if (isSeen === null) seen.add(pair)
      else isSeen[pair] = 1
      counts[groups[i]]++
    }
  }).counts
}
