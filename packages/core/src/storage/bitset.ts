/**
 * Sets of record numbers as 32-bit words: bit `slot & 31` of word `slot >>> 5`. Free functions over `Int32Array`
 * (signed words spare the engine a conversion of every word to a double).
 */

/** Words needed for record numbers 0 … `length - 1`. */
export const wordsFor = (length: number): number => (length + 31) >>> 5

/**
 * Hands out zeroed word arrays cut from larger blocks: a typed array of its own costs about 10 us from 10 KB up,
 * a view on a block a tenth of that. A block lives as long as any set cut from it.
 */
export class WordAllocator {
  #block: ArrayBuffer = new ArrayBuffer(0)
  #used = 0

  /** Takes a number of words; returns that many, all zero. */
  take(words: number): Int32Array {
    const bytes = words * 4
    if (bytes > 65536) return new Int32Array(words)
    if (this.#used + bytes > this.#block.byteLength) {
      this.#block = new ArrayBuffer(262144)
      this.#used = 0
    }
    const view = new Int32Array(this.#block, this.#used, words)
    this.#used += bytes
    return view
  }
}

export const hasBit = (words: Int32Array, slot: number): boolean =>
  slot >>> 5 < words.length && (words[slot >>> 5] & (1 << (slot & 31))) !== 0
export const setBit = (words: Int32Array, slot: number): void => {
  words[slot >>> 5] |= 1 << (slot & 31)
}
export const clearBit = (words: Int32Array, slot: number): void => {
  words[slot >>> 5] &= ~(1 << (slot & 31))
}

const ones = (word: number): number => {
  word -= (word >>> 1) & 0x55555555
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333)
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** Number of bits set. */
export function countBits(words: Int32Array): number {
  let total = 0
  let at = 0
  for (const end = words.length - 3; at < end; at += 4) {
    total += onesOfFour(words[at], words[at + 1], words[at + 2], words[at + 3])
  }
  for (; at < words.length; at++) total += ones(words[at])
  return total
}

/** Bits set in four words, added up before one multiplication. */
function onesOfFour(a: number, b: number, c: number, d: number): number {
  a -= (a >>> 1) & 0x55555555
  b -= (b >>> 1) & 0x55555555
  c -= (c >>> 1) & 0x55555555
  d -= (d >>> 1) & 0x55555555
  const ab = (a & 0x33333333) + ((a >>> 2) & 0x33333333) + (b & 0x33333333) + ((b >>> 2) & 0x33333333)
  const cd = (c & 0x33333333) + ((c >>> 2) & 0x33333333) + (d & 0x33333333) + ((d >>> 2) & 0x33333333)
  const bytes = (ab & 0x0f0f0f0f) + ((ab >>> 4) & 0x0f0f0f0f) + (cd & 0x0f0f0f0f) + ((cd >>> 4) & 0x0f0f0f0f)
  return Math.imul(bytes, 0x01010101) >>> 24
}

/** `out = a AND b` for as many words as `out` has, which is no more than either; returns the number of bits set. */
export function andWords(a: Int32Array, b: Int32Array, out: Int32Array): number {
  const { length } = out
  let total = 0
  let i = 0
  for (const end = length - 3; i < end; i += 4) {
    const w0 = (out[i] = a[i] & b[i])
    const w1 = (out[i + 1] = a[i + 1] & b[i + 1])
    const w2 = (out[i + 2] = a[i + 2] & b[i + 2])
    const w3 = (out[i + 3] = a[i + 3] & b[i + 3])
    total += onesOfFour(w0, w1, w2, w3)
  }
  for (; i < length; i++) total += ones((out[i] = a[i] & b[i]))
  return total
}
/** `out = a OR b`; `out` is as long as the longer one. Returns the number of bits set. */
export function orWords(a: Int32Array, b: Int32Array, out: Int32Array): number {
  const shared = Math.min(a.length, b.length)
  let total = 0
  let i = 0
  for (const end = shared - 3; i < end; i += 4) {
    const w0 = (out[i] = a[i] | b[i])
    const w1 = (out[i + 1] = a[i + 1] | b[i + 1])
    const w2 = (out[i + 2] = a[i + 2] | b[i + 2])
    const w3 = (out[i + 3] = a[i + 3] | b[i + 3])
    total += onesOfFour(w0, w1, w2, w3)
  }
  for (; i < out.length; i++) total += ones((out[i] = (i < a.length ? a[i] : 0) | (i < b.length ? b[i] : 0)))
  return total
}
/** `out = a AND NOT b`; `out` is as long as `a`. Returns the number of bits set. */
export function exceptWords(a: Int32Array, b: Int32Array, out: Int32Array): number {
  const shared = Math.min(a.length, b.length)
  let total = 0
  let i = 0
  for (const end = shared - 3; i < end; i += 4) {
    const w0 = (out[i] = a[i] & ~b[i])
    const w1 = (out[i + 1] = a[i + 1] & ~b[i + 1])
    const w2 = (out[i + 2] = a[i + 2] & ~b[i + 2])
    const w3 = (out[i + 3] = a[i + 3] & ~b[i + 3])
    total += onesOfFour(w0, w1, w2, w3)
  }
  for (; i < a.length; i++) total += ones((out[i] = i < b.length ? a[i] & ~b[i] : a[i]))
  return total
}
/** True when some bit is set in both. Stops at the first. */
export function wordsIntersect(a: Int32Array, b: Int32Array): boolean {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) if ((a[i] & b[i]) !== 0) return true
  return false
}

/**
 * Writes the numbers of set bits, ascending, from the `skip`-th on, at most `limit`, into `out`; returns how many.
 * Whole words are skipped by their counts.
 */
export function bitsInto(words: Int32Array, skip: number, limit: number, out: Int32Array | number[]): number {
  let written = 0
  let passed = 0
  for (let i = 0; i < words.length && written < limit; i++) {
    let word = words[i]
    if (word === 0) continue
    if (passed < skip) {
      const here = ones(word)
      if (passed + here <= skip) {
        passed += here
        continue
      }
    }
    while (word !== 0) {
      const bit = word & -word
      if (passed++ >= skip) {
        out[written++] = (i << 5) + 31 - Math.clz32(bit)
        if (written === limit) return written
      }
      word ^= bit
    }
  }
  return written
}

/** Lowest clear bit at or after `from`, at most `end`. */
export function nextClearBit(words: Int32Array, from: number, end: number): number {
  let slot = from
  while (slot < end) {
    const word = words[slot >>> 5] >> (slot & 31)
    if (word === -1) {
      slot = ((slot >>> 5) + 1) << 5
      continue
    }
    const free = ~word & -~word
    const at = slot + 31 - Math.clz32(free)
    // The arithmetic shift fills with ones when bit 31 is set, so a clear bit found here is a real one of this word.
    return at >>> 5 === slot >>> 5 ? Math.min(at, end) : Math.min(((slot >>> 5) + 1) << 5, end)
  }
  return end
}
