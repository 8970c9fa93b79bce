import { EntiaError } from '../errors.ts'
import type { Database } from '../execute/database.ts'
import { compareKeys, keysOfScalars, type OrderKeys } from '../execute/order-keys.ts'
import { orderedPositions } from '../execute/sort.ts'
import { loopOf, onceOf } from '../execute/turns.ts'
import { wordOrder } from '../execute/word-order.ts'
import type { Scalar } from '../filter/predicate.ts'
import type { ResolvedPath } from '../model/path.ts'
import { WordColumn } from '../storage/column.ts'
import { type RecordSet, slotsOf } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { WordOrder } from '../storage/word-order.ts'
import { attributeReader, comparableReader, relatedOnceVisitor, visitValues } from './path-reader.ts'

/**
 * The values of a path, each once by its comparison key, ascending, nulls left out; a text shows the spelling of the first
 * living record. Of a property that is an array, its elements are the values. `set` null stands for every living record: a coded column then answers from its dictionary, O(words).
 */
export function distinctValues(database: Database, table: Table, path: ResolvedPath, set: RecordSet | null): unknown[] {
  const { attribute, written, properties, steps } = path
  if (attribute.kind === 'storage' && properties.length === 0) {
    const column = database.tableOf(attribute.owner).columns[attribute.ordinal]
    if (column.layout === 'boxed') {
      throw new EntiaError('attributeNotApplicable', {
        dataClass: written.owner.name,
        attribute: written.name,
        use: 'distinct values',
        remedy: 'Name a number, text, date or boolean attribute, or a property of an object attribute.',
      })
    }
    if (column instanceof WordColumn && steps.length === 0 && set === null)
      return distinctWords(database, table, column)
  }
  const read = attributeReader(database, path)
  const keyOf = comparableReader(path)
  const { turns } = database
  const slots = set === null ? table.liveSlots() : slotsOf(set)
  const visitRelated = relatedOnceVisitor(database, steps)
  const question = (): readonly unknown[] => ['distinct', database, steps, attribute, properties]
  const start = (): Map<Scalar, unknown> => new Map()
  const found = loopOf(turns, question, slots, slots.length, start, (values, from, to) => {
    const noteValue = (value: unknown): void => {
      const key = keyOf(value)
      if (key !== null && !values.has(key)) values.set(key, value)
    }
    const note = (slot: number): void => visitValues(path, read(slot), noteValue)
    for (let i = from; i < to; i++) visitRelated(slots[i], note)
  })
  const listed = (): Listed => {
    const values = [...found.values()]
    return { values, keys: keysOfScalars([...found.keys()]), places: Int32Array.from(values.keys()) }
  }
  const inOrder = (): unknown[] => {
    const { values, keys, places } = onceOf(turns, () => ['listed', question()], slots, listed)
    const compare = (a: number, b: number): number => compareKeys(keys, a, b)
    // Places are the same for as many other values: the values themselves say which order is asked for.
    return Array.from(orderedPositions(turns, ['order', question(), values], places, compare), (at) => values[at])
  }
  return turns === null ? inOrder() : turns.once(['ordered', question()], inOrder, slots).slice()
}

/** Values that differ, with the keys that order them. */
interface Listed {
  readonly values: readonly unknown[]
  readonly keys: OrderKeys
  readonly places: Int32Array
}

function distinctWords({ turns }: Database, table: Table, column: WordColumn): string[] {
  if (column.distinct?.version !== table.version)
    column.distinct = { version: table.version, values: listWords(table, column, wordOrder(column, turns)) }
  return column.distinct.values.slice()
}

/** Of several spellings of one key, that of the first living record stands for all, so that the key shows once. */
function listWords(table: Table, { dictionary, codes }: WordColumn, order: WordOrder): string[] {
  const groupOf = new Int32Array(dictionary.codeLimit)
  /** By group, from 1: the code that is shown. */
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
    // That of null.
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
  return shown.slice(1).map((code) => dictionary.spellings[code])
}
