import { textKey } from '../value/compare.ts'
import type { Collation } from '../value/types.ts'
import { BYTES_PER_MAP_ENTRY, BYTES_PER_REFERENCE, BYTES_PER_TEXT } from '../value/value-size.ts'
import { lengthened } from './vector.ts'
import { WordOrder } from './word-order.ts'

/** Characters that may be added, beyond doubling since the last sweep, before the next sweep. */
const SPARE_CHARACTERS = 1 << 20
/** Words whose keys are compared with their spellings, to estimate memory. */
const MAX_COMPARED = 1000
/** Words added and removed that `changed` lists. Beyond it, building the list again is cheaper. */
const MAX_CHANGED = 64

/**
 * The words of one text column: a code per spelling, its comparison key computed once, the number
 * of living records that hold it, and (once order is asked for) its order label. Code 0 stands for
 * null and is no word.
 */
export class Dictionary {
  readonly collation: Collation
  /** By code. */
  readonly spellings: string[] = ['']
  /** Comparison key by code. */
  readonly keys: string[] = ['']
  /** Living records by code; `counts[0]` counts nulls. */
  counts: Int32Array = new Int32Array(16)
  readonly #bySpelling = new Map<string, number>()
  /** First code of a key; `#sibling` links the codes of its other spellings. */
  readonly #byKey: Map<string, number>
  #sibling: Int32Array = new Int32Array(16)
  /** True once two spellings had the same key; `sweep` checks again. */
  #sharesKeys = false
  #order: WordOrder | null = null
  readonly #freeCodes: number[] = []
  /** Characters of all words, and of those left by the last sweep. */
  #characters = 0
  #charactersSwept = 0
  /**
   * Words that got their first living record or lost their last one, to update
   * `WordColumn.distinct`. Null while that is null, and after so many changes that building it
   * again is cheaper.
   */
  changed: number[] | null = null

  // The last admitted spelling, which the next look-ups are for: 3 % of a removal with an
  // insertion.
  #lastSpelling: string | null = null
  #lastCode = -1

  constructor(collation: Collation) {
    this.collation = collation
    this.#byKey = new Map()
  }

  /** Number of words, including those of no living record. */
  get size(): number {
    return this.#bySpelling.size
  }

  /** Codes are below this. */
  get codeLimit(): number {
    return this.spellings.length
  }

  /** The code of a spelling, or -1. */
  find(spelling: string): number {
    return spelling === this.#lastSpelling ? this.#lastCode : (this.#bySpelling.get(spelling) ?? -1)
  }

  /** The code of a spelling if no two spellings of this column share a key, else 0. */
  onlyCodeOf(spelling: string): number {
    return this.#sharesKeys ? 0 : (this.#bySpelling.get(spelling) ?? 0)
  }

  /** The code of a spelling, which a new one gets. All that can fail about a word happens here. */
  admit(spelling: string): number {
    const known = this.#bySpelling.get(spelling)
    if (known !== undefined) {
      this.#lastSpelling = spelling
      this.#lastCode = known
      return known
    }
    const key = textKey(spelling, this.collation)
    const code = this.#freeCodes.pop() ?? this.spellings.length
    if (code >= this.counts.length) {
      this.counts = lengthened(this.counts, code * 2)
      this.#sibling = lengthened(this.#sibling, code * 2)
    }
    this.spellings[code] = spelling
    this.keys[code] = key
    this.counts[code] = 0
    const sibling = this.#byKey.get(key)
    this.#sibling[code] = sibling === undefined ? 0 : this.#sibling[sibling]
    if (sibling === undefined) this.#byKey.set(key, code)
    else {
      this.#sibling[sibling] = code
      this.#sharesKeys = true
    }
    this.#bySpelling.set(spelling, code)
    this.#characters += spelling.length
    this.#order?.insert(code)
    return code
  }

  /** A living record gets a word, or null (code 0). */
  hold(code: number): void {
    if (this.counts[code]++ === 0) this.#note(code)
  }
  /** A living record loses a word. */
  release(code: number): void {
    if (--this.counts[code] === 0) this.#note(code)
  }
  #note(code: number): void {
    if (this.changed === null) return
    if (this.changed.length < MAX_CHANGED) this.changed.push(code)
    else this.changed = null
  }
  /** Two spellings may have the same key. */
  get sharesKeys(): boolean {
    return this.#sharesKeys
  }

  /** Every code whose comparison key is `key`, living or not; empty when there is none. */
  codesOfKey(key: string): number[] {
    const first = this.#byKey.get(key)
    if (first === undefined) return []
    const codes = [first]
    for (let code = this.#sibling[first]; code !== 0; code = this.#sibling[code]) codes.push(code)
    return codes
  }

  /** The only code of a key, 0 when there is none, -1 when several spellings share it. */
  singleCodeOfKey(key: string): number {
    const first = this.#byKey.get(key)
    if (first === undefined) return 0
    return this.#sibling[first] === 0 ? first : -1
  }

  /**
   * The order of the words, built at the first call and kept. Cost O(n log n), or O(n) where
   * `codes` are those of all words in the order of their keys.
   */
  order(codes: readonly number[] | null = null): WordOrder {
    const { length } = this.counts
    this.#order ??= new WordOrder(this.keys, codes ?? this.codes(), length, codes !== null)
    return this.#order
  }

  /**
   * Builds the order from the codes of words in the order of their keys, to which the words are
   * added that came since. Cost: O(words), plus O(log n) for each added one.
   */
  orderFrom(codes: readonly number[]): void {
    if (this.#order !== null) return
    const isKnown = new Uint8Array(this.codeLimit)
    for (let i = 0; i < codes.length; i++) isKnown[codes[i]] = 1
    const order = this.order(codes)
    for (let code = 1; code < isKnown.length; code++)
      if (isKnown[code] === 0 && this.isUsed(code)) order.insert(code)
  }

  /** Whether a code is that of a word: `sweep` frees codes. */
  isUsed(code: number): boolean {
    return this.#bySpelling.get(this.spellings[code]) === code
  }

  /** Codes of all words, including those of no living record. */
  codes(): number[] {
    return [...this.#bySpelling.values()]
  }

  /**
   * Drops the order before many words are added; `order` then rebuilds it at once. Returns whether
   * there was one.
   */
  suspendOrder(): boolean {
    const hadOrder = this.#order !== null
    this.#order = null
    return hadOrder
  }

  get hasOrder(): boolean {
    return this.#order !== null
  }

  /** Memory of the words, about, and of their order. Cost: O(1). */
  get bytes(): { readonly words: number; readonly order: number } {
    const vectors = this.counts.byteLength + this.#sibling.byteLength
    const maps = (this.#bySpelling.size + this.#byKey.size) * BYTES_PER_MAP_ENTRY
    const texts = this.#characters + this.size * BYTES_PER_TEXT
    // Keys that differ from their spellings are texts of their own.
    const end = Math.min(this.codeLimit, MAX_COMPARED)
    let differing = 0
    for (let code = 1; code < end; code++) if (this.keys[code] !== this.spellings[code]) differing++
    const copies = 1 + (end > 1 ? differing / (end - 1) : 0)
    const places = 2 * this.codeLimit * BYTES_PER_REFERENCE
    return { words: texts * copies + places + maps + vectors, order: this.#order?.bytes ?? 0 }
  }

  /** Words that no living record holds. Cost O(words). */
  deadWords(): number {
    let dead = 0
    for (const code of this.#bySpelling.values()) if (this.counts[code] === 0) dead++
    return dead
  }

  /**
   * True when so many characters were added since the last sweep that dead words may take more than
   * living ones. O(1).
   */
  get isSweepDue(): boolean {
    return this.#characters > this.#charactersSwept * 2 + SPARE_CHARACTERS
  }

  /**
   * Drops the words that no living record holds, so that their codes are used again. Call only
   * while no stage is open.
   */
  sweep(): void {
    this.changed = null
    this.#lastSpelling = null
    for (const code of this.codes()) {
      if (this.counts[code] !== 0) continue
      this.#order?.remove(code)
      this.#bySpelling.delete(this.spellings[code])
      this.#characters -= this.spellings[code].length
      this.#unlink(code)
      this.spellings[code] = ''
      this.keys[code] = ''
      this.#freeCodes.push(code)
    }
    this.#charactersSwept = this.#characters
    this.#sharesKeys = this.#byKey.size < this.#bySpelling.size
    // Lowest code last, so that it is used first.
    this.#freeCodes.sort((a, b) => b - a)
  }

  #unlink(code: number): void {
    const key = this.keys[code]
    const first = this.#byKey.get(key) as number
    if (first === code) {
      if (this.#sibling[code] === 0) this.#byKey.delete(key)
      else this.#byKey.set(key, this.#sibling[code])
      return
    }
    let before = first
    while (this.#sibling[before] !== code) before = this.#sibling[before]
    this.#sibling[before] = this.#sibling[code]
  }
}
