import type { OrderTerm } from '../filter/predicate.ts'
import type { StorageAttribute } from '../model/catalog.ts'
import { NULL_INT, type TextColumn, type WordColumn } from '../storage/column.ts'
import type { PastRecord } from '../storage/history.ts'
import { placeOf } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { Database } from './database.ts'
import { compareKeys, type OrderKeys, orderKeys, someKeys, vectorOf } from './order-keys.ts'
import { Steps } from './steps.ts'
import type { TimeSlices } from './time-slices.ts'
import { wordOrder } from './word-order.ts'

/**
 * Sampled records, from which the end of the head is estimated: one of 32, up to this number, or
 * one of `STEP` where that is more.
 */
const SAMPLE = 1024
const STEP = 256

/**
 * The head has so many times the requested records, and a minimum, so that it holds the next pages
 * too.
 */
const SPARE = 4
const SHORTEST = 1024

/**
 * The places of a head that holds the first `wanted` records of an order, ascending; null if it
 * would hold a large part of all. Takes the keys of every term, or null for an order by an own
 * column whose keys are not read. `past` has the records that changed since the moment of the
 * order.
 */
export function findHead(
  database: Database,
  table: Table,
  term: OrderTerm,
  slots: Int32Array,
  keys: readonly OrderKeys[] | null,
  past: ReadonlyMap<number, PastRecord> | null,
  wanted: number,
): { readonly places: Int32Array; readonly count: number } | null {
  const { length } = slots
  const steps = Steps.in(
    database.slices,
    () => ['head', table, term, wanted, keys && vectorOf(keys[0]), [...(past?.keys() ?? [])]],
    slots,
  )
  const bound = (): number => {
    const sample = samplePlaces(length).filter((place) => past?.has(slots[place]) !== true)
    const sampled =
      keys === null
        ? orderKeys(
            database,
            table,
            term,
            sample.map((place) => slots[place]),
            past,
          )
        : someKeys(keys[0], sample)
    return sample[endOfHead(sampled, term.descending, wanted, length)]
  }
  const last = steps.once(bound)
  const add =
    keys === null
      ? adderOf(database.slices, table, term, slots, slots[last])
      : adderOfKeys(keys[0], term.descending, last)
  const found = steps.loop(length, (): number[] => [], add)
  // Changed records may stand anywhere. All are sorted with the head, and none counts as a part
  // of it.
  const unchanged = found.filter((place) => past?.has(slots[place]) !== true)
  if (unchanged.length < wanted || found.length * 2 > length) return null
  const changed = past === null ? [] : placesOf(slots, past.keys())
  const places =
    changed.length === 0
      ? Int32Array.from(found)
      : Int32Array.from([...unchanged, ...changed]).sort()
  return { places, count: unchanged.length }
}

/** The places of some record numbers in an ascending list, without those that are missing. */
function placesOf(slots: Int32Array, some: Iterable<number>): number[] {
  const places: number[] = []
  for (const slot of some) {
    const place = placeOf(slots, slot)
    if (place >= 0) places.push(place)
  }
  return places
}

/** Evenly spread places among `count` records. */
function samplePlaces(count: number): Int32Array {
  const places = new Int32Array(Math.max(Math.min(SAMPLE, count >>> 5), Math.floor(count / STEP)))
  const step = count / places.length
  for (let i = 0; i < places.length; i++) places[i] = Math.floor(i * step)
  return places
}

const sizeOf = (wanted: number): number => Math.max(SHORTEST, wanted * SPARE)

/** True if finding a head with the first `wanted` of `count` records pays. */
export const isHeadShort = (wanted: number, count: number): boolean => sizeOf(wanted) * 4 <= count

/**
 * The index of the sampled record that ends a head, so that the head most likely holds the first
 * `wanted` of `count` records.
 */
function endOfHead(keys: OrderKeys, descending: boolean, wanted: number, count: number): number {
  const sample = keys.keys.length
  const order = Int32Array.from(keys.keys, (_, at) => at).sort((a, b) => {
    const order = compareKeys(keys, a, b)
    return descending ? -order : order
  })
  return order[Math.min(sample - 1, Math.ceil((sizeOf(wanted) / count) * sample))]
}

/** Adds the places [`from`, `to`) that belong to a head. */
type AddPlaces = (out: number[], from: number, to: number) => void

/**
 * Adds the records whose value of an own attribute does not come after that of record `bound`.
 * Cost: a test per record, and per word of a coded column.
 */
function adderOf(
  slices: TimeSlices | null,
  table: Table,
  { attribute, descending }: OrderTerm,
  slots: Int32Array,
  bound: number,
): AddPlaces {
  const column = table.columns[(attribute as StorageAttribute).ordinal]
  switch (column.layout) {
    case 'number':
      return ofNumbers(
        column.data,
        column.data instanceof Int32Array ? NULL_INT : Number.NaN,
        descending,
        slots,
        bound,
      )
    case 'bool':
      return ofNumbers(column.data, 2, descending, slots, bound)
    case 'word':
      return ofWords(column, wordOrder(column, slices).labels, descending, slots, bound)
    case 'text':
      return ofTexts(column, descending, slots, bound)
    case 'boxed':
      // Has no order but that of its properties.
      return () => undefined
  }
}

/** The same for keys that are already read; `bound` is a place. */
function adderOfKeys(keys: OrderKeys, descending: boolean, bound: number): AddPlaces {
  // Texts with the same beginning may come after it. They only make the head longer.
  const numbers = keys.kind === 'number' ? keys.keys : keys.kind === 'text' ? keys.prefixes : null
  return (out, from, to) => {
    if (numbers !== null) {
      const last = numbers[bound]
      for (let i = from; i < to; i++)
        if (descending ? numbers[i] >= last : numbers[i] <= last) out.push(i)
      return
    }
    for (let i = from; i < to; i++) {
      const order = compareKeys(keys, i, bound)
      if (descending ? order >= 0 : order <= 0) out.push(i)
    }
  }
}

function ofNumbers(
  data: Float64Array | Int32Array | Uint8Array,
  none: number,
  descending: boolean,
  slots: Int32Array,
  bound: number,
): AddPlaces {
  const isNone = (value: number): boolean => value === none || Number.isNaN(value)
  const last = data[bound]
  // Null comes before everything.
  if (isNone(last))
    return (out, from, to) => {
      for (let i = from; i < to; i++) if (descending || isNone(data[slots[i]])) out.push(i)
    }
  return (out, from, to) => {
    for (let i = from; i < to; i++) {
      const value = data[slots[i]]
      if (
        value === none || Number.isNaN(value)
          ? !descending
          : descending
            ? value >= last
            : value <= last
      )
        out.push(i)
    }
  }
}

function ofWords(
  { codes }: WordColumn,
  labels: Float64Array,
  descending: boolean,
  slots: Int32Array,
  bound: number,
): AddPlaces {
  const labelOf = (code: number): number => (code === 0 ? Number.NEGATIVE_INFINITY : labels[code])
  const last = labelOf(codes[bound])
  return (out, from, to) => {
    for (let i = from; i < to; i++) {
      const label = labelOf(codes[slots[i]])
      if (descending ? label >= last : label <= last) out.push(i)
    }
  }
}

function ofTexts(
  { keys }: TextColumn,
  descending: boolean,
  slots: Int32Array,
  bound: number,
): AddPlaces {
  const last = keys[bound]
  return (out, from, to) => {
    for (let i = from; i < to; i++) {
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
  }
}
