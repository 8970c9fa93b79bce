import { relevanceError } from '../filter/bind-order-by.ts'
import type { OrderTerm, Scalar } from '../filter/predicate.ts'
import type { StorageAttribute } from '../model/catalog.ts'
import type { PastRecord } from '../storage/history.ts'
import type { Table } from '../storage/table.ts'
import { type BuildSteps, inBlocks, runSteps, textPrefixes } from '../storage/text-prefixes.ts'
import { compareScalars, textKey } from '../value/compare.ts'
import { entryOf } from '../value/entry.ts'
import { propertyAt } from '../value/json.ts'
import type { Json, StoredValue } from '../value/types.ts'
import { type Database, recordFinder } from './database.ts'
import { columnNumbers, numbersOfPast, textRanks } from './order-numbers.ts'
import { comparableOf } from './predicate-filter.ts'
import { Steps } from './steps.ts'

/**
 * True for keys from a column of the dataclass itself. An order by such keys can be computed later,
 * from the values that the column held.
 */
export const isOwnColumn = ({ steps, attribute }: OrderTerm): boolean =>
  steps.length === 0 && attribute.kind === 'storage'

/**
 * Sort keys of one order term, by position: numbers (nulls `-Infinity`; where there is a `limit`,
 * whole ones from 0 below it, nulls 0), comparison keys with their beginnings as numbers, or
 * scalars of several types.
 */
export type OrderKeys =
  | { readonly kind: 'number'; readonly keys: Float64Array; readonly limit: number }
  | {
      readonly kind: 'text'
      readonly keys: readonly (string | null)[]
      readonly prefixes: Float64Array
    }
  | { readonly kind: 'mixed'; readonly keys: readonly (string | number | boolean | null)[] }

/** The earlier states of records that changed since the moment of an order; null for none. */
export type Past = ReadonlyMap<number, PastRecord> | null

/** What identifies earlier states in a memo key. */
export const momentOf = (past: Past): unknown =>
  past === null || past.size === 0
    ? null
    : Array.from(past, ([slot, { values }]) => [slot, Array.from(values)])

/**
 * Reads the keys of a term for some records. `past` holds the records that changed since the moment
 * of the order. Cost: O(records). The first use of an unindexed coded column sorts its dictionary.
 * Texts of few related records are sorted before they are read for many records.
 */
export function orderKeys(
  database: Database,
  table: Table,
  term: OrderTerm,
  slots: Int32Array,
  past: Past,
): OrderKeys {
  const { attribute } = term
  const steps = Steps.in(database.slices, () => memoKeyOf(term, past), slots)
  if (attribute.kind === 'calculated' || term.properties.length > 0)
    return mixedKeys({ database, steps, term, slots }, table, past)
  const isOwn = term.steps.length === 0
  const owner = isOwn ? table : database.tableOf(attribute.owner)
  const changed = isOwn && past !== null && past.size > 0 ? past : null
  const numbers =
    isOwn || owner.columns[attribute.ordinal].layout !== 'text' || owner.liveCount > slots.length
      ? columnNumbers(owner, attribute, slots.length, database.slices)
      : textRanks(database, owner, attribute)
  const pastNumbers =
    changed === null || numbers === null ? null : numbersOfPast(changed, attribute, numbers)
  if (numbers === null || (changed !== null && pastNumbers === null)) {
    const run = { database, steps, term, slots }
    const keys = readValues(run, past, textKeyReader(owner, attribute))
    return steps.run(() => textKeys(keys))
  }
  const { limit, numberAt, none } = numbers
  const related = isOwn ? null : relatedReader(database, term, steps, slots.length)
  const start = (): Float64Array => new Float64Array(slots.length)
  const keys = steps.loop(
    slots.length,
    start,
    (out, from, to) => {
      for (let i = from; i < to; i++) {
        const slot = related === null ? slots[i] : related(slots[i])
        out[i] = slot < 0 ? none : (pastNumbers?.get(slot) ?? numberAt(slot))
      }
    },
    1,
  )
  return { kind: 'number', keys, limit }
}

/** A computation of sort keys. */
interface KeyRun {
  readonly database: Database
  readonly steps: Steps
  readonly term: OrderTerm
  readonly slots: Int32Array
}

/** The memo key of sort keys: those of the past differ from those of the present. */
function memoKeyOf({ steps, attribute, properties }: OrderTerm, past: Past): readonly unknown[] {
  if (past === null || past.size === 0 || attribute.kind === 'calculated')
    return ['keys', steps, attribute, properties]
  const before = Array.from(past, ([slot, { values }]) => [slot, values.get(attribute.ordinal)])
  return ['keys', steps, attribute, properties, before]
}

/**
 * The part of a memo key that identifies sort keys: the same object as long as a read keeps them.
 */
export const vectorOf = (keys: OrderKeys): unknown =>
  keys.kind === 'text' ? keys.prefixes : keys.keys

/** The keys at some ascending places. For all places it returns the same object. */
export function* someKeys(keys: OrderKeys, places: Int32Array): BuildSteps<OrderKeys> {
  const count = places.length
  if (count === keys.keys.length) return keys
  if (keys.kind === 'number') {
    const some = new Float64Array(count)
    yield* inBlocks(count, (from, to) => {
      for (let i = from; i < to; i++) some[i] = keys.keys[places[i]]
    })
    return { kind: 'number', keys: some, limit: keys.limit }
  }
  const some = new Array<Scalar | null>(count)
  yield* inBlocks(count, (from, to) => {
    for (let i = from; i < to; i++) some[i] = keys.keys[places[i]]
  })
  return yield* scalarKeys(some)
}

/** Orders positions by keys of several terms; equal ones by record number. */
export function comparatorOf(
  terms: readonly OrderTerm[],
  keys: readonly OrderKeys[],
  slots: Int32Array,
): (a: number, b: number) => number {
  // Nearly always the first term decides, by numbers.
  const numbers = keys.length > 0 && keys[0].kind === 'number' ? keys[0].keys : null
  const before = terms.length > 0 && terms[0].descending ? 1 : -1
  return (a, b) => {
    if (numbers !== null && numbers[a] !== numbers[b])
      return numbers[a] < numbers[b] ? before : -before
    for (let i = numbers === null ? 0 : 1; i < keys.length; i++) {
      const order = compareKeys(keys[i], a, b)
      if (order !== 0) return terms[i].descending ? -order : order
    }
    return slots[a] - slots[b]
  }
}

/** Compares the keys at two positions. */
export function compareKeys(keys: OrderKeys, a: number, b: number): number {
  const numbers = keys.kind === 'number' ? keys.keys : keys.kind === 'text' ? keys.prefixes : null
  if (numbers !== null) {
    const left = numbers[a]
    const right = numbers[b]
    if (left !== right) return left < right ? -1 : 1
    if (keys.kind === 'number') return 0
  }
  const left = keys.keys[a]
  const right = keys.keys[b]
  return left === right ? 0 : compareScalars(left, right)
}

/** Keys of the scalars at the places below `count`. */
export const keysInPasses = (
  steps: Steps,
  count: number,
  scalarAt: (at: number) => Scalar | null,
  visits = 0,
): OrderKeys => {
  const scalars = steps.map(count, scalarAt, visits)
  return steps.run(() => scalarKeys(scalars))
}

/** Keys of values that are nearly always of one type. Cost O(values). */
export const keysOfScalars = (scalars: readonly (Scalar | null)[]): OrderKeys =>
  runSteps(scalarKeys(scalars))

/** The same in steps. */
export function* scalarKeys(scalars: readonly (Scalar | null)[]): BuildSteps<OrderKeys> {
  if (scalars.every(isNumberOrNull)) return { kind: 'number', keys: numbersOf(scalars), limit: 0 }
  return scalars.every(isTextOrNull) ? yield* textKeys(scalars) : { kind: 'mixed', keys: scalars }
}

function* textKeys(keys: readonly (string | null)[]): BuildSteps<OrderKeys> {
  return { kind: 'text', keys, prefixes: yield* textPrefixes(keys) }
}

function numbersOf(values: readonly (number | null)[]): Float64Array {
  const numbers = new Float64Array(values.length)
  for (let i = 0; i < numbers.length; i++) numbers[i] = values[i] ?? Number.NEGATIVE_INFINITY
  return numbers
}

const isNumberOrNull = (value: Scalar | null): value is number | null =>
  value === null || typeof value === 'number'
const isTextOrNull = (value: Scalar | null): value is string | null =>
  value === null || typeof value === 'string'

/** Reads the comparison key of a text. */
export function textKeyReader(
  table: Table,
  attribute: StorageAttribute,
): (slot: number) => string | null {
  const column = table.columns[attribute.ordinal]
  if (column.layout === 'text') return (slot) => column.keys[slot]
  if (column.layout === 'word')
    return (slot) => (column.codes[slot] === 0 ? null : column.dictionary.keys[column.codes[slot]])
  return () => null
}

/** A related record that was not looked up yet. */
const UNKNOWN = -2

/**
 * The related record at the end of a term's relations, or -1. For `records` records: where these
 * are more than the words of a foreign key, each word is looked up once.
 */
function relatedReader(
  database: Database,
  term: OrderTerm,
  steps: Steps,
  records: number,
): (slot: number) => number {
  const readers = term.steps.map((relation) => {
    const source = database.tableOf(relation.owner)
    if (relation.kind !== 'relatedEntity') return (_slot: number) => -1
    const foreignKey = source.columns[relation.foreignKey.ordinal]
    const find = recordFinder(database, relation.target)
    if (foreignKey.layout !== 'word' || foreignKey.dictionary.codeLimit > records)
      return (slot: number) => find(foreignKey.read(slot))
    const { codes, dictionary } = foreignKey
    const known = steps.once(() => new Int32Array(dictionary.codeLimit).fill(UNKNOWN))
    return (slot: number) => {
      const code = codes[slot]
      const before = known[code]
      if (before !== UNKNOWN) return before
      const found = find(foreignKey.read(slot))
      known[code] = found
      return found
    }
  })
  const [first] = readers
  if (readers.length === 1) return first
  return (slot) => {
    for (const reader of readers) {
      slot = reader(slot)
      if (slot < 0) return -1
    }
    return slot
  }
}

function readValues<V extends StoredValue>(
  { database, steps, term, slots }: KeyRun,
  past: Past,
  read: (slot: number) => V,
): V[] {
  const isOwn = term.steps.length === 0
  const related = isOwn ? null : relatedReader(database, term, steps, slots.length)
  const attribute = term.attribute as StorageAttribute
  return steps.map(
    slots.length,
    (at) => {
      const slot = related === null ? slots[at] : related(slots[at])
      const record = isOwn ? past?.get(slot) : undefined
      if (!record?.values.has(attribute.ordinal)) return slot < 0 ? (null as V) : read(slot)
      const value = record.values.get(attribute.ordinal) as StoredValue
      return (typeof value === 'string' ? textKey(value, attribute.collation) : value) as V
    },
    1,
  )
}

function mixedKeys(run: KeyRun, table: Table, past: Past): OrderKeys {
  const { database, steps, term, slots } = run
  const { attribute, properties } = term
  const owner = term.steps.length === 0 ? table : database.tableOf(attribute.owner)
  if (attribute.kind === 'calculated') {
    const { scores } = attribute
    if (scores === null) throw relevanceError(attribute.owner)
    const valueAt = (slot: number): Scalar | null =>
      scores === undefined
        ? comparableOf(
            attribute,
            (database.entityAt(owner, slot) as Record<string, unknown>)[attribute.name],
          )
        : scores[slot]
    const read =
      term.steps.length === 0
        ? valueAt
        : readOnce(relatedReader(database, term, steps, slots.length), valueAt)
    return steps.once(() => keysInPasses(steps, slots.length, (at) => read(slots[at]), 1))
  }
  const column = owner.columns[attribute.ordinal]
  const values = readValues<StoredValue>(run, past, (slot) => column.read(slot))
  const keyAt = (at: number): Scalar | null => {
    const value = propertyAt(values[at] as Json, properties)
    if (typeof value === 'string') return textKey(value, attribute.collation)
    return typeof value === 'number' || typeof value === 'boolean' ? value : null
  }
  return steps.once(() => keysInPasses(steps, slots.length, keyAt, 1))
}

/** Reads values of related records, each record once; null without a related record. */
function readOnce(
  related: (slot: number) => number,
  valueAt: (slot: number) => Scalar | null,
): (slot: number) => Scalar | null {
  const known = new Map<number, Scalar | null>()
  return (slot) => {
    const at = related(slot)
    return at < 0 ? null : entryOf(known, at, () => valueAt(at))
  }
}
