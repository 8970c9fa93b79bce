import type { Test } from '../filter/predicate.ts'
import { rangesOf, type TextRange, type TextRanges } from '../plan/key-range.ts'
import { setBit } from '../storage/bitset.ts'
import type { WordColumn } from '../storage/column.ts'
import { wordsBetween } from './steps.ts'
import { compileTest } from './test-value.ts'
import type { TimeSlices } from './time-slices.ts'

// The loops over one column.
// - Each takes the values that it compares with as arguments, which stay in registers. A closure
//   would load them for every record.
// - Loops over ranges and flags do not branch on the result: a mispredicted branch costs more than
//   the operations that it saves.
// - `mark` sets bit `slot - from` of `words` for each matching record of [from, to). Loops over
//   ranges and flags make a whole word of 32 records, four records at a time: a quarter of the time
//   of writing record numbers and then their bits.
// - `narrow` keeps the matching ones of the first `count` in `slots`, in place, and returns their
//   number.
// - The loops over integers and over doubles are equal. They are written twice so that each is
//   specialised for one kind of vector.
// Cost: O(records tested).

export type Codes = Uint8Array | Uint16Array | Uint32Array

export function markInts(
  data: Int32Array,
  low: number,
  high: number,
  from: number,
  to: number,
  words: Int32Array,
): void {
  let slot = from
  for (const end = to - 31; slot < end; slot += 32) {
    let word = 0
    for (let bit = 0; bit < 32; bit += 4) {
      const a = data[slot + bit]
      const b = data[slot + bit + 1]
      const c = data[slot + bit + 2]
      const d = data[slot + bit + 3]
      const ab = (+(a >= low) & +(a <= high)) | ((+(b >= low) & +(b <= high)) << 1)
      const cd = (+(c >= low) & +(c <= high)) | ((+(d >= low) & +(d <= high)) << 1)
      word |= (ab | (cd << 2)) << bit
    }
    words[(slot - from) >>> 5] |= word
  }
  for (; slot < to; slot++) if (data[slot] >= low && data[slot] <= high) setBit(words, slot - from)
}

export function narrowInts(
  data: Int32Array,
  low: number,
  high: number,
  slots: Int32Array,
  count: number,
): number {
  let kept = 0
  for (let i = 0; i < count; i++) {
    const slot = slots[i]
    const value = data[slot]
    slots[kept] = slot
    kept += +(value >= low) & +(value <= high)
  }
  return kept
}

export function markDoubles(
  data: Float64Array,
  low: number,
  high: number,
  from: number,
  to: number,
  words: Int32Array,
): void {
  let slot = from
  for (const end = to - 31; slot < end; slot += 32) {
    let word = 0
    for (let bit = 0; bit < 32; bit += 4) {
      const a = data[slot + bit]
      const b = data[slot + bit + 1]
      const c = data[slot + bit + 2]
      const d = data[slot + bit + 3]
      const ab = (+(a >= low) & +(a <= high)) | ((+(b >= low) & +(b <= high)) << 1)
      const cd = (+(c >= low) & +(c <= high)) | ((+(d >= low) & +(d <= high)) << 1)
      word |= (ab | (cd << 2)) << bit
    }
    words[(slot - from) >>> 5] |= word
  }
  for (; slot < to; slot++) if (data[slot] >= low && data[slot] <= high) setBit(words, slot - from)
}

export function narrowDoubles(
  data: Float64Array,
  low: number,
  high: number,
  slots: Int32Array,
  count: number,
): number {
  let kept = 0
  for (let i = 0; i < count; i++) {
    const slot = slots[i]
    const value = data[slot]
    slots[kept] = slot
    kept += +(value >= low) & +(value <= high)
  }
  return kept
}

/** Every flag is 0 or 1. */
export function markFlags(
  data: Codes,
  flags: Uint8Array,
  from: number,
  to: number,
  words: Int32Array,
): void {
  let slot = from
  for (const end = to - 31; slot < end; slot += 32) {
    let word = 0
    for (let bit = 0; bit < 32; bit += 4) {
      const at = slot + bit
      const ab = flags[data[at]] | (flags[data[at + 1]] << 1)
      const cd = flags[data[at + 2]] | (flags[data[at + 3]] << 1)
      word |= (ab | (cd << 2)) << bit
    }
    words[(slot - from) >>> 5] |= word
  }
  for (; slot < to; slot++) if (flags[data[slot]] === 1) setBit(words, slot - from)
}

export function narrowFlags(
  data: Codes,
  flags: Uint8Array,
  slots: Int32Array,
  count: number,
): number {
  let kept = 0
  for (let i = 0; i < count; i++) {
    const slot = slots[i]
    const value = flags[data[slot]]
    slots[kept] = slot
    kept += value
  }
  return kept
}

export function markEqual(
  data: Codes | Int32Array,
  wanted: number,
  from: number,
  to: number,
  words: Int32Array,
): void {
  for (let slot = from; slot < to; slot++) if (data[slot] === wanted) setBit(words, slot - from)
}

export function narrowEqual(
  data: Codes | Int32Array,
  wanted: number,
  slots: Int32Array,
  count: number,
): number {
  let kept = 0
  for (let i = 0; i < count; i++) if (data[slots[i]] === wanted) slots[kept++] = slots[i]
  return kept
}

/** `markEqual` for codes of words. */
export function markCodes(
  codes: Codes,
  code: number,
  from: number,
  to: number,
  words: Int32Array,
): void {
  if (codes instanceof Uint16Array) markShortCodes(codes, code, from, to, words)
  else markEqual(codes, code, from, to, words)
}

/**
 * Codes of 16 bits, eight records per iteration: read as four words of two codes each. With the
 * code taken off, a word `x` has a half that is zero exactly where `(x - 0x00010001) & ~x &
 * 0x80008000` is not zero.
 */
function markShortCodes(
  codes: Uint16Array,
  code: number,
  from: number,
  to: number,
  words: Int32Array,
): void {
  const pairs = new Int32Array(codes.buffer, codes.byteOffset, codes.length >>> 1)
  const both = code | (code << 16)
  let slot = from
  for (const start = Math.min(to, (from + 7) & ~7); slot < start; slot++)
    if (codes[slot] === code) setBit(words, slot - from)
  for (const end = to - 7; slot < end; slot += 8) {
    const at = slot >>> 1
    const a = pairs[at] ^ both
    const b = pairs[at + 1] ^ both
    const c = pairs[at + 2] ^ both
    const d = pairs[at + 3] ^ both
    const first = (((a - 0x00010001) & ~a) | ((b - 0x00010001) & ~b)) & 0x80008000
    const second = (((c - 0x00010001) & ~c) | ((d - 0x00010001) & ~d)) & 0x80008000
    if ((first | second) === 0) continue
    const last = second === 0 ? slot + 4 : slot + 8
    for (let near = first === 0 ? slot + 4 : slot; near < last; near++)
      if (codes[near] === code) setBit(words, near - from)
  }
  for (; slot < to; slot++) if (codes[slot] === code) setBit(words, slot - from)
}

const NO = 0
const YES = 1
const UNKNOWN = 2

/**
 * The words of a column that satisfy a test. Each word is tested at most once: all words before a
 * loop over many records, which then compares flags only; or one by one as they occur in few
 * records. A sliced read keeps what is known: a time slice may end with any word. Holds as long as
 * no record changes.
 */
export class WordFlags {
  readonly #column: WordColumn
  readonly #test: Test
  readonly #slices: TimeSlices | null
  readonly #onValue: (key: string, spelling: string) => boolean
  /** By code; null before the first use. */
  #flags: Uint8Array | null = null
  #isComplete = false
  /** What `#flags` becomes when all are known; a time slice may have ended before that. */
  #filling: Uint8Array | null = null
  /** The next word, value or range that it is filled from. */
  #next = 0

  constructor(column: WordColumn, test: Test, slices: TimeSlices | null) {
    this.#column = column
    this.#test = test
    this.#slices = slices
    this.#onValue = compileTest(test, slices).onValue
  }

  has(code: number): boolean {
    const flags = this.#flags ?? this.#begin()
    const flag = flags[code]
    return flag === UNKNOWN ? this.#find(flags, code) : flag === YES
  }

  mark(codes: Codes, from: number, to: number, words: Int32Array): void {
    if (!this.#isForFew(to - from)) markFlags(codes, this.#all(), from, to, words)
    else
      for (let slot = from; slot < to; slot++) if (this.has(codes[slot])) setBit(words, slot - from)
  }

  narrow(codes: Codes, slots: Int32Array, count: number): number {
    if (!this.#isForFew(count)) return narrowFlags(codes, this.#all(), slots, count)
    let kept = 0
    for (let i = 0; i < count; i++) {
      const slot = slots[i]
      if (this.has(codes[slot])) slots[kept++] = slot
    }
    return kept
  }

  /** True if testing words as they occur tests fewer of them. */
  #isForFew(records: number): boolean {
    return !this.#isComplete && records * 2 < this.#column.dictionary.codeLimit
  }

  #begin(): Uint8Array {
    const flags = new Uint8Array(this.#column.dictionary.codeLimit).fill(UNKNOWN)
    flags[0] = NO
    this.#flags = flags
    return flags
  }

  #find(flags: Uint8Array, code: number): boolean {
    const { keys, spellings } = this.#column.dictionary
    const isFound = this.#onValue(keys[code], spellings[code])
    flags[code] = isFound ? YES : NO
    this.#slices?.spend(1, 1)
    return isFound
  }

  #all(): Uint8Array {
    if (this.#isComplete && this.#flags !== null) return this.#flags
    this.#filling ??= new Uint8Array(this.#column.dictionary.codeLimit)
    this.#fill(this.#filling)
    this.#flags = this.#filling
    this.#isComplete = true
    return this.#flags
  }

  /** Continues where the time slice before ended. */
  #fill(filling: Uint8Array): void {
    const { dictionary, attribute } = this.#column
    const test = this.#test
    if (test.op === 'equal')
      this.#fillFrom(filling, [test.value], (key) => dictionary.codesOfKey(key as string))
    else if (test.op === 'in' && test.wildcards.length === 0)
      this.#fillFrom(filling, test.values, (key) => dictionary.codesOfKey(key as string))
    else if (test.op === 'exact' && test.patterns.length === 0)
      this.#fillFrom(filling, test.keys, (key) => this.#passing(dictionary.codesOfKey(key)))
    else {
      const ranges = dictionary.hasOrder ? rangesOf(attribute, test) : null
      // A time slice may end with any word that is tested, which the next one finds by its code.
      if (ranges === null || ranges.nulls || !(ranges.isExact || this.#slices === null))
        this.#fillByWord(filling)
      else
        this.#fillFrom(filling, (ranges as TextRanges).ranges, (range) =>
          this.#wordsWithin(range, ranges.isExact),
        )
    }
  }

  /** The words of a range that satisfy the test. */
  #wordsWithin({ low, high }: TextRange, isExact: boolean): readonly number[] {
    const codes = wordsBetween(this.#column, low, high)
    return isExact ? codes : this.#passing(codes)
  }

  #passing(codes: readonly number[]): readonly number[] {
    const { keys, spellings } = this.#column.dictionary
    return codes.filter((code) => this.#onValue(keys[code], spellings[code]))
  }

  #fillFrom<S>(
    filling: Uint8Array,
    sources: readonly S[],
    codesOf: (source: S) => readonly number[],
  ): void {
    while (this.#next < sources.length) {
      const codes = codesOf(sources[this.#next++])
      for (let i = 0; i < codes.length; i++) filling[codes[i]] = YES
      this.#slices?.spend(0, 4 + (codes.length >> 6))
    }
  }

  #fillByWord(filling: Uint8Array): void {
    const { keys, spellings, counts } = this.#column.dictionary
    const flags = this.#flags
    const slices = this.#slices
    const onValue = this.#onValue
    if (flags === null && slices === null) {
      for (let code = 1; code < filling.length; code++)
        if (counts[code] > 0 && onValue(keys[code], spellings[code])) filling[code] = YES
      return
    }
    for (let code = Math.max(1, this.#next); code < filling.length; code++) {
      if (counts[code] === 0) continue
      const known = flags === null ? UNKNOWN : flags[code]
      if (known !== UNKNOWN) filling[code] = known
      else if (onValue(keys[code], spellings[code])) filling[code] = YES
      if (slices === null) continue
      this.#next = code + 1
      if (known === UNKNOWN) slices.spend(1, 1)
    }
  }
}
