import type { Test } from '../filter/predicate.ts'
import { rangesOf, type TextRange, type TextRanges } from '../plan/key-range.ts'
import type { WordColumn } from '../storage/column.ts'
import { type Codes, narrowFlags, scanFlags } from './column-loops.ts'
import { compileTest } from './test-value.ts'
import type { TimeSlices } from './time-slices.ts'
import { wordsBetween } from './word-order.ts'

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

  scan(codes: Codes, from: number, to: number, out: Int32Array): number {
    if (!this.#isForFew(to - from)) return scanFlags(codes, this.#all(), from, to, out)
    let count = 0
    for (let slot = from; slot < to; slot++) if (this.has(codes[slot])) out[count++] = slot
    return count
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
