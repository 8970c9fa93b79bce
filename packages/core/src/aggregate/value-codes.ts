import { attributeReader, comparableReader } from '../entity/path-reader.ts'
import type { Steps } from '../execute/steps.ts'
import type { Scalar } from '../filter/predicate.ts'
import type { AttributeModel, ToOneAttribute } from '../model/catalog.ts'
import type { DateSpan } from '../model/group-types.ts'
import type { ResolvedPath } from '../model/path.ts'
import { NULL_INT } from '../storage/column.ts'
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
  const [step, ...further] = steps
  if (step === undefined) return ownCodes(run, path, span, members)
  const { codes: keys, placeOf, found } = follow(run, step, members)
  const inner = valueCodes(run, { name: '', path, steps: further, span }, found)
  const { toKey, limit } = inner
  if (inner.places !== null)
    return spreadCodes(run.steps, keys, placeOf, inner, inner.places, found.count)
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
  const days = numberCodes(run, data, of)
  const first = firstOfCodes(run, days)
  const start = () => ({
    startOf: new Int32Array(days.limit).fill(NULL_INT),
    table: new Int32Array(days.limit),
    known: new Map<number, number>(),
  })
  const spans = run.steps.loop(days.limit, start, (all, from, to) => {
    const { startOf, table, known } = all
    for (let code = Math.max(1, from); code < to; code++) {
      if (first[code] < 0) continue
      const start = startOfSpan(data[slotAt(of, first[code])], span)
      startOf[code] = start
      if (!known.has(start)) known.set(start, known.size + 1)
      table[code] = known.get(start) as number
    }
  })
  const { startOf, table, known } = spans
  return {
    codes: replaceCodes(run, days.codes, table),
    limit: known.size + 1,
    places: null,
    valueAt: (at) => (days.codes[at] === 0 ? null : formatDay(startOf[days.codes[at]])),
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
  if (attribute.kind === 'storage') {
    const column = database.tableOf(attribute.owner).columns[attribute.ordinal]
    if (column.layout !== 'number') throw new Error('A span of time needs a date.')
    const { data } = column
    if (attribute.dateOnly) return { data, of: members }
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

/** By place: where its entries begin. `places`: by entry, ascending; null if each has one. */
export function entryStarts(steps: Steps, places: Int32Array | null, count: number): Int32Array {
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

/** The entries of related entities for each member that leads to them. */
function spreadCodes(
  steps: Steps,
  keys: Int32Array,
  placeOf: Int32Array,
  inner: ValueCodes,
  innerPlaces: Int32Array,
  related: number,
): ValueCodes {
  const startOf = entryStarts(steps, innerPlaces, related)
  const start = () => ({ entries: [] as number[], places: [] as number[] })
  const { entries, places } = steps.loop(keys.length, start, (all, from, to) => {
    for (let at = from; at < to; at++) {
      const place = placeOf[keys[at]]
      const end = place < 0 ? 1 : startOf[place + 1]
      for (let entry = place < 0 ? 0 : startOf[place]; entry < end; entry++) {
        all.entries.push(place < 0 ? -1 : entry)
        all.places.push(at)
      }
    }
  })
  return {
    codes: Int32Array.from(entries, (entry) => (entry < 0 ? 0 : inner.codes[entry])),
    limit: inner.limit,
    places: Int32Array.from(places),
    valueAt: (at) => (entries[at] < 0 ? null : inner.valueAt(entries[at])),
    toKey: inner.toKey,
  }
}
