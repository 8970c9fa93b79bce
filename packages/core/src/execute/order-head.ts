import type { OrderBy, OrderTerm } from '../filter/predicate.ts'
import type { StorageAttribute } from '../model/catalog.ts'
import { NULL_INT } from '../storage/column.ts'
import { placeOf } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import { runSteps } from '../storage/text-prefixes.ts'
import type { Database } from './database.ts'
import {
  compareKeys,
  isOwnColumn,
  momentOf,
  type OrderKeys,
  orderKeys,
  type Past,
  someKeys,
  vectorOf,
} from './order-keys.ts'
import { Steps, wordOrder } from './steps.ts'
import type { TimeSlices } from './time-slices.ts'

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

/** An end of an order: its first records, or its last ones. */
export type OrderEnd = 'first' | 'last'

/** Records in an order whose head is looked for. */
interface Ordered {
  readonly database: Database
  readonly table: Table
  readonly orderBy: OrderBy
  readonly slots: Int32Array
  /**
   * Of every term; null for an order that begins with own columns, whose keys are not read: only
   * these terms find the head then.
   */
  readonly keys: readonly OrderKeys[] | null
  /** The records that changed since the moment of the order. */
  readonly past: Past
}

/**
 * The head of an order: the `wanted` records at one end, and some more, ascending, of which `count`
 * are certainly at the end; null if it would hold a large part of all.
 */
export function findHead(
  { database, table, orderBy, slots, keys, past }: Ordered,
  wanted: number,
  end: OrderEnd,
): {
  readonly slots: Int32Array
  readonly count: number
  readonly keys: readonly OrderKeys[] | null
} | null {
  const { length } = slots
  const { slices } = database
  const known = keys === null ? orderBy.findIndex((term) => !hasColumn(term)) : -1
  const terms = known < 0 ? orderBy : orderBy.slice(0, known)
  const moment = (): unknown => keys?.map(vectorOf) ?? momentOf(past)
  const steps = Steps.in(slices, () => ['head', table, orderBy, moment(), end, wanted], slots)
  /** By term: whether records with small values come first, seen from this end. */
  const isUpward = terms.map(({ descending }) => descending === (end === 'last'))
  const isUnchanged = (place: number): boolean => past?.has(slots[place]) !== true
  const last = steps.once(() => {
    const sample = samplePlaces(length).filter(isUnchanged)
    const sampled = terms.map((term, at) =>
      keys === null
        ? orderKeys(
            database,
            table,
            term,
            sample.map((place) => slots[place]),
            past,
          )
        : runSteps(someKeys(keys[at], sample)),
    )
    return sample[endOfHead(sampled, isUpward, wanted, length)]
  })
  const sides = terms.map((term, at) =>
    keys === null
      ? sideByColumn(slices, table, term, slots, last, isUpward[at])
      : sideByKeys(keys[at], last, isUpward[at]),
  )
  // Record numbers order those that are equal by every term, so that a few of them are enough.
  const most = terms.length === orderBy.length ? sizeOf(wanted) + (past?.size ?? 0) : length
  const start = (): Found => ({ before: [], equal: [] })
  const { before, equal } = steps.loop(length, start, collector(sides, end, most))
  return steps.once(() => {
    if ((before.length + equal.length) * 2 > length) return null
    const found = Int32Array.from([...before, ...equal.slice(end === 'first' ? 0 : -most)]).sort()
    // Changed records may stand anywhere. All are sorted with the head, and none counts as a part
    // of it.
    const unchanged = found.filter(isUnchanged)
    if (unchanged.length < wanted) return null
    const changed = past === null ? [] : placesOf(slots, past.keys())
    const places = changed.length === 0 ? found : Int32Array.from([...unchanged, ...changed]).sort()
    return {
      slots: places.map((place) => slots[place]),
      count: unchanged.length,
      keys: keys?.map((each) => runSteps(someKeys(each, places))) ?? null,
    }
  })
}

/** True for the values of an own column: they are compared in place. */
export const hasColumn = (term: OrderTerm): boolean =>
  isOwnColumn(term) && term.properties.length === 0

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
 * The index of the sampled record that ends a head, so that the head most likely holds `wanted` of
 * `count` records.
 */
function endOfHead(
  keys: readonly OrderKeys[],
  isUpward: readonly boolean[],
  wanted: number,
  count: number,
): number {
  const sample = keys[0].keys.length
  const order = Int32Array.from(keys[0].keys, (_, at) => at).sort((a, b) => {
    for (let term = 0; term < keys.length; term++) {
      const order = compareKeys(keys[term], a, b)
      if (order !== 0) return isUpward[term] ? order : -order
    }
    return 0
  })
  return order[Math.min(sample - 1, Math.ceil((sizeOf(wanted) / count) * sample))]
}

/** Places before the bound of a head, and those that are equal to it. */
interface Found {
  readonly before: number[]
  readonly equal: number[]
}

/** Negative for a place before the bound of a head, 0 for one that is equal to it. */
type SideOf = (place: number) => number

/** Adds the places [`from`, `to`) of a head. Of equal ones it needs the `most` nearest the end. */
function collector(sides: readonly SideOf[], end: OrderEnd, most: number) {
  const [first] = sides
  return ({ before, equal }: Found, from: number, to: number): void => {
    for (let place = from; place < to; place++) {
      let side = first(place)
      for (let term = 1; side === 0 && term < sides.length; term++) side = sides[term](place)
      if (side < 0) before.push(place)
      else if (side === 0 && (end === 'last' || equal.length < most)) equal.push(place)
      if (equal.length > 2 * most) equal.splice(0, most)
    }
  }
}

/** Compares the values of an own column with that at place `bound`. */
function sideByColumn(
  slices: TimeSlices | null,
  table: Table,
  { attribute }: OrderTerm,
  slots: Int32Array,
  bound: number,
  isUpward: boolean,
): SideOf {
  const column = table.columns[(attribute as StorageAttribute).ordinal]
  switch (column.layout) {
    case 'number': {
      const { data } = column
      const none = data instanceof Int32Array ? NULL_INT : Number.NaN
      const numberAt = (place: number): number => {
        const value = data[slots[place]]
        return value === none || Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value
      }
      return sideByNumber(numberAt, bound, isUpward)
    }
    case 'bool': {
      const { data } = column
      return sideByNumber((place) => (data[slots[place]] + 1) % 3, bound, isUpward)
    }
    case 'word': {
      const { codes } = column
      const { labels } = wordOrder(column, slices)
      const labelAt = (place: number): number => {
        const code = codes[slots[place]]
        return code === 0 ? Number.NEGATIVE_INFINITY : labels[code]
      }
      return sideByNumber(labelAt, bound, isUpward)
    }
    case 'text': {
      const { keys } = column
      const last = keys[slots[bound]]
      const before = isUpward ? -1 : 1
      return (place) => {
        const key = keys[slots[place]]
        if (key === last) return 0
        return key === null || (last !== null && key < last) ? before : -before
      }
    }
    case 'boxed':
      // Has no order but that of its properties.
      return () => 1
  }
}

function sideByKeys(keys: OrderKeys, bound: number, isUpward: boolean): SideOf {
  if (keys.kind === 'number') {
    const numbers = keys.keys
    return sideByNumber((place) => numbers[place], bound, isUpward)
  }
  const sign = isUpward ? 1 : -1
  return (place) => sign * compareKeys(keys, place, bound)
}

function sideByNumber(
  numberAt: (place: number) => number,
  bound: number,
  isUpward: boolean,
): SideOf {
  const last = numberAt(bound)
  const before = isUpward ? -1 : 1
  return (place) => {
    const number = numberAt(place)
    return number === last ? 0 : number < last ? before : -before
  }
}
