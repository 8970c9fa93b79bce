import {
  attributeReader,
  comparableReader,
  relatedOnceVisitor,
  visitValues,
} from '../entity/path-reader.ts'
import type { Database } from '../execute/database.ts'
import { compareKeys, scalarKeys } from '../execute/order-keys.ts'
import { Steps, wordOrder } from '../execute/steps.ts'
import { listedSlots, livingSlots } from '../execute/time-slices.ts'
import type { Scalar } from '../filter/predicate.ts'
import { notApplicable, type ResolvedPath } from '../model/path.ts'
import { type DistinctWords, WordColumn } from '../storage/column.ts'
import type { Dictionary } from '../storage/dictionary.ts'
import type { RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { WordOrder } from '../storage/word-order.ts'
import { present } from '../value/compare.ts'
import { columnOf } from './members.ts'

/**
 * The values of a path in ascending order, each comparison key once, without null. A text has the
 * spelling of the first living record. A property that is an array counts with its elements. `set`
 * null means every living record: a coded column then answers from its dictionary. Cost:
 * O(records), or O(words) for a dictionary. Throws `attributeNotApplicable`.
 */
export function distinctValues(
  database: Database,
  table: Table,
  path: ResolvedPath,
  set: RecordSet | null,
): unknown[] {
  const { attribute, properties, steps } = path
  refuseBoxed(path, 'distinct values')
  const column = columnOf(database, path)
  if (steps.length === 0 && column instanceof WordColumn)
    return set === null ? distinctWords(database, table, column) : wordsOfSet(database, column, set)
  const { read, toKey, toShown } = valueReader(database, path)
  const { slices } = database
  const slots = livingSlots(slices, table, set)
  const visitRelated = relatedOnceVisitor(database, steps)
  const memoKey = (): readonly unknown[] => ['distinct', database, steps, attribute, properties]
  const run = Steps.in(slices, memoKey, slots)
  const start = (): Map<Scalar, unknown> => new Map()
  const found = run.loop(
    slots.length,
    start,
    (values, from, to) => {
      const noteValue = (value: unknown): void => {
        const key = toKey(value)
        if (key !== null && !values.has(key)) values.set(key, value)
      }
      const note = (slot: number): void => visitValues(path, read(slot), noteValue)
      for (let i = from; i < to; i++) visitRelated(slots[i], note)
    },
    1,
  )
  const inOrder = run.once(() => {
    const values = run.once(() => [...found.values()])
    const scalars = run.once(() => [...found.keys()])
    const keys = run.run(() => scalarKeys(scalars))
    const order = run.sort(values.length, (a, b) => compareKeys(keys, a, b))
    return run.map(order.length, (at) => toShown(values[order[at]]))
  })
  // A sliced read keeps the list.
  return slices === null ? inOrder : inOrder.slice()
}

/** How the values of a path are read, compared and shown. Numbers and dates are read as stored. */
function valueReader(database: Database, path: ResolvedPath) {
  const shown = (value: unknown): unknown => value
  const column = columnOf(database, path)
  if (column?.layout === 'number') {
    const { type, dateOnly } = column.attribute
    return {
      read: (slot: number) => column.read(slot),
      toKey: (value: unknown) => value as number | null,
      toShown: (value: unknown) => present(type, dateOnly, value as number),
    }
  }
  return { read: attributeReader(database, path), toKey: comparableReader(path), toShown: shown }
}

/**
 * Throws `attributeNotApplicable` for an attribute of objects, images or BLOBs, whose values are
 * not compared.
 */
export function refuseBoxed({ attribute, properties, written }: ResolvedPath, use: string): void {
  if (properties.length > 0 || !isBoxed(attribute)) return
  throw notApplicable(
    written.owner.name,
    written.name,
    use,
    'Name a number, text, date or boolean attribute, or a property of an object attribute.',
  )
}

/** True for an attribute of objects, images or BLOBs. */
export const isBoxed = (attribute: ResolvedPath['attribute']): boolean =>
  'type' in attribute && BOXED.has(attribute.type)
const BOXED: ReadonlySet<string> = new Set(['object', 'image', 'blob'])

function distinctWords({ slices }: Database, table: Table, column: WordColumn): string[] {
  const { dictionary } = column
  const cached = column.distinct
  const isValid =
    dictionary.changed !== null && (!dictionary.sharesKeys || cached?.version === table.version)
  if (cached === null || !isValid) {
    const codes = listWords(table, column, wordOrder(column, slices))
    column.distinct = {
      version: table.version,
      codes,
      values: codes.map((code) => dictionary.spellings[code]),
    }
    dictionary.changed = []
  } else if (dictionary.changed !== null && dictionary.changed.length > 0) {
    correctWords(cached, dictionary, wordOrder(column, slices))
    dictionary.changed = []
  }
  return (column.distinct as DistinctWords).values.slice()
}

/**
 * The words of some records, each key once, with the spelling of its first record. Cost: O(records
 * + words).
 */
function wordsOfSet({ slices }: Database, column: WordColumn, set: RecordSet): string[] {
  const { codes, dictionary, attribute } = column
  const slots = listedSlots(slices, set)
  const steps = Steps.in(slices, () => ['words of', attribute], slots)
  const start = (): Int32Array => new Int32Array(dictionary.codeLimit)
  /** By code: the place of its first record, from 1; 0 if there is none. */
  const first = steps.loop(
    slots.length,
    start,
    (places, from, to) => {
      for (let i = from; i < to; i++) {
        const code = codes[slots[i]]
        if (places[code] === 0) places[code] = i + 1
      }
    },
    1,
  )
  const order = wordOrder(column, slices)
  const inOrder = steps.once(() => {
    const shown: number[] = []
    let label = Number.NaN
    order.some(false, (code) => {
      if (first[code] === 0) return false
      if (order.labels[code] !== label) shown.push(code)
      else if (first[code] < first[shown[shown.length - 1]]) shown[shown.length - 1] = code
      label = order.labels[code]
      return false
    })
    return shown.map((code) => dictionary.spellings[code])
  })
  return slices === null ? inOrder : inOrder.slice()
}

/**
 * Inserts new words and deletes words without records. No two words share a key.
 * Cost: O(log words) for each, and moving the words behind it.
 */
function correctWords(
  { codes, values }: DistinctWords,
  dictionary: Dictionary,
  { labels }: WordOrder,
): void {
  for (const code of new Set(dictionary.changed)) {
    let low = 0
    let high = codes.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (labels[codes[middle]] < labels[code]) low = middle + 1
      else high = middle
    }
    const isListed = codes[low] === code
    const isLiving = code !== 0 && dictionary.counts[code] > 0
    if (isLiving && !isListed) {
      codes.splice(low, 0, code)
      values.splice(low, 0, dictionary.spellings[code])
    } else if (!isLiving && isListed) {
      codes.splice(low, 1)
      values.splice(low, 1)
    }
  }
}

/**
 * The codes of living words in order. Of several spellings of one key, only that of the first
 * living record is listed.
 */
function listWords(table: Table, { dictionary, codes }: WordColumn, order: WordOrder): number[] {
  const groupOf = new Int32Array(dictionary.codeLimit)
  /** By group, from 1: the listed code. */
  const shown = [0]
  let label = Number.NaN
  let isShared = false
  order.some(false, (code) => {
    if (dictionary.counts[code] === 0) return false
    if (order.labels[code] === label) isShared = true
    else shown.push(code)
    label = order.labels[code]
    groupOf[code] = shown.length - 1
    return false
  })
  if (isShared) {
    const isSeen = new Uint8Array(shown.length)
    // The group of null.
    isSeen[0] = 1
    let left = shown.length - 1
    for (let slot = 0; slot < table.length && left > 0; slot++) {
      const group = groupOf[codes[slot]]
      if (isSeen[group] === 1) continue
      isSeen[group] = 1
      shown[group] = codes[slot]
      left--
    }
  }
  return shown.slice(1)
}
