import type { OrderTerm } from '../filter/predicate.ts'
import type { StorageAttribute } from '../model/catalog.ts'
import { NULL_INT, type TextColumn, type WordColumn } from '../storage/column.ts'
import type { Table } from '../storage/table.ts'
import type { Database } from './database.ts'
import { compareKeys, type OrderKeys } from './order-keys.ts'
import { wordOrder } from './word-order.ts'

/** Records that are looked at to guess where the head ends: one of every 32 up to so many, and one of every so many of a large table. */
const SAMPLE = 1024
const STEP = 256

/** So many times as many records as are wanted, and no fewer than this, so that the next pages are among them. */
const SPARE = 4
const SHORTEST = 1024

/** Places of some of `count` records, evenly spread. */
export function samplePlaces(count: number): Int32Array {
  const places = new Int32Array(Math.max(Math.min(SAMPLE, count >>> 5), Math.floor(count / STEP)))
  const step = count / places.length
  for (let i = 0; i < places.length; i++) places[i] = Math.floor(i * step)
  return places
}

const sizeOf = (wanted: number): number => Math.max(SHORTEST, wanted * SPARE)

/** True where a head with the first `wanted` of `count` records is worth looking for. */
export const isHeadShort = (wanted: number, count: number): boolean => sizeOf(wanted) * 4 <= count

/** Which of the sampled records, by its index, to end a head with, so that the first `wanted` of `count` most likely belong to it. */
export function endOfHead(keys: OrderKeys, descending: boolean, wanted: number, count: number): number {
  const sample = keys.keys.length
  const order = Int32Array.from(keys.keys, (_, at) => at).sort((a, b) => {
    const order = compareKeys(keys, a, b)
    return descending ? -order : order
  })
  return order[Math.min(sample - 1, Math.ceil((sizeOf(wanted) / count) * sample))]
}

/**
 * Places of the records whose value does not come after that of record `bound`, by an attribute of their own. Cost: a look at each record,
 * and at each word of a coded column.
 */
export function headPlaces(
  { slices }: Database,
  table: Table,
  { attribute, descending }: OrderTerm,
  slots: Int32Array,
  bound: number,
): number[] {
  const column = table.columns[(attribute as StorageAttribute).ordinal]
  switch (column.layout) {
    case 'number':
      return ofNumbers(column.data, column.data instanceof Int32Array ? NULL_INT : Number.NaN, descending, slots, bound)
    case 'bool':
      return ofNumbers(column.data, 2, descending, slots, bound)
    case 'word':
      return ofWords(column, wordOrder(column, slices).labels, descending, slots, bound)
    case 'text':
      return ofTexts(column, descending, slots, bound)
    case 'boxed':
      // Has no order but that of its properties.
      return []
  }
}

/** The same where the keys were read; `bound` is a place. */
export function headOfKeys(keys: OrderKeys, descending: boolean, bound: number): number[] {
  const out: number[] = []
  const { length } = keys.keys
  if (keys.kind !== 'mixed') {
    // Texts that begin alike may come after it: those only make the head longer than its end.
    const numbers = keys.kind === 'number' ? keys.keys : keys.prefixes
    const last = numbers[bound]
    for (let i = 0; i < length; i++) if (descending ? numbers[i] >= last : numbers[i] <= last) out.push(i)
    return out
  }
  for (let i = 0; i < length; i++) {
    const order = compareKeys(keys, i, bound)
    if (descending ? order >= 0 : order <= 0) out.push(i)
  }
  return out
}

function ofNumbers(
  data: Float64Array | Int32Array | Uint8Array,
  none: number,
  descending: boolean,
  slots: Int32Array,
  bound: number,
): number[] {
  const out: number[] = []
  const isNone = (value: number): boolean => value === none || Number.isNaN(value)
  const last = data[bound]
  // Null comes before everything.
  if (isNone(last)) {
    for (let i = 0; i < slots.length; i++) if (descending || isNone(data[slots[i]])) out.push(i)
    return out
  }
  for (let i = 0; i < slots.length; i++) {
    const value = data[slots[i]]
    if (value === none || Number.isNaN(value) ? !descending : descending ? value >= last : value <= last) out.push(i)
  }
  return out
}

function ofWords(
  { codes, dictionary }: WordColumn,
  labels: Float64Array,
  descending: boolean,
  slots: Int32Array,
  bound: number,
): number[] {
  const labelOf = (code: number): number => (code === 0 ? Number.NEGATIVE_INFINITY : labels[code])
  const last = labelOf(codes[bound])
  const isIn = new Uint8Array(dictionary.codeLimit)
  for (let code = 0; code < isIn.length; code++)
    isIn[code] = (descending ? labelOf(code) >= last : labelOf(code) <= last) ? 1 : 0
  const out: number[] = []
  for (let i = 0; i < slots.length; i++) if (isIn[codes[slots[i]]] === 1) out.push(i)
  return out
}

function ofTexts({ keys }: TextColumn, descending: boolean, slots: Int32Array, bound: number): number[] {
  const out: number[] = []
  const last = keys[bound]
  for (let i = 0; i < slots.length; i++) {
    const key = keys[slots[i]]
    const isIn =
      key === null || last === null
        ? descending
          ? last === null
          : key === null
        : descending
          ? key >= last
          : key <= last
    if (isIn) out.push(i)
  }
  return out
}
