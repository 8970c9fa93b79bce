import type { Test } from '../filter/predicate.ts'
import { above, below, HIGH, LOW, type NumberRanges, rangesOf } from '../plan/key-range.ts'
import { hasBit, setBit } from '../storage/bitset.ts'
import {
  type BoolColumn,
  type BoxedColumn,
  NULL_INT,
  type NumberColumn,
  type TextColumn,
  type WordColumn,
} from '../storage/column.ts'
import type { Table } from '../storage/table.ts'
import {
  markCodes,
  markDoubles,
  markEqual,
  markFlags,
  markInts,
  narrowDoubles,
  narrowEqual,
  narrowFlags,
  narrowInts,
  WordFlags,
} from './column-loops.ts'
import { compileTest } from './test-value.ts'
import type { TimeSlices } from './time-slices.ts'

/**
 * One comparison of one column as loops. Removed records read as null in every column, so only a
 * test that null satisfies checks which records are live. The loops are in `column-loops`.
 */
export interface ColumnFilter {
  /**
   * Sets bit `slot - from` of `words` for each record of [`from`, `to`) that satisfies it. A filter
   * that runs code of the application does not test records whose bit is set.
   */
  mark(from: number, to: number, words: Int32Array): void
  /** True if `mark` takes about the time of testing one record in eight. */
  readonly isQuick?: true
  /**
   * Keeps those of the first `count` records in `slots` that satisfy it, in place; returns how many
   * are left.
   */
  narrow(slots: Int32Array, count: number): number
  test(slot: number): boolean
}

export function columnFilter(
  table: Table,
  ordinal: number,
  test: Test,
  slices: TimeSlices | null,
): ColumnFilter {
  const column = table.columns[ordinal]
  switch (column.layout) {
    case 'number':
      return numberFilter(table, column, test)
    case 'bool':
      return boolFilter(table, column, test)
    case 'word':
      return wordFilter(table, column, test, slices)
    case 'text':
      return textFilter(table, column, test, slices)
    case 'boxed':
      return boxedFilter(table, column, test)
  }
}

/**
 * `columnFilter(…).narrow` for the most frequent comparisons, without creating a filter, which
 * costs more than testing few records. -1 for all others.
 */
export function narrowPlainly(
  table: Table,
  ordinal: number,
  test: Test,
  slots: Int32Array,
  count: number,
): number {
  const column = table.columns[ordinal]
  switch (column.layout) {
    case 'number':
      return narrowNumber(column, test, slots, count)
    case 'bool':
      return test.op === 'equal'
        ? narrowEqual(column.data, test.value === true ? 1 : 0, slots, count)
        : -1
    case 'word': {
      const code =
        test.op === 'equal' ? column.dictionary.singleCodeOfKey(test.value as string) : -1
      return code <= 0 ? code : narrowEqual(column.codes, code, slots, count)
    }
    default:
      return -1
  }
}

function narrowNumber(
  { data }: NumberColumn,
  test: Test,
  slots: Int32Array,
  count: number,
): number {
  let low = LOW
  let high = HIGH
  switch (test.op) {
    case 'equal':
      low = high = test.value as number
      break
    case 'less':
      high = below(test.value as number)
      break
    case 'lessEqual':
      high = test.value as number
      break
    case 'greater':
      low = above(test.value as number)
      break
    case 'greaterEqual':
      low = test.value as number
      break
    default:
      return -1
  }
  if (!(data instanceof Int32Array)) return narrowDoubles(data, low, high, slots, count)
  // Bounds beyond 32 bits would make every comparison one of doubles.
  if (low > 2147483647 || high < -2147483647) return 0
  const least = Math.max(Math.ceil(low), NULL_INT + 1) | 0
  return narrowInts(data, least, Math.min(Math.floor(high), 2147483647) | 0, slots, count)
}

/** A filter from a test of one record, for columns without a loop of their own. */
export function filterFromTest(test: (slot: number) => boolean): ColumnFilter {
  return {
    test,
    mark(from, to, words) {
      for (let slot = from; slot < to; slot++) if (test(slot)) setBit(words, slot - from)
    },
    narrow(slots, count) {
      let kept = 0
      for (let i = 0; i < count; i++) {
        const slot = slots[i]
        if (test(slot)) slots[kept++] = slot
      }
      return kept
    },
  }
}

/** The same for a test that costs more than a look at the bit, or runs code of the application. */
export const filterFromCostlyTest = (test: (slot: number) => boolean): ColumnFilter => ({
  ...filterFromTest(test),
  mark(from, to, words) {
    for (let slot = from; slot < to; slot++)
      if (!hasBit(words, slot - from) && test(slot)) setBit(words, slot - from)
  },
})

function numberFilter(table: Table, column: NumberColumn, test: Test): ColumnFilter {
  const ranges = test.op === 'in' ? null : (rangesOf(column.attribute, test) as NumberRanges | null)
  if (ranges !== null && !ranges.nulls && ranges.ranges.length === 1) {
    const { data } = column
    const [{ low, high }] = ranges.ranges
    return data instanceof Int32Array
      ? intRange(data, Math.max(Math.ceil(low), NULL_INT + 1), Math.floor(high))
      : doubleRange(data, low, high)
  }
  if (test.op === 'isNull')
    return filterFromTest((slot) => table.isLive(slot) && column.read(slot) === null)
  const { onValue } = compileTest(test)
  return filterFromTest((slot) => {
    const value = column.read(slot)
    return value !== null && onValue(value)
  })
}

function intRange(data: Int32Array, low: number, high: number): ColumnFilter {
  if (low === high) {
    return {
      test: (slot) => data[slot] === low,
      isQuick: true,
      mark: (from, to, words) => markEqual(data, low, from, to, words),
      narrow: (slots, count) => narrowEqual(data, low, slots, count),
    }
  }
  if (low > 2147483647 || high < -2147483647) return filterFromTest(() => false)
  // Bounds beyond 32 bits would make every comparison one of doubles.
  const least = low | 0
  const most = Math.min(high, 2147483647) | 0
  return {
    test: (slot) => data[slot] >= least && data[slot] <= most,
    isQuick: true,
    mark: (from, to, words) => markInts(data, least, most, from, to, words),
    narrow: (slots, count) => narrowInts(data, least, most, slots, count),
  }
}

function doubleRange(data: Float64Array, low: number, high: number): ColumnFilter {
  return {
    test: (slot) => data[slot] >= low && data[slot] <= high,
    isQuick: true,
    mark: (from, to, words) => markDoubles(data, low, high, from, to, words),
    narrow: (slots, count) => narrowDoubles(data, low, high, slots, count),
  }
}

function boolFilter(table: Table, column: BoolColumn, test: Test): ColumnFilter {
  const { onNull, onValue } = compileTest(test)
  const { data } = column
  if (onNull) return filterFromTest((slot) => table.isLive(slot) && data[slot] === 2)
  const accepts = Uint8Array.of(onValue(false) ? 1 : 0, onValue(true) ? 1 : 0, 0)
  return {
    test: (slot) => accepts[data[slot]] === 1,
    isQuick: true,
    mark: (from, to, words) => markFlags(data, accepts, from, to, words),
    narrow: (slots, count) => narrowFlags(data, accepts, slots, count),
  }
}

function codeFilter(codes: Uint16Array | Uint32Array, code: number): ColumnFilter {
  return {
    test: (slot) => codes[slot] === code,
    isQuick: true,
    mark: (from, to, words) => markCodes(codes, code, from, to, words),
    narrow: (slots, count) => narrowEqual(codes, code, slots, count),
  }
}

function wordFilter(
  table: Table,
  column: WordColumn,
  test: Test,
  slices: TimeSlices | null,
): ColumnFilter {
  const { dictionary, codes } = column
  if (test.op === 'isNull') return filterFromTest((slot) => codes[slot] === 0 && table.isLive(slot))
  if (test.op === 'equal') {
    const code = dictionary.singleCodeOfKey(test.value as string)
    if (code === 0) return filterFromTest(() => false)
    if (code > 0) return codeFilter(codes, code)
  }
  // The test runs once per word. Records are then compared by code.
  const words = new WordFlags(column, test, slices)
  return {
    test: (slot) => words.has(codes[slot]),
    mark: (from, to, out) => words.mark(codes, from, to, out),
    narrow: (slots, count) => words.narrow(codes, slots, count),
  }
}

function textFilter(
  table: Table,
  column: TextColumn,
  test: Test,
  slices: TimeSlices | null,
): ColumnFilter {
  const { onNull, onValue } = compileTest(test, slices)
  if (onNull) return filterFromTest((slot) => table.isLive(slot) && column.keys[slot] === null)
  const { keys, spellings } = column
  return filterFromTest((slot) => {
    const key = keys[slot]
    return key !== null && key !== undefined && onValue(key, spellings[slot] as string)
  })
}

/** Objects and media: the filter tests only whether there is a value. */
function boxedFilter(table: Table, column: BoxedColumn, test: Test): ColumnFilter {
  const isNull = test.op === 'isNull'
  return filterFromTest((slot) => table.isLive(slot) && (column.read(slot) === null) === isNull)
}
