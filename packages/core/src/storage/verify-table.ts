import type { StorageAttribute } from '../model/catalog.ts'
import { sameValue, textKey } from '../value/compare.ts'
import type { StoredValue } from '../value/types.ts'
import { type AttributeIndex, numberKey, type OrderedEntries } from './attribute-index.ts'
import { countBits, hasBit } from './bitset.ts'
import { type Column, TextColumn, WordColumn } from './column.ts'
import type { HashIndex } from './hash-index.ts'
import type { PostingLists } from './posting-lists.ts'
import { MAX_TIMESTAMP } from './stored-key.ts'
import type { Table } from './table.ts'
import { runSteps } from './text-prefixes.ts'
import { type Broken, verifyBlocks, verifyValues, verifyWords } from './verify-values.ts'
import { WordIndex } from './word-index.ts'

/** Builds the index of the words of a column again and compares. Cost: O(words of all texts). */
function verifyWordIndex(
  index: WordIndex,
  column: Column,
  slots: Int32Array,
  broken: Broken,
): void {
  const fresh = new WordIndex(column.attribute.collation)
  runSteps(fresh.buildSteps(slots, (slot) => column.read(slot)))
  if (index.collation !== fresh.collation) broken('the words have another collation')
  if (index.total !== fresh.total)
    broken(`the index counts ${index.total} words, not ${fresh.total}`)
  for (let slot = 0; slot < Math.max(index.lengths.length, fresh.lengths.length); slot++) {
    if ((index.lengths[slot] ?? 0) !== (fresh.lengths[slot] ?? 0))
      broken(`the number of words of record ${slot} is wrong`)
  }
  for (const code of index.dictionary.codes()) {
    const word = index.dictionary.spellings[code]
    if (index.codeOf(word) > 0 && fresh.codeOf(word) === 0)
      broken(`no record contains the word "${word}"`)
  }
  for (const code of fresh.dictionary.codes()) {
    const word = fresh.dictionary.spellings[code]
    const own = index.codeOf(word)
    if (own === 0) broken(`the word "${word}" is missing`)
    if (index.dictionary.counts[own] !== fresh.dictionary.counts[code])
      broken(`the records of the word "${word}" are counted wrongly`)
    for (const lists of ['postings', 'repeats'] as const) {
      const found = listOf(index, lists, own)
      const expected = listOf(fresh, lists, code)
      if (found.length !== expected.length || expected.some((slot, at) => found[at] !== slot))
        broken(`the word "${word}" has other ${lists}`)
    }
  }
}

function listOf(index: WordIndex, name: 'postings' | 'repeats', code: number): Int32Array {
  const lists = index[name]
  const start = lists.start(code)
  return lists.data.subarray(start, start + lists.length(code))
}

/**
 * Rebuilds everything that is derived from the columns of a table and compares. Throws an `Error`
 * naming dataclass, attribute and the first broken invariant. `isReplica`: keys are those of the
 * sequence of another store. Cost O(data log data).
 */
export function verifyTable(table: Table, isReplica = false): void {
  const slots = verifySlots(table)
  verifyKeys(table, slots)
  if (!isReplica) verifySequence(table, slots)
  for (const attribute of table.model.storage) verifyAttribute(table, attribute, slots)
}

/** Live bits, counts, free slots, stamps. Returns the living record numbers. */
function verifySlots(table: Table): Int32Array {
  const broken = brokenIn(table, null)
  const slots = table.liveSlots()
  if (countBits(table.live) !== table.liveCount)
    broken('the count of entities is not that of the live bits')
  for (let slot = table.length; slot < table.live.length * 32; slot++) {
    if (hasBit(table.live, slot))
      broken(`record ${slot} lives beyond the last record number ${table.length - 1}`)
  }
  if (table.length > 0 && !hasBit(table.live, table.length - 1))
    broken('the last record number is free')
  if (table.length > table.capacity) broken('there are more records than room')
  let free = 0
  while (free < table.length && hasBit(table.live, free)) free++
  if (table.isWhole && table.nextSlots(1)[0] !== free)
    broken(`the lowest free record number is ${free}, not ${table.nextSlots(1)[0]}`)
  const births = new Set<number>()
  for (const slot of slots) {
    if (table.stamps[slot] < 1) broken(`record ${slot} has no stamp`)
    const timestamp = table.timestamps[slot]
    if (!Number.isInteger(timestamp) || Math.abs(timestamp) > MAX_TIMESTAMP)
      broken(`record ${slot} has no timestamp`)
    const birth = table.births[slot]
    if (!(birth > 0)) broken(`record ${slot} has no birth number`)
    if (!table.occupancy.wasThere(slot, birth, Number.POSITIVE_INFINITY))
      broken(`record ${slot} is not the last that stood in its place`)
    births.add(birth)
  }
  for (let slot = 0; slot < table.capacity; slot++)
    if (!hasBit(table.live, slot) && table.stamps[slot] !== 0)
      broken(`the free record ${slot} has a stamp`)
  if (table.timestampHalves.buffer !== table.timestamps.buffer)
    broken('the halves of timestamps are of other ones')
  const { characters = 0, maxCharacters = 0 } = table.rowCache ?? {}
  if (characters < 0 || characters > maxCharacters)
    broken(`${characters} characters of texts are kept`)
  if (births.size !== slots.length) broken('two records have one birth number')
  return slots
}

function verifyKeys(table: Table, slots: Int32Array): void {
  const { key } = table.model
  const broken = brokenIn(table, key)
  if (table.keys.size !== slots.length)
    broken(`the key hash holds ${table.keys.size} keys of ${slots.length} records`)
  for (const slot of slots) {
    const value = table.read(slot, key.ordinal)
    if (value === null) broken(`record ${slot} has no key`)
    if (table.findKey(value) !== slot)
      broken(`the key of record ${slot} leads to record ${table.findKey(value)}`)
  }
  verifyHash(table.keys, slots.length, broken)
}

function verifySequence(table: Table, slots: Int32Array): void {
  const { key } = table.model
  const broken = brokenIn(table, key)
  if (!key.autoSequence || key.type === 'uuid') return
  for (const slot of slots) {
    if ((table.read(slot, key.ordinal) as number) >= table.sequence)
      broken(`the sequence is not above the key of record ${slot}`)
  }
}

function verifyAttribute(table: Table, attribute: StorageAttribute, slots: Int32Array): void {
  const broken = brokenIn(table, attribute)
  const column = table.columns[attribute.ordinal]
  for (let slot = 0; slot < table.capacity; slot++) {
    if (!hasBit(table.live, slot) && column.read(slot) !== null)
      broken(`the free record ${slot} holds a value`)
  }
  verifyValues(column, slots, broken)
  if (column instanceof TextColumn) verifyText(column, slots, broken)
  if (column instanceof WordColumn) verifyWords(column, slots, broken)
  if (column instanceof WordColumn) verifyDistinct(table, column, slots, broken)
  const index = table.indexes[attribute.ordinal]
  if (attribute.relation !== null && index?.postings == null)
    broken('a foreign key has no posting lists')
  if (attribute.unique && !attribute.key && index?.unique == null)
    broken('a unique attribute has no hash')
  if (attribute.words && table.indexFactory !== null && index?.words == null)
    broken('an attribute with words has no index of them')
  if (index === null) return
  if (index.column !== column) broken('the index is over another column')
  if (index.ordered !== null) verifyOrdered(index, column, slots, broken)
  if (index.postings !== null) verifyPostings(index, column, slots, broken)
  if (index.unique !== null) verifyUnique(index, column, slots, broken)
  if (index.words !== null) verifyWordIndex(index.words, column, slots, broken)
}

function verifyDistinct(
  table: Table,
  { distinct, codes, dictionary }: WordColumn,
  slots: Int32Array,
  broken: Broken,
) {
  const { changed, sharesKeys } = dictionary
  if (distinct === null || changed === null || (sharesKeys && distinct.version !== table.version))
    return
  if (changed.length > 0) {
    const listed = new Set(distinct.codes)
    for (let code = 1; code < dictionary.codeLimit; code++)
      if (
        !sharesKeys &&
        listed.has(code) !== dictionary.counts[code] > 0 &&
        !changed.includes(code)
      )
        broken(`word ${code} came or went, and is not noted`)
    return
  }
  // Code 0 is null.
  const inUse = slots.filter((slot) => codes[slot] !== 0)
  const keys = new Set(Array.from(inUse, (slot) => dictionary.keys[codes[slot]]))
  const kept = new Set(distinct.values.map((value) => textKey(value, dictionary.collation)))
  if (
    kept.size !== distinct.values.length ||
    kept.size !== keys.size ||
    [...kept].some((key) => !keys.has(key))
  )
    broken('the distinct values that are kept are not those of the records')
}

function verifyText(column: TextColumn, slots: Int32Array, broken: Broken): void {
  for (const slot of slots) {
    const text = column.spellings[slot] ?? null
    const key = text === null ? null : textKey(text, column.attribute.collation)
    if ((column.keys[slot] ?? null) !== key)
      broken(`the comparison key of record ${slot} is not that of its text`)
  }
}

function verifyOrdered(
  index: AttributeIndex,
  column: Column,
  slots: Int32Array,
  broken: Broken,
): void {
  const ordered = index.ordered as OrderedEntries
  if (ordered.size !== slots.length)
    broken(`the index holds ${ordered.size} entries of ${slots.length} records`)
  const fresh = Array.from(slots).sort((a, b) => compareStored(column, a, b))
  const found = new Int32Array(ordered.size)
  ordered.slotsBetween(0, ordered.size, found)
  const at = fresh.findIndex((slot, rank) => found[rank] !== slot)
  if (at >= 0) broken(`entry ${at} of the index is record ${found[at]}, not ${fresh[at]}`)
  for (let rank = 0; rank < fresh.length; rank += 97) {
    if (ordered.slotAt(rank) !== fresh[rank])
      broken(`the counts of the index blocks are wrong before entry ${rank}`)
  }
  verifyBlocks(ordered, (slot) => numberKey(column, slot), broken)
}

/** The order of an index without dictionary: nulls first, then values, then record numbers. */
function compareStored(column: Column, a: number, b: number): number {
  const left = comparable(column, a)
  const right = comparable(column, b)
  if (left === right) return a - b
  if (left === null || right === null) return left === null ? -1 : 1
  return left < right ? -1 : 1
}

function comparable(column: Column, slot: number): string | number | null {
  const value = column.read(slot)
  if (typeof value === 'string') return textKey(value, column.attribute.collation)
  return value === null ? null : Number(value)
}

function verifyPostings(
  index: AttributeIndex,
  column: Column,
  slots: Int32Array,
  broken: Broken,
): void {
  const postings = index.postings as PostingLists
  const fresh = new Map<number, number[]>()
  const valueOfList = new Map<number, StoredValue>()
  for (const slot of slots) {
    const value = column.read(slot)
    const list = value === null ? 0 : index.listOfValue(value as string | number)
    if (list === 0 && value !== null) broken(`the value of record ${slot} has no posting list`)
    if (valueOfList.has(list) && !sameValue(valueOfList.get(list) as StoredValue, value))
      broken(`posting list ${list} is of two values`)
    valueOfList.set(list, value)
    const members = fresh.get(list)
    if (members === undefined) fresh.set(list, [slot])
    else members.push(slot)
  }
  for (let list = 0; list < postings.listLimit; list++) {
    const members = fresh.get(list) ?? []
    if (postings.length(list) !== members.length)
      broken(`posting list ${list} is not as long as its value is frequent`)
    const start = postings.start(list)
    if (members.some((slot, at) => postings.data[start + at] !== slot))
      broken(`posting list ${list} holds other records`)
  }
  if (index.lists === null) return
  const numbers = new Set<number>()
  for (const [, number] of index.lists.entries()) {
    if (numbers.has(number)) broken('two values share a posting list')
    numbers.add(number)
  }
}

function verifyUnique(
  index: AttributeIndex,
  column: Column,
  slots: Int32Array,
  broken: Broken,
): void {
  const unique = index.unique as HashIndex
  let given = 0
  for (const slot of slots) {
    const value = column.read(slot)
    if (value === null) continue
    given++
    if (unique.find(index.uniqueKey(value)) !== slot)
      broken(`the unique value of record ${slot} does not lead to it`)
  }
  if (unique.size !== given) broken(`the unique hash holds ${unique.size} values of ${given}`)
  verifyHash(unique, given, broken)
}

function verifyHash(hash: HashIndex, size: number, broken: Broken): void {
  let entries = 0
  for (const [value, slot] of hash.entries()) {
    entries++
    if (hash.find(value) !== slot) broken('a hash entry is not found by its value')
  }
  if (entries !== size) broken(`the hash counts ${size} entries and has ${entries}`)
}

function brokenIn(table: Table, attribute: StorageAttribute | null): Broken {
  const place =
    attribute === null
      ? `dataclass "${table.model.name}"`
      : `"${table.model.name}.${attribute.name}"`
  return (invariant) => {
    throw new Error(`Entia invariant broken in ${place}: ${invariant}.`)
  }
}
