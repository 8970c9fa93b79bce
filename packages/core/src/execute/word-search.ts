import { prefixRange } from '../plan/key-range.ts'
import { IndexAccess, type WordSearch } from '../plan/physical-plan.ts'
import { bitsInto, countBits, setBit, wordsFor } from '../storage/bitset.ts'
import { placeFrom } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { WordIndex } from '../storage/word-index.ts'
import { textKey } from '../value/compare.ts'
import { orderOf, Steps } from './steps.ts'
import { onceOf, type TimeSlices } from './time-slices.ts'

/**
 * The records that contain all words of a search, as an index access. One word is a view of its
 * posting list, O(1). Others cost O(records of the rarest word * log records of the others), or a
 * pass over the lists; a prefix costs O(entries of its words).
 */
export function wordAccess(
  table: Table,
  index: WordIndex,
  search: WordSearch,
  slices: TimeSlices | null,
): IndexAccess {
  const slots = recordsWith(table, index, search, slices)
  return new IndexAccess('words', 'slots', table.version, slots.length, 0, 0, slots)
}

/** One word of a search, or all words with a prefix. */
export interface SearchTerm {
  readonly codes: readonly number[]
  /** The records of each code, added up: at least as many as contain one of them. */
  readonly entries: number
}

/** The words of the index that the words of a search stand for. */
export const termsOf = (
  index: WordIndex,
  { words }: WordSearch,
  slices: TimeSlices | null,
): readonly SearchTerm[] => {
  if (words.some(({ isPrefix }) => isPrefix)) orderOf(index.dictionary, index, slices)
  const find = (): readonly SearchTerm[] =>
    words.map(({ key, isPrefix }) => {
      const codes = isPrefix ? codesWithPrefix(index, key) : codesOfWord(index, key)
      let entries = 0
      for (const code of codes) entries += index.postings.length(code)
      return { codes, entries }
    })
  return onceOf(slices, ['terms', index, words], find)
}

function codesWithPrefix(index: WordIndex, prefix: string): number[] {
  // The dictionary takes a word as a text, and orders words by the keys of these texts.
  const { low, high } = prefixRange(textKey(prefix, 'exact'))
  return index.codesBetween(low, high)
}

function codesOfWord(index: WordIndex, word: string): number[] {
  const code = index.codeOf(word)
  return code === 0 ? [] : [code]
}

const NO_RECORDS = new Int32Array(0)

function recordsWith(
  table: Table,
  index: WordIndex,
  search: WordSearch,
  slices: TimeSlices | null,
): Int32Array {
  const terms = [...termsOf(index, search, slices)].sort((a, b) => a.entries - b.entries)
  if (terms.some(({ entries }) => entries === 0)) return NO_RECORDS
  let found: Int32Array | null = null
  const steps = Steps.in(slices, () => ['words', index, search])
  for (const term of terms) {
    const next = recordsOfTerm(steps, table, index, term)
    found = found === null ? next : both(steps, found, next)
    if (found.length === 0) break
  }
  return found ?? NO_RECORDS
}

/** Fewer entries are sorted; more are marked in a bitmap of all records. */
const MAX_SORTED = 256

function recordsOfTerm(
  steps: Steps,
  table: Table,
  index: WordIndex,
  { codes, entries }: SearchTerm,
): Int32Array {
  if (codes.length === 1) return index.recordsOf(codes[0])
  if (entries > MAX_SORTED) return marked(steps, table.length, index, codes)
  const all = new Int32Array(entries)
  let at = 0
  for (const code of codes) at = index.postings.copyInto(code, all, at)
  all.sort()
  let count = 0
  for (let i = 0; i < at; i++) if (count === 0 || all[count - 1] !== all[i]) all[count++] = all[i]
  return all.subarray(0, count)
}

function marked(
  steps: Steps,
  length: number,
  index: WordIndex,
  codes: readonly number[],
): Int32Array {
  const { postings } = index
  const none = (): Int32Array => new Int32Array(wordsFor(length))
  const bits = steps.loop(codes.length, none, (all, from, to) => {
    for (let i = from; i < to; i++) {
      const start = postings.start(codes[i])
      const end = start + postings.length(codes[i])
      for (let at = start; at < end; at++) setBit(all, postings.data[at])
    }
  })
  return steps.once(() => {
    const slots = new Int32Array(countBits(bits))
    bitsInto(bits, slots)
    return slots
  })
}

/** A list so many times as long is searched for each record instead of read. */
const SEARCHED_ABOVE = 16

/** The records in both lists; `few` is not longer by much. Both are ascending. */
function both(steps: Steps, few: Int32Array, many: Int32Array): Int32Array {
  const isSearched = many.length > few.length * SEARCHED_ABOVE
  const start = () => ({
    slots: new Int32Array(Math.min(few.length, many.length)),
    count: 0,
    at: 0,
  })
  const { slots, count } = steps.loop(few.length, start, (out, from, to) => {
    for (let i = from; i < to; i++) {
      const slot = few[i]
      if (isSearched) out.at = placeFrom(many, slot, out.at)
      else while (many[out.at] < slot) out.at++
      if (out.at === many.length) return
      if (many[out.at] === slot) out.slots[out.count++] = slot
    }
  })
  return slots.subarray(0, count)
}
