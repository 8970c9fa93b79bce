import { attributeReader, comparableReader } from '../entity/path-reader.ts'
import { overBudget } from '../errors.ts'
import type { Steps } from '../execute/steps.ts'
import type { Scalar } from '../filter/predicate.ts'
import type { AttributeModel, ToOneAttribute } from '../model/catalog.ts'
import type { DateSpan } from '../model/group-types.ts'
import type { ResolvedPath } from '../model/path.ts'
import { dateOrderKey, formatDate, formatDay } from '../value/date.ts'
import {
  columnCodes,
  firstOfCodes,
  follow,
  numberCodes,
  replaceCodes,
  scalarCodes,
} from './column-codes.ts'
import { columnOf, derived, type GroupRun, type Members, READS_RECORDS, slotAt } from './members.ts'

const SPANS: ReadonlySet<string> = new Set<DateSpan>(['day', 'week', 'month', 'quarter', 'year'])

export const isDateSpan = (name: string): name is DateSpan => SPANS.has(name)

/** The first day of the span with a day in it; both are days since 1970-01-01, in UTC. */
function startOfSpan(day: number, span: DateSpan): number {
  switch (span) {
    case 'day':
      return day
    case 'week':
      // 1970-01-01 was a Thursday.
      return day - ((((day + 3) % 7) + 7) % 7)
    case 'month':
      return startOfMonths(day, 1)
    case 'quarter':
      return startOfMonths(day, 3)
    case 'year':
      return startOfMonths(day, 12)
  }
}

/** The first day of a month that ends a whole number of spans of so many months. */
function startOfMonths(day: number, months: number): number {
  for (let at = day; ; ) {
    const text = formatDay(at)
    const first = at - Number(text.slice(-2)) + 1
    if ((Number(text.slice(-5, -3)) - 1) % months === 0) return first
    at = first - 1
  }
}

/** Milliseconds of one day. */
const DAY = 86_400_000

/**
 * True for stored dates with a time. Groups hold their numbers: of nearly as many groups as members
 * only a page is shown as text.
 */
const isInstant = (attribute: AttributeModel): boolean =>
  attribute.kind === 'storage' && attribute.type === 'date' && !attribute.dateOnly

/** The value of a group as entities show it. */
export const shownValue = ({ path, span }: ValuePath, value: unknown): unknown =>
  typeof value === 'number' && span === null && isInstant(path.attribute)
    ? formatDate(value, false)
    : value

/** A path over to-one relations, perhaps with a span of time at its end. */
export interface ValuePath {
  /** As written. */
  readonly name: string
  readonly path: ResolvedPath
  readonly steps: readonly ToOneAttribute[]
  readonly span: DateSpan | null
}

/**
 * The values of a path as codes: equal values have the same code, and null has 0. An entry is a
 * member, or an element of its array.
 */
export interface ValueCodes {
  /** By entry. */
  readonly codes: Int32Array
  /** All codes are below. */
  readonly limit: number
  /** By entry: the place of its member, ascending. Null if entry and member have the same place. */
  readonly places: Int32Array | null
  /** The value of an entry, as entities show it; of `isInstant` the stored number. */
  valueAt(entry: number): unknown
  /** The comparison key of such a value. */
  toKey(value: unknown): Scalar | null
}

/**
 * Codes of a path. Values behind a relation are read once for each foreign key. Cost: O(members)
 * for each relation and for the values.
 */
export const valueCodes = (run: GroupRun, path: ValuePath, members: Members): ValueCodes =>
  run.steps.once(() => findCodes(run, path, members))

function findCodes(run: GroupRun, { path, steps, span }: ValuePath, members: Members): ValueCodes {
  if (steps.length === 0) return ownCodes(run, path, span, members)
  const { codes: keys, placeOf, found } = follow(run, steps, members)
  const inner = run.steps.once(() => ownCodes(run, path, span, found))
  const { toKey, limit } = inner
  if (inner.places !== null) {
    const placeAt = replaceCodes(run, keys, placeOf)
    const { rows, entries } = pairEntries(run.steps, placeAt, inner.places, found.count)
    const valueAt = (at: number): unknown => (entries[at] < 0 ? null : inner.valueAt(entries[at]))
    const codes = entries.map((entry) => (entry < 0 ? 0 : inner.codes[entry]))
    return { codes, limit, places: rows, valueAt, toKey }
  }
  const table = run.steps.once(() => {
    const table = new Int32Array(placeOf.length)
    for (let key = 0; key < table.length; key++)
      if (placeOf[key] >= 0) table[key] = inner.codes[placeOf[key]]
    return table
  })
  const codes = replaceCodes(run, keys, table)
  const valueAt = (entry: number): unknown => {
    const place = placeOf[keys[entry]]
    return place < 0 ? null : inner.valueAt(place)
  }
  return { codes, limit, places: null, valueAt, toKey }
}

/** The comparison keys of the values of a path, as entities show them. */
export function keyReader({
  path,
  span,
}: Pick<ValuePath, 'path' | 'span'>): (value: unknown) => Scalar | null {
  if (span === null) return comparableReader(path)
  return (value) => (typeof value === 'string' ? dateOrderKey(value) : null)
}

function ownCodes(
  run: GroupRun,
  path: ResolvedPath,
  span: DateSpan | null,
  members: Members,
): ValueCodes {
  if (span !== null) return spanCodes(run, path, span, members)
  const { database } = run
  const read = attributeReader(database, path)
  const toKey = comparableReader(path)
  const column = columnOf(database, path)
  if (column === null) return readCodes(run, path, members, read, toKey)
  const { codes, limit } = columnCodes(run, column, members)
  const readValue = isInstant(path.attribute) ? (slot: number) => column.read(slot) : read
  return { codes, limit, places: null, valueAt: (at) => readValue(slotAt(members, at)), toKey }
}

/** Codes of computed attributes, and of properties: an array has an entry for each element. */
function readCodes(
  run: GroupRun,
  path: ResolvedPath,
  members: Members,
  read: (slot: number) => unknown,
  toKey: (value: unknown) => Scalar | null,
): ValueCodes {
  const { steps } = run
  // Only values are kept here: a getter may end a time slice within a block.
  const start = (): unknown[] => new Array(members.count)
  const values = steps.loop(
    members.count,
    start,
    (out, from, to) => {
      for (let i = from; i < to; i++) out[i] = read(slotAt(members, i))
    },
    READS_RECORDS,
  )
  const entries = steps.once(() =>
    path.properties.length > 0 && values.some(Array.isArray)
      ? arrayElements(steps, values, toKey)
      : { values, places: null },
  )
  const { places } = entries
  const coded = derived(entries.values.length)
  const found = scalarCodes(run, coded, (at) => toKey(entries.values[at]))
  // A value that filters cannot compare counts as null.
  const valueAt = (at: number): unknown => (found.codes[at] === 0 ? null : entries.values[at])
  return { codes: found.codes, limit: found.limit, places, valueAt, toKey }
}

/** The elements of each array, each key once. A member without any has one entry, with null. */
function arrayElements(
  steps: Steps,
  values: readonly unknown[],
  toKey: (value: unknown) => Scalar | null,
): { readonly values: readonly unknown[]; readonly places: Int32Array } {
  const start = () => ({ elements: [] as unknown[], places: [] as number[] })
  const { elements, places } = steps.loop(values.length, start, (all, from, to) => {
    for (let place = from; place < to; place++) {
      const value = values[place]
      const seen = new Map<Scalar, unknown>()
      for (const element of Array.isArray(value) ? value : [value]) {
        const key = toKey(element)
        if (key !== null && !seen.has(key)) seen.set(key, element)
      }
      if (seen.size === 0) seen.set(false, null)
      for (const element of seen.values()) {
        all.elements.push(element)
        all.places.push(place)
      }
    }
  })
  return { values: elements, places: Int32Array.from(places) }
}

/** Codes of the spans with a date in them. */
function spanCodes(
  run: GroupRun,
  path: ResolvedPath,
  span: DateSpan,
  members: Members,
): ValueCodes {
  const toKey = keyReader({ path, span })
  const { data, of } = dayNumbers(run, path, members)
  const startAt = (at: number): number => startOfSpan(data[slotAt(of, at)], span)
  const days = numberCodes(run, data, of)
  const first = firstOfCodes(run, days)
  const startOf = (day: number): number | null =>
    day === 0 || first[day] < 0 ? null : startAt(first[day])
  const starts = scalarCodes(run, derived(days.limit), startOf, 0)
  return {
    codes: replaceCodes(run, days.codes, starts.codes),
    limit: starts.limit,
    places: null,
    valueAt: (at) => (days.codes[at] === 0 ? null : formatDay(startAt(at))),
    toKey,
  }
}

/** The dates of members as days since 1970-01-01: a column of days, or a vector by place. */
function dayNumbers(
  { database, steps }: GroupRun,
  path: ResolvedPath,
  members: Members,
): { readonly data: Int32Array | Float64Array; readonly of: Members } {
  const { attribute } = path
  const toDay = (value: number): number =>
    'dateOnly' in attribute && attribute.dateOnly ? value : Math.floor(value / DAY)
  const start = (): Float64Array => new Float64Array(members.count)
  const { slots } = members
  const column = columnOf(database, path)
  if (column?.layout === 'number') {
    const { data } = column
    if (column.attribute.dateOnly) return { data, of: members }
    const days = steps.loop(members.count, start, (out, from, to) => {
      for (let i = from; i < to; i++) out[i] = toDay(data[slots === null ? i : slots[i]])
    })
    return { data: days, of: derived(members.count) }
  }
  const read = attributeReader(database, path)
  const toKey = comparableReader(path)
  const days = steps.loop(members.count, start, (out, from, to) => {
    for (let i = from; i < to; i++) {
      const key = toKey(read(slotAt(members, i)))
      out[i] = typeof key === 'number' ? toDay(key) : Number.NaN
    }
  })
  return { data: days, of: derived(members.count) }
}

/**
 * Pairs rows with the entries of their places. `places`: by entry, ascending, below `count`; null
 * if each place has one entry. The place -1 is paired with the entry -1. Throws `budgetExceeded`.
 */
export function pairEntries(
  steps: Steps,
  placeOfRow: Int32Array,
  places: Int32Array | null,
  count: number,
  maxPairs = Number.POSITIVE_INFINITY,
): { readonly rows: Int32Array; readonly entries: Int32Array } {
  const startOf = entryStarts(steps, places, count)
  const { size } = steps.loop(
    placeOfRow.length,
    () => ({ size: 0 }),
    (all, from, to) => {
      for (let row = from; row < to; row++) {
        const place = placeOfRow[row]
        all.size += place < 0 ? 1 : startOf[place + 1] - startOf[place]
      }
    },
  )
  if (size > maxPairs)
    throw overBudget('combinations of array elements in groups', maxPairs, 'not adjustable')
  const start = () => ({ rows: new Int32Array(size), entries: new Int32Array(size), at: 0 })
  return steps.loop(placeOfRow.length, start, (all, from, to) => {
    const { rows, entries } = all
    for (let row = from; row < to; row++) {
      const place = placeOfRow[row]
      const end = place < 0 ? 0 : startOf[place + 1]
      for (let entry = place < 0 ? -1 : startOf[place]; entry < end; entry++) {
        rows[all.at] = row
        entries[all.at++] = entry
      }
    }
  })
}

/** By place: where its entries begin. */
function entryStarts(steps: Steps, places: Int32Array | null, count: number): Int32Array {
  const start = (): Int32Array => new Int32Array(count + 1)
  const startOf = steps.loop(places?.length ?? count, start, (out, from, to) => {
    for (let entry = from; entry < to; entry++) out[(places?.[entry] ?? entry) + 1]++
  })
  return steps.loop(
    count,
    () => startOf,
    (out, from, to) => {
      for (let place = from; place < to; place++) out[place + 1] += out[place]
    },
  )
}
