import { textSortSteps } from './slot-sorter.ts'
import { type BuildSteps, runSteps } from './text-prefixes.ts'
import { lengthened } from './vector.ts'

/**
 * The order of a dictionary's words: codes in blocks sorted by comparison key, each code with an
 * *order label*, a number between its neighbours' labels. Words are compared by their labels. A new
 * word in the middle moves no index entry, and relabels at most its own block while there is a gap.
 */
const BLOCK = 512
const SPACING = 1048576

interface Block {
  readonly codes: Int32Array
  count: number
}

export class WordOrder {
  readonly #keys: readonly string[]
  #blocks: Block[] = []
  #count = 0
  /** Order label by code. Two spellings of one key share a label. */
  labels: Float64Array

  /**
   * Takes the keys by code (the dictionary's own array) and the first codes. Cost O(n log n), or
   * O(n) for codes in the order of their keys, equal keys ascending by code.
   */
  constructor(
    keys: readonly string[],
    codes: readonly number[],
    capacity: number,
    isSorted = false,
  ) {
    this.#keys = keys
    this.labels = new Float64Array(Math.max(capacity, 16))
    // A new store has no words yet: the sort need not be compiled.
    const sorted = isSorted || codes.length < 2 ? codes : sortedCodes(keys, codes)
    const fill = (BLOCK * 3) >> 2
    for (let i = 0; i < sorted.length; i += fill) {
      const block: Block = { codes: new Int32Array(BLOCK), count: 0 }
      for (const code of sorted.slice(i, i + fill)) block.codes[block.count++] = code
      this.#blocks.push(block)
    }
    if (this.#blocks.length === 0) this.#blocks.push({ codes: new Int32Array(BLOCK), count: 0 })
    this.#count = sorted.length
    this.#relabelAll()
  }

  get count(): number {
    return this.#count
  }
  /** Memory. Cost: O(1). */
  get bytes(): number {
    return this.#blocks.length * BLOCK * 4 + this.labels.byteLength
  }

  reserve(capacity: number): void {
    if (capacity <= this.labels.length) return
    this.labels = lengthened(this.labels, Math.max(capacity, this.labels.length * 2))
  }

  /** Adds a code whose key is known. Cost O(log n) plus one block. */
  insert(code: number): void {
    this.reserve(code + 1)
    const key = this.#keys[code]
    let at = this.#blockOf(key)
    let block = this.#blocks[at]
    if (block.count === BLOCK) {
      const half = BLOCK >> 1
      const right: Block = { codes: new Int32Array(BLOCK), count: BLOCK - half }
      right.codes.set(block.codes.subarray(half))
      block.count = half
      this.#blocks.splice(at + 1, 0, right)
      if (this.#keys[right.codes[0]] <= key) block = this.#blocks[++at]
    }
    const place = this.#placeIn(block, key, true)
    block.codes.copyWithin(place + 1, place, block.count)
    block.codes[place] = code
    block.count++
    this.#count++
    this.#label(at, place, code)
  }

  remove(code: number): void {
    const key = this.#keys[code]
    let at = this.#blockOf(key)
    for (; at >= 0; at--) {
      const block = this.#blocks[at]
      const place = block.codes.subarray(0, block.count).indexOf(code)
      if (place < 0) continue
      block.codes.copyWithin(place, place + 1, block.count)
      block.count--
      this.#count--
      if (block.count === 0 && this.#blocks.length > 1) this.#blocks.splice(at, 1)
      return
    }
  }

  /**
   * Label of the first word at or after `key`: words before it have smaller labels. `+Infinity`
   * when there is none.
   */
  labelAtOrAfter(key: string): number {
    // The first block whose last key is at or after `key`, or the last block.
    let low = 0
    let high = this.#blocks.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      const { codes, count } = this.#blocks[middle]
      if (this.#keys[codes[count - 1]] < key) low = middle + 1
      else high = middle
    }
    const block = this.#blocks[low]
    const place = this.#placeIn(block, key, false)
    return place < block.count ? this.labels[block.codes[place]] : Number.POSITIVE_INFINITY
  }

  /** Codes whose label lies in [`low`, `high`), in order. Cost O(log n + answer). */
  codesBetween(low: number, high: number): number[] {
    let out: number[] | null = null
    let at = 0
    let end = this.#blocks.length - 1
    while (at < end) {
      const middle = (at + end) >>> 1
      const block = this.#blocks[middle]
      if (this.labels[block.codes[block.count - 1]] < low) at = middle + 1
      else end = middle
    }
    for (; at < this.#blocks.length; at++) {
      const block = this.#blocks[at]
      const { codes, count } = block
      if (count > 0 && this.labels[codes[0]] >= high) break
      const last = this.#placeOfLabel(block, high)
      const first = this.#placeOfLabel(block, low)
      if (out !== null) for (let i = first; i < last; i++) out.push(codes[i])
      else {
        // Usually there is only this block.
        out = new Array<number>(Math.max(0, last - first))
        for (let i = 0; i < out.length; i++) out[i] = codes[first + i]
      }
    }
    return out ?? []
  }

  /** Blocks of codes. */
  get blocks(): number {
    return this.#blocks.length
  }

  /** Visits the codes of some blocks in order, of all by default, until `visit` answers true. */
  some(
    descending: boolean,
    visit: (code: number) => boolean,
    from = 0,
    to = this.#blocks.length,
  ): boolean {
    const { length } = this.#blocks
    for (let b = from; b < to; b++) {
      const block = this.#blocks[descending ? length - 1 - b : b]
      for (let i = 0; i < block.count; i++)
        if (visit(block.codes[descending ? block.count - 1 - i : i])) return true
    }
    return false
  }

  /** Last block whose first key is at or before `key`. */
  #blockOf(key: string): number {
    let low = 0
    let high = this.#blocks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (this.#keys[this.#blocks[middle].codes[0]] <= key) low = middle
      else high = middle - 1
    }
    return low
  }

  #placeIn(block: Block, key: string, afterEqual: boolean): number {
    let low = 0
    let high = block.count
    while (low < high) {
      const middle = (low + high) >>> 1
      const here = this.#keys[block.codes[middle]]
      if (here < key || (afterEqual && here === key)) low = middle + 1
      else high = middle
    }
    return low
  }

  /** How many codes of a block have a lower label. */
  #placeOfLabel(block: Block, label: number): number {
    let low = 0
    let high = block.count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.labels[block.codes[middle]] < label) low = middle + 1
      else high = middle
    }
    return low
  }

  #label(at: number, place: number, code: number): void {
    const block = this.#blocks[at]
    const left = this.#neighbour(at, place, -1)
    const right = this.#neighbour(at, place, 1)
    for (const beside of [left, right]) {
      if (beside < 0 || this.#keys[beside] !== this.#keys[code]) continue
      this.labels[code] = this.labels[beside]
      return
    }
    const low = left < 0 ? (right < 0 ? 0 : this.labels[right] - 2 * SPACING) : this.labels[left]
    const high = right < 0 ? low + 2 * SPACING : this.labels[right]
    const middle = low + (high - low) / 2
    if (middle > low && middle < high) {
      this.labels[code] = middle
      return
    }
    this.#relabelBlock(at, block)
  }

  #neighbour(at: number, place: number, step: -1 | 1): number {
    const block = this.#blocks[at]
    const inside = place + step
    if (inside >= 0 && inside < block.count) return block.codes[inside]
    const next = this.#blocks[at + step]
    if (next === undefined || next.count === 0) return -1
    return next.codes[step < 0 ? next.count - 1 : 0]
  }

  #relabelBlock(at: number, block: Block): void {
    const left = this.#neighbour(at, 0, -1)
    const right = this.#neighbour(at, block.count - 1, 1)
    const low = left < 0 ? -SPACING * BLOCK : this.labels[left]
    const high = right < 0 ? low + SPACING * BLOCK : this.labels[right]
    const step = (high - low) / (block.count + 1)
    // No gap even for a whole block (some 2^40 words between two): relabel all.
    if (
      !(low + step > low && high - step < high && step > Number.MIN_VALUE) ||
      !this.#spread(block, low, step, left, right)
    ) {
      this.#relabelAll()
    }
  }

  #spread(block: Block, low: number, step: number, left: number, right: number): boolean {
    let label = low
    let before = left
    for (let i = 0; i < block.count; i++) {
      const code = block.codes[i]
      if (before < 0 || this.#keys[before] !== this.#keys[code]) {
        const next = low + step * (i + 1)
        if (next <= label) return false
        label = next
      }
      this.labels[code] =
        before >= 0 && this.#keys[before] === this.#keys[code] ? this.labels[before] : label
      before = code
    }
    // A spelling of the next block's first word must keep that word's label.
    if (right >= 0 && before >= 0 && this.#keys[right] === this.#keys[before]) return false
    return true
  }

  #relabelAll(): void {
    let label = 0
    let before = -1
    for (const block of this.#blocks) {
      for (let i = 0; i < block.count; i++) {
        const code = block.codes[i]
        if (before < 0 || this.#keys[before] !== this.#keys[code]) label += SPACING
        this.labels[code] = label
        before = code
      }
    }
  }
}

function sortedCodes(keys: readonly string[], codes: readonly number[]): Int32Array {
  const ascending = Int32Array.from(codes).sort()
  const order = runSteps(textSortSteps(Array.from(ascending, (code) => keys[code])))
  return order.map((at) => ascending[at])
}

/** Words that are looked up in one step. */
const WORDS_PER_STEP = 1 << 12

/** The codes of all words in the order of their keys, equal keys ascending by code. */
export function* codesInOrder(words: {
  readonly codeLimit: number
  readonly keys: readonly string[]
  isUsed(code: number): boolean
}): BuildSteps<readonly number[]> {
  const codes: number[] = []
  const keys: string[] = []
  for (let code = 1; code < words.codeLimit; code++) {
    if (words.isUsed(code)) {
      codes.push(code)
      keys.push(words.keys[code])
    }
    if (code % WORDS_PER_STEP === 0) yield
  }
  const order = yield* textSortSteps(keys)
  const sorted: number[] = []
  for (let i = 0; i < order.length; i++) {
    sorted.push(codes[order[i]])
    if (i % WORDS_PER_STEP === 0) yield
  }
  return sorted
}
