import {
  attributeReader,
  comparableReader,
  relatedVisitor,
  visitValues,
} from '../entity/path-reader.ts'
import { EntiaError } from '../errors.ts'
import type { Database } from '../execute/database.ts'
import { loopOf } from '../execute/time-slices.ts'
import type { Scalar } from '../filter/predicate.ts'
import type { ResolvedPath } from '../model/path.ts'
import type { Aggregates } from '../model/selection-types.ts'
import { NULL_INT, type NumberColumn } from '../storage/column.ts'
import { type RecordSet, slotsOf } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import { formatDate } from '../value/date.ts'
import { compareScalars } from '../value/order.ts'
import { distinctValues, isBoxed, refuseBoxed } from './distinct.ts'
import { foldNumbers, wideSum } from './fold-numbers.ts'

/**
 * Aggregates over the records of `set`, or over every living record if it is null. Behind to-one
 * relations (an alias) each record counts with the value it leads to; a property that is an array
 * counts with its elements. Sums are exact and rounded once, so they do not depend on the order of
 * records. Cost: O(records). Throws `attributeNotApplicable`.
 */
export function computeAggregates(
  database: Database,
  table: Table,
  path: ResolvedPath,
  set: RecordSet | null,
): Aggregates {
  const { attribute, properties, steps } = path
  refuseNotComputable(path)
  if (attribute.kind === 'storage' && properties.length === 0 && steps.length === 0) {
    const column = table.columns[attribute.ordinal]
    if (column.layout === 'number') return computeNumbers(table, column, set)
  }
  return computeValues(database, table, path, set)
}

/** The same over distinct values: each counts once. */
export function computeDistinct(
  database: Database,
  table: Table,
  path: ResolvedPath,
  set: RecordSet | null,
): Aggregates {
  refuseNotComputable(path)
  const values = distinctValues(database, table, path, set)
  return summed(path, values.length, values.filter(isNumber), {
    min: values[0] ?? null,
    max: values.at(-1) ?? null,
  })
}

/**
 * Counts the values of an attribute of objects, images or BLOBs; null for any other path. Cost:
 * O(records).
 */
export function countBoxed(
  database: Database,
  path: ResolvedPath,
  set: () => RecordSet,
): number | null {
  if (!isBoxed(path.attribute) || path.properties.length > 0 || path.steps.length > 0) return null
  const read = attributeReader(database, path)
  return slotsOf(set()).reduce((count, slot) => (read(slot) === null ? count : count + 1), 0)
}

const isNumber = (value: unknown): value is number => typeof value === 'number'

export function refuseNotComputable(path: ResolvedPath): void {
  const many = path.steps.find(({ kind }) => kind === 'relatedEntities')
  if (many !== undefined) {
    throw new EntiaError('attributeNotApplicable', {
      dataClass: many.owner.name,
      attribute: many.name,
      use: 'an aggregate over related entities',
      remedy: 'Compute over a selection of the related dataclass.',
    })
  }
  refuseBoxed(path, 'an aggregate')
}

/** Adds a sum if the attribute is numeric, or if every value of a property is a number. */
function summed(
  { attribute, properties }: ResolvedPath,
  count: number,
  numbers: readonly number[],
  bounds: Pick<Aggregates, 'min' | 'max'>,
): Aggregates {
  const isNumeric = 'type' in attribute && properties.length === 0 && NUMERIC.has(attribute.type)
  const sum =
    isNumeric || (properties.length > 0 && numbers.length === count) ? exactSum(numbers) : null
  return { count, sum, average: sum === null || count === 0 ? null : sum / count, ...bounds }
}

function computeNumbers(table: Table, column: NumberColumn, set: RecordSet | null): Aggregates {
  const { data, attribute } = column
  const isDate = attribute.type === 'date'
  const nothing = data instanceof Int32Array ? NULL_INT : Number.NaN
  let count = 0
  let sum = 0
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  if (set === null) {
    // Removed records read as null, so the column alone determines which records count.
    ;({ count, sum, min, max } = foldNumbers(data, table.length))
  } else if (set.kind === 'dense') {
    const { words } = set
    for (let i = 0; i < words.length; i++) {
      let word = words[i]
      const base = i << 5
      while (word !== 0) {
        const bit = word & -word
        word ^= bit
        const value = data[base + 31 - Math.clz32(bit)]
        if (value === nothing || Number.isNaN(value)) continue
        count++
        sum += value
        if (value < min) min = value
        if (value > max) max = value
      }
    }
  } else {
    for (let i = 0; i < set.slots.length; i++) {
      const value = data[set.slots[i]]
      if (value === nothing || Number.isNaN(value)) continue
      count++
      sum += value
      if (value < min) min = value
      if (value > max) max = value
    }
  }
  if (isDate) {
    const show = (value: number): unknown => formatDate(value, attribute.dateOnly)
    return {
      count,
      sum: null,
      average: null,
      min: count === 0 ? null : show(min),
      max: count === 0 ? null : show(max),
    }
  }
  // No partial sum of these whole numbers can exceed 2^53, so the plain sum is exact.
  const isExact =
    column.isIntegral && (count === 0 || count * Math.max(-min, max) <= Number.MAX_SAFE_INTEGER)
  if (!isExact) sum = exactSum({ [Symbol.iterator]: () => numbersOf(table, column, set) })
  return {
    count,
    sum,
    average: count === 0 ? null : sum / count,
    min: count === 0 ? null : min,
    max: count === 0 ? null : max,
  }
}

function* numbersOf(
  table: Table,
  column: NumberColumn,
  set: RecordSet | null,
): IterableIterator<number> {
  const slots = set === null ? table.liveSlots() : slotsOf(set)
  for (let i = 0; i < slots.length; i++) {
    const value = column.read(slots[i])
    if (value !== null) yield value
  }
}

/**
 * The sum of doubles, rounded once, so that the order of the addends does not matter. It
 * accumulates partial sums that do not overlap (Shewchuk, Adaptive Precision Floating-Point
 * Arithmetic, 1997). It is infinite only if the true sum exceeds the range of doubles. `values` is
 * read a second time if a partial sum exceeds that range.
 */
export function exactSum(values: Iterable<number>): number {
  const partials: number[] = []
  // A separate length: truncating the array costs more than an addition.
  let size = 0
  for (const value of values) {
    let x = value
    let kept = 0
    for (let i = 0; i < size; i++) {
      let y = partials[i]
      if (Math.abs(x) < Math.abs(y)) {
        const swap = x
        x = y
        y = swap
      }
      const high = x + y
      const low = y - (high - x)
      if (low !== 0) partials[kept++] = low
      x = high
    }
    partials[kept] = x
    size = kept + 1
  }
  let at = size - 1
  if (at < 0) return 0
  let high = partials[at--]
  // A partial sum exceeds the range of doubles; the whole sum may not.
  if (!Number.isFinite(high)) return wideSum(values)
  let low = 0
  while (at >= 0) {
    const x = high
    const y = partials[at--]
    high = x + y
    low = y - (high - x)
    if (low !== 0) break
  }
  // A half-way case is rounded by the sign of the remaining partial sum.
  if (at >= 0 && ((low < 0 && partials[at] < 0) || (low > 0 && partials[at] > 0))) {
    const y = low * 2
    const x = high + y
    if (y === x - high) high = x
  }
  return high + 0
}

/**
 * Text, booleans, computed attributes, properties of objects and values behind relations: value by
 * value.
 */
function computeValues(
  database: Database,
  table: Table,
  path: ResolvedPath,
  set: RecordSet | null,
): Aggregates {
  const read = attributeReader(database, path)
  const keyOf = comparableReader(path)
  const slots = set === null ? table.liveSlots() : slotsOf(set)
  const visit = relatedVisitor(database, path.steps)
  const memoKey = (): readonly unknown[] => [
    'compute',
    database,
    path.steps,
    path.attribute,
    path.properties,
  ]
  const start = (): Totals => ({ count: 0, numbers: [], min: null, max: null })
  const totals = loopOf(database.slices, memoKey, slots, slots.length, start, (all, from, to) => {
    const { count, min, max } = all
    const { length } = all.numbers
    const noteValue = (value: unknown): void => {
      const key = keyOf(value)
      if (key !== null) add(all, key, value)
    }
    const note = (slot: number): void => visitValues(path, read(slot), noteValue)
    try {
      for (let i = from; i < to; i++) visit(slots[i], note)
    } catch (error) {
      // The caller reads the block again from its beginning.
      all.numbers.length = length
      Object.assign(all, { count, min, max })
      throw error
    }
  })
  return summed(path, totals.count, totals.numbers, {
    min: totals.min?.value ?? null,
    max: totals.max?.value ?? null,
  })
}

interface Bound {
  readonly key: Scalar
  readonly value: unknown
}
interface Totals {
  count: number
  readonly numbers: number[]
  min: Bound | null
  max: Bound | null
}

function add(totals: Totals, key: Scalar, value: unknown): void {
  totals.count++
  if (typeof value === 'number') totals.numbers.push(value)
  if (totals.min === null || compareScalars(key, totals.min.key) < 0) totals.min = { key, value }
  if (totals.max === null || compareScalars(key, totals.max.key) > 0) totals.max = { key, value }
}

const NUMERIC = new Set(['long', 'long64', 'number', 'duration'])
