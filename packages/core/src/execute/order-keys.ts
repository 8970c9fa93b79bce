import type { OrderTerm } from '../filter/predicate.ts'
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

/** Sort keys of one order term, by position: numbers (nulls `-Infinity`), comparison keys, or mixed JSON scalars. */
export type OrderKeys =
  | { readonly kind: 'number'; readonly keys: Float64Array }
  | { readonly kind: 'text'; readonly keys: readonly (string | null)[] }
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
    return { kind: 'text', keys: valuesOf(database, term, slots, past, textKeyReader(owner, attribute)) }
  }
  const keys = new Float64Array(slots.length)
  if (isPast) {
    const values = valuesOf(database, term, slots, past, (slot) => column.read(slot))
    for (let i = 0; i < keys.length; i++) keys[i] = numberKeyOf(values[i])
    return { kind: 'number', keys }
  }
  const numberOf = numberReader(owner, attribute)
  if (isOwn) for (let i = 0; i < keys.length; i++) keys[i] = numberOf(slots[i])
  else {
    const related = relatedReader(database, term)
    for (let i = 0; i < keys.length; i++) {
      const slot = related(slots[i])
      keys[i] = slot < 0 ? Number.NEGATIVE_INFINITY : numberOf(slot)
    }
  }
  return { kind: 'number', keys }
}

/** Orders positions by keys of several terms; equal ones by record number. */
export function comparatorOf(
  terms: readonly OrderTerm[],
  keys: readonly OrderKeys[],
  slots: Int32Array,
): (a: number, b: number) => number {
  return (a, b) => {
    for (let i = 0; i < keys.length; i++) {
      const { kind, keys: values } = keys[i]
      const left = values[a]
      const right = values[b]
      if (left === right) continue
      let order: number
      if (kind === 'number') order = (left as number) < (right as number) ? -1 : 1
      else if (kind === 'text')
        order = left === null ? -1 : right === null ? 1 : (left as string) < (right as string) ? -1 : 1
      else order = compareScalars(left, right)
      if (order !== 0) return terms[i].descending ? -order : order
    }
    return slots[a] - slots[b]
  }
}

/** The number a column is ordered by within one table: the value, 0 and 1, or the word's order label. */
function numberReader(table: Table, attribute: StorageAttribute): (slot: number) => number {
  const column = table.columns[attribute.ordinal]
  if (column.layout === 'word') {
    const order = column.dictionary.order()
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
  const out: V[] = new Array(slots.length)
  const isOwn = term.steps.length === 0
  const related = isOwn ? null : relatedReader(database, term)
  const attribute = term.attribute as StorageAttribute
  for (let i = 0; i < slots.length; i++) {
    const slot = related === null ? slots[i] : related(slots[i])
    const record = isOwn ? past?.get(slot) : undefined
    if (record?.values.has(attribute.ordinal)) {
      const value = record.values.get(attribute.ordinal) as StoredValue
      out[i] = (typeof value === 'string' ? textKey(value, attribute.collation) : value) as V
    } else out[i] = slot < 0 ? (null as V) : read(slot)
  }
  return out
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
    const keys = Array.from(slots, (slot) => {
      const at = related(slot)
      if (at < 0) return null
      const entity = database.entityAt(owner, at) as Record<string, unknown>
      return comparableOf(attribute, entity[attribute.name])
    })
    return { kind: 'mixed', keys }
  }
  const owner = term.steps.length === 0 ? table : database.tableOf(attribute.owner)
  const column = owner.columns[attribute.ordinal]
  const values = valuesOf<StoredValue>(database, term, slots, past, (slot) => column.read(slot))
  const keys = values.map((json) => {
    const value = propertyAt(json as Json, term.properties)
    if (typeof value === 'string') return textKey(value, attribute.collation)
    return typeof value === 'number' || typeof value === 'boolean' ? value : null
  })
  return { kind: 'mixed', keys }
}
