import { foldText } from '../value/compare.ts'
import { wordsOf } from '../value/pattern-list.ts'
import type { Collation, StoredValue } from '../value/types.ts'
import { Dictionary } from './dictionary.ts'
import { PostingLists } from './posting-lists.ts'
import { type BuildSteps, STEP_ENTRIES } from './text-prefixes.ts'
import { lengthened } from './vector.ts'

/**
 * The words of one text column: for each word the records that contain it, exact at all times.
 * Words are those of `wordsOf` under the collation of the attribute, so that the index and a scan
 * agree. It reads no column: a writer passes the texts.
 */
export class WordIndex {
  readonly collation: Collation
  /** Code per word; `counts` has the number of records that contain it. */
  dictionary: Dictionary
  /** The records of each word, each once. */
  readonly postings = new PostingLists()
  /** A record again for each further occurrence of a word in it, which few words have. */
  readonly repeats = new PostingLists()
  /** The number of words of each record. */
  lengths: Int32Array = new Int32Array(0)
  /** The number of words of all records. */
  total = 0

  constructor(collation: Collation) {
    this.collation = collation
    this.dictionary = new Dictionary('exact')
  }

  /** Memory, about. Cost: O(1). */
  get bytes(): number {
    const { words, order } = this.dictionary.bytes
    return words + order + this.postings.bytes + this.repeats.bytes + this.lengths.byteLength
  }

  /** The code of a word that some record contains; 0 for none. */
  codeOf(word: string): number {
    const code = this.dictionary.find(word)
    return code > 0 && this.dictionary.counts[code] > 0 ? code : 0
  }

  /** The records of a word, ascending. A view that is valid until the next write. */
  recordsOf(code: number): Int32Array {
    const start = this.postings.start(code)
    return this.postings.data.subarray(start, start + this.postings.length(code))
  }

  /**
   * Codes of the words that begin with a prefix and that some record contains. The first call sorts
   * the words; cost of others: O(log words + answer).
   */
  codesBetween(low: string, high: string | null): number[] {
    const { counts } = this.dictionary
    const order = this.dictionary.order()
    const end = high === null ? Number.POSITIVE_INFINITY : order.labelAtOrAfter(high)
    return order.codesBetween(order.labelAtOrAfter(low), end).filter((code) => counts[code] > 0)
  }

  /** Prepares to add a text: codes of new words, room for a record in each list. */
  admit(value: StoredValue): void {
    if (typeof value !== 'string') return
    const codes = this.#codesOf(value)
    for (let i = 0; i < codes.length; i++)
      if (i > 0 && codes[i] === codes[i - 1]) this.repeats.reserve(codes[i])
      else this.postings.reserve(codes[i])
  }

  /**
   * Exchanges the text of a record; null is no text. Words in both texts keep their entries. Cost:
   * O(words), and O(log records) and a move of entries for each word that comes or goes.
   */
  replace(slot: number, before: StoredValue, after: StoredValue): void {
    if (before === after) return
    const old = typeof before === 'string' ? this.#codesOf(before) : NO_CODES
    const now = typeof after === 'string' ? this.#codesOf(after) : NO_CODES
    for (let i = 0, j = 0; i < old.length || j < now.length; ) {
      const code = j === now.length || (i < old.length && old[i] <= now[j]) ? old[i] : now[j]
      let had = 0
      let has = 0
      for (; i < old.length && old[i] === code; i++) had++
      for (; j < now.length && now[j] === code; j++) has++
      this.#change(slot, code, had, has)
    }
    if (slot >= this.lengths.length)
      this.lengths = lengthened(this.lengths, Math.max(64, slot + 1 + ((slot + 1) >> 2)))
    this.lengths[slot] = now.length
    this.total += now.length - old.length
  }

  /** Rebuilds everything from the texts of records, ascending. Cost: O(words of all texts). */
  *buildSteps(slots: Int32Array, textAt: (slot: number) => StoredValue): BuildSteps {
    this.dictionary = new Dictionary('exact')
    this.lengths = new Int32Array(slots.length === 0 ? 0 : slots[slots.length - 1] + 1)
    this.total = 0
    const entries = new Pairs()
    const repeats = new Pairs()
    let seen = new Int32Array(1024).fill(-1)
    let yielded = 0
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i]
      const text = textAt(slot)
      if (typeof text !== 'string') continue
      if (this.total - yielded > STEP_ENTRIES) {
        yielded = this.total
        yield
      }
      const words = splitWords(text, this.collation)
      this.lengths[slot] = words.length
      this.total += words.length
      for (const word of words) {
        const code = this.#admitWord(word)
        if (code >= seen.length) {
          const { length } = seen
          seen = lengthened(seen, code * 2).fill(-1, length)
        }
        if (seen[code] === slot) repeats.add(code, slot)
        else {
          seen[code] = slot
          entries.add(code, slot)
          this.dictionary.hold(code)
        }
      }
    }
    entries.fill(this.postings, this.dictionary.codeLimit)
    repeats.fill(this.repeats, this.dictionary.codeLimit)
  }

  /** Forgets words that no record contains. Call it between transactions only. Amortised. */
  tidy(): void {
    if (this.dictionary.isSweepDue) this.dictionary.sweep()
  }

  #change(slot: number, code: number, had: number, has: number): void {
    if (had === 0) {
      this.postings.insert(code, slot)
      this.dictionary.hold(code)
    } else if (has === 0) {
      this.postings.remove(code, slot)
      this.dictionary.release(code)
    }
    for (let times = Math.max(had, 1); times < has; times++) this.repeats.insert(code, slot)
    for (let times = Math.max(has, 1); times < had; times++) this.repeats.remove(code, slot)
  }

  /** The codes of the words of a text, ascending, a repeated word repeatedly. */
  #codesOf(text: string): Int32Array {
    const words = splitWords(text, this.collation)
    const codes = new Int32Array(words.length)
    for (let i = 0; i < codes.length; i++) codes[i] = this.#admitWord(words[i])
    return codes.sort()
  }

  #admitWord(word: string): number {
    const known = this.dictionary.find(word)
    return known > 0 ? known : this.dictionary.admit(ownCopy(word))
  }
}

/** `wordsOf`, faster for ASCII. */
function splitWords(text: string, collation: Collation): string[] {
  const words: string[] = []
  let start = -1
  const folded = collation === 'folded' ? foldText(text) : text
  for (let i = 0; i < folded.length; i++) {
    const unit = folded.charCodeAt(i)
    if (unit > 127) return wordsOf(text, collation)
    if (isOfWord(unit)) {
      if (start < 0) start = i
    } else if (start >= 0) {
      words.push(folded.slice(start, i))
      start = -1
    }
  }
  if (start >= 0) words.push(folded.slice(start))
  return words
}

/** True for a letter or digit of ASCII. */
const isOfWord = (unit: number): boolean =>
  (unit > 96 && unit < 123) || (unit > 47 && unit < 58) || (unit > 64 && unit < 91)

const NO_CODES = new Int32Array(0)

/** Shorter parts of a text are copies already. */
const MIN_SLICED_LENGTH = 13

/** A word that does not keep the text alive that it was cut from. */
function ownCopy(word: string): string {
  if (word.length < MIN_SLICED_LENGTH) return word
  let copy = ''
  for (let from = 0; from < word.length; from += MIN_SLICED_LENGTH - 1)
    copy += word.slice(from, from + MIN_SLICED_LENGTH - 1)
  return copy
}

/** List numbers with records, in the order of the records. */
class Pairs {
  lists: Int32Array = new Int32Array(1024)
  slots: Int32Array = new Int32Array(1024)
  count = 0

  add(list: number, slot: number): void {
    if (this.count === this.lists.length) {
      this.lists = lengthened(this.lists, this.count * 2)
      this.slots = lengthened(this.slots, this.count * 2)
    }
    this.lists[this.count] = list
    this.slots[this.count++] = slot
  }

  /** Replaces all lists by these. Counting sort: O(entries + lists). */
  fill(postings: PostingLists, lists: number): void {
    const length = new Int32Array(lists)
    for (let i = 0; i < this.count; i++) length[this.lists[i]]++
    const cursor = postings.layOut(length)
    const { data } = postings
    for (let i = 0; i < this.count; i++) data[cursor[this.lists[i]]++] = this.slots[i]
  }
}
