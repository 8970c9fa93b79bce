import type { StorageAttribute } from '../model/catalog.ts'
import { textKey } from '../value/compare.ts'
import { isDangerousName, isWellFormed, MAX_JSON_DEPTH } from '../value/json.ts'
import { isMedia, type StoredValue } from '../value/types.ts'
import { hasBit } from './bitset.ts'
import { BLOCK, type IndexBlock } from './block-index.ts'
import type { Column, WordColumn } from './column.ts'
import type { Table } from './table.ts'

export type Broken = (invariant: string) => never

/**
 * Compares the dictionary of a column with its codes: spellings, comparison keys, counts, and the
 * order of the words.
 */
export function verifyWords(
  { attribute, codes, dictionary }: WordColumn,
  slots: Int32Array,
  broken: Broken,
): void {
  const counts = new Map<number, number>()
  for (const slot of slots) counts.set(codes[slot], (counts.get(codes[slot]) ?? 0) + 1)
  let words = 0
  for (let code = 0; code < dictionary.codeLimit; code++) {
    const spelling = dictionary.spellings[code]
    if (dictionary.counts[code] !== (counts.get(code) ?? 0))
      broken(`word ${code} is counted ${dictionary.counts[code]} times`)
    counts.delete(code)
    if (code === 0 || dictionary.find(spelling) !== code) {
      // A freed code: no record may hold it.
      if (code !== 0 && dictionary.counts[code] !== 0)
        broken(`word ${code} is in use and not found`)
      continue
    }
    words++
    const key = textKey(spelling, attribute.collation)
    if (dictionary.keys[code] !== key)
      broken(`the comparison key of word ${code} is not that of its spelling`)
    if (!dictionary.codesOfKey(key).includes(code))
      broken(`word ${code} is not found by its comparison key`)
  }
  if (counts.size > 0) broken('a record holds a code that is no word')
  if (words !== dictionary.size)
    broken(`the dictionary counts ${dictionary.size} words and has ${words}`)
  if (dictionary.hasOrder) verifyOrder({ dictionary }, broken)
}

function verifyOrder({ dictionary }: Pick<WordColumn, 'dictionary'>, broken: Broken): void {
  const order = dictionary.order()
  const { keys } = dictionary
  if (order.count !== dictionary.size)
    broken(`the word order holds ${order.count} of ${dictionary.size} words`)
  let before = -1
  let seen = 0
  order.some(false, (code) => {
    seen++
    if (before >= 0) {
      if (keys[before] > keys[code]) broken(`words ${before} and ${code} are in the wrong order`)
      const isSameKey = keys[before] === keys[code]
      const isSameLabel = order.labels[before] === order.labels[code]
      if (isSameKey !== isSameLabel || order.labels[before] > order.labels[code]) {
        broken(`the order labels of words ${before} and ${code} are not in the order of the words`)
      }
    }
    before = code
    return false
  })
  if (seen !== order.count) broken(`the word order counts ${order.count} words and has ${seen}`)
}

const UUID = /^[0-9A-F]{32}$/
/** The latest time a date can hold, and the last of its days. */
const LAST_TIME = 8.64e15
const LAST_DAY = 1e8

/**
 * Verifies that a column holds only values of its type, in their stored form. Rules are not
 * verified: they may change.
 */
export function verifyValues(column: Column, slots: Int32Array, broken: Broken): void {
  const { attribute } = column
  for (const slot of slots) {
    if (column.layout === 'bool' && column.data[slot] > 2)
      broken(`record ${slot} holds neither true nor false`)
    const value = column.read(slot)
    if (value === null) continue
    if (Object.is(value, -0)) broken(`record ${slot} holds -0`)
    if (!isOfType(attribute, value)) broken(`the value of record ${slot} is no ${attribute.type}`)
    if (column.layout === 'number' && column.isIntegral && !Number.isInteger(value))
      broken(`record ${slot} has a fraction in a column without`)
  }
}

/** True for a value in the form in which an attribute stores it; null is not one. */
export function isOfType({ type, dateOnly }: StorageAttribute, value: StoredValue): boolean {
  switch (type) {
    case 'bool':
      return typeof value === 'boolean'
    case 'long':
      return typeof value === 'number' && (value | 0) === value
    case 'long64':
      return Number.isSafeInteger(value)
    case 'number':
    case 'duration':
      return Number.isFinite(value)
    case 'date':
      return (
        Number.isInteger(value) && Math.abs(value as number) <= (dateOnly ? LAST_DAY : LAST_TIME)
      )
    case 'string':
      return typeof value === 'string' && isWellFormed(value)
    case 'uuid':
      return typeof value === 'string' && UUID.test(value)
    case 'object':
      return typeof value === 'object' && isKeptJson(value, 1)
    case 'image':
    case 'blob':
      return isMedia(value)
  }
}

/** Deep-frozen JSON as `copyJson` returns it. */
function isKeptJson(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isWellFormed(value)
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0)
  if (typeof value !== 'object' || value === null)
    return value === null || typeof value === 'boolean'
  if (depth > MAX_JSON_DEPTH || !Object.isFrozen(value)) return false
  return Object.entries(value).every(
    ([name, property]) =>
      !isDangerousName(name) && isWellFormed(name) && isKeptJson(property, depth + 1),
  )
}

/**
 * Verifies that every foreign key has a target, whatever its `onDelete` rule. Takes the tables by
 * `ClassModel.ordinal`. Throws an `Error` that names the first relation without target. Call it
 * outside of transactions only. Cost O(records x relations).
 */
export function verifyRelations(tables: readonly Table[]): void {
  for (const target of tables) {
    for (const { owner, name, foreignKey, onDelete } of target.model.incoming) {
      const table = tables[owner.ordinal]
      for (let slot = 0; slot < table.length; slot++) {
        const key = hasBit(table.live, slot) ? table.read(slot, foreignKey.ordinal) : null
        if (key === null || target.findKey(key) >= 0) continue
        const place = `"${owner.name}.${name}" (onDelete: ${onDelete})`
        throw new Error(
          `Entia invariant broken in ${place}: record ${slot} leads to "${key}", which is not there.`,
        )
      }
    }
  }
}

interface Blocks {
  readonly blocks: readonly IndexBlock[]
  readonly heads: Float64Array
  readonly size: number
}

/**
 * Verifies the blocks of a sorted index: none is empty or too full, their sizes add up, and their
 * numbers are those of the column. `numberOf` returns the key of a record where keys are numbers.
 */
export function verifyBlocks(
  index: Blocks,
  numberOf: (slot: number) => number,
  broken: Broken,
): void {
  let size = 0
  for (const [at, { slots, numbers, count }] of index.blocks.entries()) {
    if (count < 1 || count > BLOCK) broken(`block ${at} of the index has ${count} entries`)
    size += count
    if (numbers === null) continue
    if (index.heads[at] !== numbers[0])
      broken(`the first number of block ${at} of the index is another one`)
    for (let i = 0; i < count; i++)
      if (numbers[i] !== numberOf(slots[i]))
        broken(`the index has record ${slots[i]} under ${numbers[i]}`)
  }
  if (size !== index.size) broken(`the blocks of the index hold ${size} entries of ${index.size}`)
}
