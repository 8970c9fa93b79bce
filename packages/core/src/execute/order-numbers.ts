import type { StorageAttribute } from '../model/catalog.ts'
import { numberKey, numberKeyOf } from '../storage/attribute-index.ts'
import { type TextColumn, WordColumn } from '../storage/column.ts'
import type { PastRecord } from '../storage/history.ts'
import { textSortSteps } from '../storage/slot-sorter.ts'
import type { Table } from '../storage/table.ts'
import type { WordOrder } from '../storage/word-order.ts'
import type { StoredValue } from '../value/types.ts'
import type { Database } from './database.ts'
import { Steps, wordOrder } from './steps.ts'
import { livingSlots, onceOf, type TimeSlices } from './time-slices.ts'

/** Numbers in the order of a column's values. */
interface OrderNumbers {
  numberAt(slot: number): number
  /** The number of null. */
  readonly none: number
  /** If above 0, the numbers are whole, from 0 to below it. */
  readonly limit: number
  /** The number of an earlier value of the column; undefined if it is no longer known. */
  numberOf(value: StoredValue): number | undefined
}

/**
 * The values of a number column, or the positions of words in their order; null for text without a
 * dictionary. Words are renumbered if they are not more than the records.
 */
export function columnNumbers(
  table: Table,
  attribute: StorageAttribute,
  records: number,
  slices: TimeSlices | null,
): OrderNumbers | null {
  const column = table.columns[attribute.ordinal]
  if (column.layout === 'text') return null
  const none = Number.NEGATIVE_INFINITY
  if (column.layout === 'bool') {
    const { data } = column
    const numberOf = (value: StoredValue): number => (value === null ? 0 : Number(value) + 1)
    return {
      numberAt: (slot) => (data[slot] === 2 ? 0 : data[slot] + 1),
      none: 0,
      limit: 3,
      numberOf,
    }
  }
  if (!(column instanceof WordColumn))
    return { numberAt: (slot) => numberKey(column, slot), none, limit: 0, numberOf: numberKeyOf }
  const { codes, dictionary } = column
  const order = wordOrder(column, slices)
  if (order.count > records) {
    const { labels } = order
    return {
      numberAt: (slot) => (codes[slot] === 0 ? none : labels[codes[slot]]),
      none,
      limit: 0,
      numberOf: (value) => numberOfWord(labels, dictionary.find(value as string)),
    }
  }
  const { ranks, limit } = onceOf(slices, ['ranks of words', attribute], () =>
    wordRanks(order, dictionary.codeLimit),
  )
  return {
    numberAt: (slot) => ranks[codes[slot]],
    none: 0,
    limit,
    numberOf: (value) => numberOfWord(ranks, dictionary.find(value as string)),
  }
}

/** By code: the position of its word among the words in order, from 1. */
function wordRanks(
  order: WordOrder,
  codeLimit: number,
): { readonly ranks: Int32Array; readonly limit: number } {
  const ranks = new Int32Array(codeLimit)
  let rank = 0
  let label = Number.NaN
  order.some(false, (code) => {
    if (order.labels[code] !== label) rank++
    label = order.labels[code]
    ranks[code] = rank
    return false
  })
  return { ranks, limit: rank + 1 }
}

const numberOfWord = (numbers: Int32Array | Float64Array, code: number): number | undefined =>
  code < 0 ? undefined : numbers[code]

/**
 * The rank of each text of a column without a dictionary; equal texts share one. Cost: one sort of
 * the records.
 */
export function textRanks(
  { slices }: Database,
  table: Table,
  attribute: StorageAttribute,
): OrderNumbers {
  const { keys } = table.columns[attribute.ordinal] as TextColumn
  const steps = Steps.in(slices, () => ['ranks of texts', attribute])
  const slots = livingSlots(slices, table, null)
  const texts = steps.map(slots.length, (at) => keys[slots[at]])
  const places = steps.run(() => textSortSteps(texts))
  const { ranks, limit } = steps.once(() => {
    const ranks = new Int32Array(table.length)
    let before: string | null = null
    let last = 0
    for (let i = 0; i < places.length; i++) {
      const key = texts[places[i]]
      if (key !== before) last++
      before = key
      ranks[slots[places[i]]] = last
    }
    return { ranks, limit: last + 1 }
  })
  return { numberAt: (slot) => ranks[slot], none: 0, limit, numberOf: () => undefined }
}

/** The numbers of earlier values, by record; null if one is no longer known. */
export function numbersOfPast(
  past: ReadonlyMap<number, PastRecord>,
  { ordinal }: StorageAttribute,
  { none, numberOf }: OrderNumbers,
): Map<number, number> | null {
  const numbers = new Map<number, number>()
  for (const [slot, { values }] of past) {
    const value = values.get(ordinal)
    if (value === undefined) continue
    const number = value === null ? none : numberOf(value)
    if (number === undefined) return null
    numbers.set(slot, number)
  }
  return numbers
}
