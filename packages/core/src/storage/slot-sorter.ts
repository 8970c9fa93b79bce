import { wordsFor } from './bitset.ts'
import { type BuildSteps, inBlocks, STEP_ENTRIES, textPrefixes } from './text-prefixes.ts'

/** Shorter lists are sorted by insertion. */
const SHORT_LIST_LENGTH = 12

/** Whether each number is greater than the one before it. */
export function isAscending(numbers: Int32Array): boolean {
  for (let i = 1; i < numbers.length; i++) if (numbers[i] <= numbers[i - 1]) return false
  return true
}

/**
 * Sorts record numbers by a bitmap and a second bitmap over its words: about 6 ns a member, and one
 * test per 1024 records of the table. Sorting by comparison takes four times as long. Both bitmaps
 * are kept, and are all zero between calls.
 */
export class SlotSorter {
  #words = new Int32Array(0)
  /** A bit per word of `#words` that is not zero. */
  #summary = new Int32Array(0)

  /**
   * Puts the first `count` entries of `slots` in rising order, in place. They must differ from each
   * other and be below `length`. Cost: O(count + length / 1024).
   */
  sort(slots: Int32Array, count: number, length: number): void {
    if (count < SHORT_LIST_LENGTH) sortFew(slots, count)
    else if (length > count * 65536) slots.subarray(0, count).sort()
    else this.#sortMany(slots, count, length)
  }

  /**
   * The first `count` entries in rising order, those from `skip` to `end` of them in a plain array.
   * `slots` may come out changed.
   */
  sorted(slots: Int32Array, count: number, length: number, skip: number, end: number): number[] {
    this.sort(slots, count, length)
    const out: number[] = new Array(Math.max(0, Math.min(count, end) - skip))
    for (let i = 0; i < out.length; i++) out[i] = slots[skip + i]
    return out
  }

  #sortMany(slots: Int32Array, count: number, length: number): void {
    const needed = wordsFor(length)
    if (this.#words.length < needed) {
      this.#words = new Int32Array(needed + (needed >> 1))
      this.#summary = new Int32Array(wordsFor(this.#words.length))
    }
    const words = this.#words
    const summary = this.#summary
    for (let i = 0; i < count; i++) {
      const slot = slots[i]
      words[slot >>> 5] |= 1 << (slot & 31)
      summary[slot >>> 10] |= 1 << ((slot >>> 5) & 31)
    }
    let written = 0
    for (let s = 0; written < count; s++) {
      let marks = summary[s]
      if (marks === 0) continue
      summary[s] = 0
      while (marks !== 0) {
        const at = (s << 5) + 31 - Math.clz32(marks & -marks)
        marks &= marks - 1
        let word = words[at]
        words[at] = 0
        while (word !== 0) {
          slots[written++] = (at << 5) + 31 - Math.clz32(word & -word)
          word &= word - 1
        }
      }
    }
  }
}

function sortFew(slots: Int32Array, count: number): void {
  for (let i = 1; i < count; i++) {
    const slot = slots[i]
    let at = i
    while (at > 0 && slots[at - 1] > slot) {
      slots[at] = slots[at - 1]
      at--
    }
    slots[at] = slot
  }
}

/** Bits per pass of the radix sort, and what one pass counts. */
const DIGIT = 11
const DIGITS = 1 << DIGIT
const PASSES = 6

/**
 * The places of numbers in rising order of the numbers, equal ones by place. A radix sort of the
 * numbers' bits, O(n) for each 11 bits in which they differ; short lists are sorted by comparison.
 * None may be NaN.
 */
export function* numberSortSteps(numbers: Float64Array): BuildSteps<Int32Array> {
  const count = numbers.length
  let order = new Int32Array(count)
  for (let i = 0; i < count; i++) order[i] = i
  if (count < 64) {
    // `subtract` would be NaN for two infinities (nulls).
    return order.sort((a, b) =>
      numbers[a] < numbers[b] ? -1 : numbers[a] > numbers[b] ? 1 : a - b,
    )
  }
  const high = new Uint32Array(count)
  const low = new Uint32Array(count)
  const counts = new Int32Array(PASSES * DIGITS)
  yield* inBlocks(count, (from, to) => {
    sortableBits(numbers.subarray(from, to), high.subarray(from, to), low.subarray(from, to))
    countDigits(high.subarray(from, to), low.subarray(from, to), counts)
  })
  let other = new Int32Array(count)
  for (let pass = 0; pass < PASSES; pass++) {
    const words = pass < PASSES / 2 ? low : high
    const shift = (pass % (PASSES / 2)) * DIGIT
    const starts = startsOf(counts.subarray(pass * DIGITS, (pass + 1) * DIGITS), count)
    if (starts === null) continue
    const [entries, out] = [order, other]
    yield* inBlocks(count, (from, to) =>
      scatter(entries.subarray(from, to), words, shift, starts, out),
    )
    const swap = order
    order = other
    other = swap
  }
  return order
}

/** One digit of a radix sort, for some entries. */
function scatter(
  entries: Int32Array,
  words: Uint32Array,
  shift: number,
  starts: Int32Array,
  out: Int32Array,
): void {
  for (let i = 0; i < entries.length; i++) {
    const at = entries[i]
    out[starts[(words[at] >>> shift) & (DIGITS - 1)]++] = at
  }
}

/** Writes two unsigned words per number that compare, the high one first, as the numbers do. */
function sortableBits(numbers: Float64Array, high: Uint32Array, low: Uint32Array): void {
  const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1
  const highPlace = isLittleEndian ? 1 : 0
  // Adding 0 turns -0 into 0, which is equal to it.
  const plain = new Float64Array(numbers.length)
  for (let i = 0; i < plain.length; i++) plain[i] = numbers[i] + 0
  const words = new Uint32Array(plain.buffer)
  for (let i = 0; i < numbers.length; i++) {
    const top = words[i * 2 + highPlace]
    const bottom = words[i * 2 + 1 - highPlace]
    // Negative numbers fall as their bits rise, and stand below all others.
    const isNegative = top > 0x7fffffff
    high[i] = isNegative ? ~top : top | 0x80000000
    low[i] = isNegative ? ~bottom : bottom
  }
}

/** Adds to `counts` how often each digit occurs in each place. */
function countDigits(high: Uint32Array, low: Uint32Array, counts: Int32Array): void {
  for (let i = 0; i < high.length; i++) {
    const top = high[i]
    const bottom = low[i]
    counts[bottom & 2047]++
    counts[DIGITS + ((bottom >>> DIGIT) & 2047)]++
    counts[2 * DIGITS + (bottom >>> (2 * DIGIT))]++
    counts[3 * DIGITS + (top & 2047)]++
    counts[4 * DIGITS + ((top >>> DIGIT) & 2047)]++
    counts[5 * DIGITS + (top >>> (2 * DIGIT))]++
  }
}

/** Where the places of each digit begin; null when all have the same digit. Changes `counts`. */
function startsOf(counts: Int32Array, total: number): Int32Array | null {
  let sum = 0
  for (let digit = 0; digit < DIGITS; digit++) {
    const here = counts[digit]
    if (here === total) return null
    counts[digit] = sum
    sum += here
  }
  return counts
}

/**
 * The places of comparison keys in rising order, nulls first, equal ones by place. Sorts their
 * beginnings as numbers, and compares texts where these are equal: O(n) where texts differ early,
 * otherwise O(n log n) comparisons.
 */
export function* textSortSteps(texts: readonly (string | null)[]): BuildSteps<Int32Array> {
  const prefixes = yield* textPrefixes(texts)
  const order = yield* numberSortSteps(prefixes)
  const compare = (a: number, b: number): number => {
    const left = texts[a] as string
    const right = texts[b] as string
    return left === right ? a - b : left < right ? -1 : 1
  }
  let work = 0
  for (let from = 0; from < order.length; ) {
    if (work > STEP_ENTRIES) {
      work = 0
      yield
    }
    const prefix = prefixes[order[from]]
    let to = from + 1
    while (to < order.length && prefixes[order[to]] === prefix) to++
    const isTie = to - from > 1 && prefix !== Number.NEGATIVE_INFINITY
    if (isTie) yield* compareSortSteps(order.subarray(from, to), compare)
    work += (to - from) * (isTie ? STEP_ENTRIES / COMPARED_PER_STEP : 1)
    from = to
  }
  return order
}

/** Entries that are sorted in one step, by comparisons of texts. */
const COMPARED_PER_STEP = 1 << 10

/** Sorts in place by comparisons: in one step if they are few, else pieces that are then merged. */
export function* compareSortSteps(
  entries: Int32Array,
  compare: (a: number, b: number) => number,
): BuildSteps<Int32Array> {
  const { length } = entries
  if (length <= COMPARED_PER_STEP) return entries.sort(compare)
  for (let from = 0; from < length; from += COMPARED_PER_STEP) {
    entries.subarray(from, from + COMPARED_PER_STEP).sort(compare)
    yield
  }
  // Entries keep every place if a run ends within a merge.
  let sorted = entries.slice()
  let merged = new Int32Array(length)
  for (let size = COMPARED_PER_STEP; size < length; size *= 2) {
    for (let from = 0; from < length; from += 2 * size) {
      const middle = Math.min(from + size, length)
      const end = Math.min(from + 2 * size, length)
      let left = from
      let right = middle
      for (let at = from; at < end; at++) {
        const takesLeft =
          left < middle && (right === end || compare(sorted[left], sorted[right]) < 0)
        merged[at] = takesLeft ? sorted[left++] : sorted[right++]
        if (at % COMPARED_PER_STEP === 0) yield
      }
    }
    const swap = sorted
    sorted = merged
    merged = swap
  }
  entries.set(sorted)
  return entries
}
