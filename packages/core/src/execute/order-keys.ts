import type { OrderTerm, Scalar } from '../filter/predicate.ts'
import type { StorageAttribute } from '../model/catalog.ts'
import { numberKey, numberKeyOf } from '../storage/attribute-index.ts'
import type { PastRecord } from '../storage/history.ts'
import type { Table } from '../storage/table.ts'
import { propertyAt } from '../value/json.ts'
import { compareScalars } from '../value/order.ts'
import { textKey } from '../value/text-key.ts'
import type { Json, StoredValue } from '../value/types.ts'
import { type Database, recordFinder } from './database.ts'
import { comparableOf } from './predicate-filter.ts'
import { textPrefixes } from './text-prefixes.ts'
import { loopOf, onceOf, type Turns } from './turns.ts'
import { wordOrder } from './word-order.ts'

/**
 * Sort keys of one order term, by position: numbers (nulls `-Infinity`), comparison keys with their beginnings as numbers, or
 * scalars of several types.
 */
export type OrderKeys =
  | { readonly kind: 'number'; readonly keys: Float64Array }
  | { readonly kind: 'text'; readonly keys: readonly (string | null)[]; readonly prefixes: Float64Array }
  | { readonly kind: 'mixed'; readonly keys: readonly (string | number | boolean | null)[] }

/**
 * Reads the keys of a term for some records. `past` holds the records that changed since the moment the order speaks of.
 * Cost O(records); the first use of an unindexed coded column sorts its dictionary once.
 */
export function orderKeys(
  database: Database,
  table: Table,
  term: OrderTerm,
  slots: Int32Array,
  past: ReadonlyMap<number, PastRecord> | null,
): OrderKeys {
  const { attribute } = term
  if (attribute.kind === 'calculated' || term.properties.length > 0)
    return mixedKeys(database, table, term, slots, past)
  const isOwn = term.steps.length === 0
  const owner = isOwn ? table : database.tableOf(attribute.owner)
  const column = owner.columns[attribute.ordinal]
  // Labels of words that left the dictionary are gone; then the keys themselves are compared.
  const isPast = isOwn && past !== null && past.size > 0
  if (column.layout === 'text' || (column.layout === 'word' && isPast)) {
    return textKeys(database, valuesOf(database, term, slots, past, textKeyReader(owner, attribute)), term, slots)
  }
  if (isPast) {
    const keys = new Float64Array(slots.length)
    const values = valuesOf(database, term, slots, past, (slot) => column.read(slot))
    for (let i = 0; i < keys.length; i++) keys[i] = numberKeyOf(values[i])
    return { kind: 'number', keys }
  }
  const numberOf = numberReader(owner, attribute, database.turns)
  const related = isOwn ? null : relatedReader(database, term)
  const start = (): Float64Array => new Float64Array(slots.length)
  const keys = keysOf(database, term, slots, start, (out, from, to) => {
    for (let i = from; i < to; i++) {
      const slot = related === null ? slots[i] : related(slots[i])
      out[i] = slot < 0 ? Number.NEGATIVE_INFINITY : numberOf(slot)
    }
  })
  return { kind: 'number', keys }
}

/** Reads keys record by record, in blocks where the read is carried out in turns. */
function keysOf<K>(
  { turns }: Database,
  term: OrderTerm,
  slots: Int32Array,
  start: () => K,
  read: (keys: K, from: number, to: number) => void,
): K {
  return loopOf(turns, () => ['keys', questionOf(term)], slots, slots.length, start, read)
}

const questionOf = ({ steps, attribute, properties }: OrderTerm): readonly unknown[] => [steps, attribute, properties]

/** Orders positions by keys of several terms; equal ones by record number. */
export function comparatorOf(
  terms: readonly OrderTerm[],
  keys: readonly OrderKeys[],
  slots: Int32Array,
): (a: number, b: number) => number {
  return (a, b) => {
    for (let i = 0; i < keys.length; i++) {
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

function textKeys(database: Database, texts: (string | null)[], term: OrderTerm, slots: Int32Array): OrderKeys {
  const find = (): OrderKeys => ({ kind: 'text', keys: texts, prefixes: textPrefixes(texts) })
  return onceOf(database.turns, () => ['texts', questionOf(term)], slots, find)
}

function scalarKeys(database: Database, scalars: (Scalar | null)[], term: OrderTerm, slots: Int32Array): OrderKeys {
  return onceOf(
    database.turns,
    () => ['scalar keys', questionOf(term)],
    slots,
    () => keysOfScalars(scalars),
  )
}

/** Keys of values that are nearly always of one type. Cost O(values). */
export function keysOfScalars(scalars: readonly (Scalar | null)[]): OrderKeys {
  if (scalars.every(isNumberOrNull))
    return { kind: 'number', keys: Float64Array.from(scalars, (number) => number ?? Number.NEGATIVE_INFINITY) }
  if (scalars.every(isTextOrNull)) return { kind: 'text', keys: scalars, prefixes: textPrefixes(scalars) }
  return { kind: 'mixed', keys: scalars }
}

const isNumberOrNull = (value: Scalar | null): value is number | null => value === null || typeof value === 'number'
const isTextOrNull = (value: Scalar | null): value is string | null => value === null || typeof value === 'string'

/** The number a column is ordered by within one table: the value, 0 and 1, or the word's order label. */
function numberReader(table: Table, attribute: StorageAttribute, turns: Turns | null): (slot: number) => number {
  const column = table.columns[attribute.ordinal]
  if (column.layout === 'word') {
    const order = wordOrder(column, turns)
    const { codes } = column
    return (slot) => (codes[slot] === 0 ? Number.NEGATIVE_INFINITY : order.labels[codes[slot]])
  }
  return (slot) => numberKey(column, slot)
}

function textKeyReader(table: Table, attribute: StorageAttribute): (slot: number) => string | null {
  const column = table.columns[attribute.ordinal]
  if (column.layout === 'text') return (slot) => column.keys[slot]
  if (column.layout === 'word')
    return (slot) => (column.codes[slot] === 0 ? null : column.dictionary.keys[column.codes[slot]])
  return () => null
}

/** The related record a term's relations lead to, or -1. */
function relatedReader(database: Database, term: OrderTerm): (slot: number) => number {
  const steps = term.steps.map((relation) => {
    const source = database.tableOf(relation.owner)
    if (relation.kind === 'relatedEntity') {
      const foreignKey = source.columns[relation.foreignKey.ordinal]
      const find = recordFinder(database, relation.target)
      return (slot: number) => find(foreignKey.read(slot))
    }
    return (_slot: number) => -1
  })
  return (slot) => {
    for (const step of steps) {
      slot = step(slot)
      if (slot < 0) return -1
    }
    return slot
  }
}

function valuesOf<V extends StoredValue>(
  database: Database,
  term: OrderTerm,
  slots: Int32Array,
  past: ReadonlyMap<number, PastRecord> | null,
  read: (slot: number) => V,
): V[] {
  const isOwn = term.steps.length === 0
  const related = isOwn ? null : relatedReader(database, term)
  const attribute = term.attribute as StorageAttribute
  const start = (): V[] => new Array(slots.length)
  return keysOf(database, term, slots, start, (out, from, to) => {
    for (let i = from; i < to; i++) {
      const slot = related === null ? slots[i] : related(slots[i])
      const record = isOwn ? past?.get(slot) : undefined
      if (record?.values.has(attribute.ordinal)) {
        const value = record.values.get(attribute.ordinal) as StoredValue
        out[i] = (typeof value === 'string' ? textKey(value, attribute.collation) : value) as V
      } else out[i] = slot < 0 ? (null as V) : read(slot)
    }
  })
}

function mixedKeys(
  database: Database,
  table: Table,
  term: OrderTerm,
  slots: Int32Array,
  past: ReadonlyMap<number, PastRecord> | null,
): OrderKeys {
  const { attribute } = term
  if (attribute.kind === 'calculated') {
    const owner = term.steps.length === 0 ? table : database.tableOf(attribute.owner)
    const related = relatedReader(database, term)
    const start = (): (Scalar | null)[] => new Array(slots.length)
    const keys = keysOf(database, term, slots, start, (out, from, to) => {
      for (let i = from; i < to; i++) {
        const at = related(slots[i])
        const entity = at < 0 ? null : (database.entityAt(owner, at) as Record<string, unknown>)
        out[i] = entity === null ? null : comparableOf(attribute, entity[attribute.name])
      }
    })
    return scalarKeys(database, keys, term, slots)
  }
  const owner = term.steps.length === 0 ? table : database.tableOf(attribute.owner)
  const column = owner.columns[attribute.ordinal]
  const values = valuesOf<StoredValue>(database, term, slots, past, (slot) => column.read(slot))
  const question = (): readonly unknown[] => ['scalars', questionOf(term)]
  const start = (): (Scalar | null)[] => new Array(slots.length)
  const keys = loopOf(database.turns, question, slots, slots.length, start, (out, from, to) => {
    for (let i = from; i < to; i++) {
      const value = propertyAt(values[i] as Json, term.properties)
      if (typeof value === 'string') out[i] = textKey(value, attribute.collation)
      else out[i] = typeof value === 'number' || typeof value === 'boolean' ? value : null
    }
  })
  return scalarKeys(database, keys, term, slots)
}
