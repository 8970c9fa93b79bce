/**
 * Sets of record numbers as 32-bit words: bit `slot & 31` of word `slot >>> 5`. Free functions over
 * `Int32Array` (signed words spare the engine a conversion of every word to a double).
 */

/** Words needed for record numbers 0 … `length - 1`. */
export const wordsFor = (length: number): number => (length + 31) >>> 5

/** How two sets are combined. */
export type SetOperator = 'and' | 'or' | 'except'

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
  for (let i = 0; i < words.length; i++) total += ones(words[i])
  return total
}

/**
 * `out = ((a ^ flipA) & (b ^ flipB)) ^ flipOut` for the first `length` words, and the number of
 * bits set in them: AND, OR and EXCEPT are one loop. Bits are counted eight words at a time by
 * carry-save adders (Harley and Seal), so that one word in eight is counted in full. Unrolled,
 * because the cost of such a loop is its bounds checks.
 */
function combine(
  a: Int32Array,
  b: Int32Array,
  out: Int32Array,
  length: number,
  flipA: number,
  flipB: number,
  flipOut: number,
): number {
  let one = 0
  let two = 0
  let four = 0
  let eights = 0
  let i = 0
  for (const end = length - 7; i < end; i += 8) {
    const x0 = (out[i] = ((a[i] ^ flipA) & (b[i] ^ flipB)) ^ flipOut)
    const x1 = (out[i + 1] = ((a[i + 1] ^ flipA) & (b[i + 1] ^ flipB)) ^ flipOut)
    const x2 = (out[i + 2] = ((a[i + 2] ^ flipA) & (b[i + 2] ^ flipB)) ^ flipOut)
    const x3 = (out[i + 3] = ((a[i + 3] ^ flipA) & (b[i + 3] ^ flipB)) ^ flipOut)
    const x4 = (out[i + 4] = ((a[i + 4] ^ flipA) & (b[i + 4] ^ flipB)) ^ flipOut)
    const x5 = (out[i + 5] = ((a[i + 5] ^ flipA) & (b[i + 5] ^ flipB)) ^ flipOut)
    const x6 = (out[i + 6] = ((a[i + 6] ^ flipA) & (b[i + 6] ^ flipB)) ^ flipOut)
    const x7 = (out[i + 7] = ((a[i + 7] ^ flipA) & (b[i + 7] ^ flipB)) ^ flipOut)
    let sum = one ^ x0
    const twoA = (one & x0) | (sum & x1)
    one = sum ^ x1
    sum = one ^ x2
    const twoB = (one & x2) | (sum & x3)
    one = sum ^ x3
    sum = two ^ twoA
    const fourA = (two & twoA) | (sum & twoB)
    two = sum ^ twoB
    sum = one ^ x4
    const twoC = (one & x4) | (sum & x5)
    one = sum ^ x5
    sum = one ^ x6
    const twoD = (one & x6) | (sum & x7)
    one = sum ^ x7
    sum = two ^ twoC
    const fourB = (two & twoC) | (sum & twoD)
    two = sum ^ twoD
    sum = four ^ fourA
    eights += ones((four & fourA) | (sum & fourB))
    four = sum ^ fourB
  }
  let total = eights * 8 + ones(four) * 4 + ones(two) * 2 + ones(one)
  for (; i < length; i++) total += ones((out[i] = ((a[i] ^ flipA) & (b[i] ^ flipB)) ^ flipOut))
  return total
}

/** Copies the words from `from` on, and counts their bits. */
function copyRest(words: Int32Array, out: Int32Array, from: number): number {
  let total = 0
  for (let i = from; i < words.length; i++) total += ones((out[i] = words[i]))
  return total
}

/**
 * `out = a AND b`, `a OR b` or `a AND NOT b`; the shorter set counts as padded with zeros. `out` is
 * as long as the shorter set, the longer set or `a`. Returns the number of bits set.
 */
export function combineWords(
  operator: SetOperator,
  a: Int32Array,
  b: Int32Array,
  out: Int32Array,
): number {
  const shared = Math.min(a.length, b.length)
  switch (operator) {
    case 'and':
      return combine(a, b, out, shared, 0, 0, 0)
    case 'or':
      return (
        combine(a, b, out, shared, -1, -1, -1) + copyRest(a.length > shared ? a : b, out, shared)
      )
    case 'except':
      return combine(a, b, out, shared, 0, -1, 0) + copyRest(a, out, shared)
  }
}

/** Sets the first `count` bits of `wordsFor(count)` words. */
export function fillBits(words: Int32Array, count: number): void {
  words.fill(-1)
  if ((count & 31) !== 0) words[words.length - 1] = (1 << (count & 31)) - 1
}

/** True when some bit is set in both. Stops at the first. */
export function wordsIntersect(a: Int32Array, b: Int32Array): boolean {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) if ((a[i] & b[i]) !== 0) return true
  return false
}

/** The 32 bits from `slot` on; those behind the last word are 0. */
export function wordFrom(words: Int32Array, slot: number): number {
  const at = slot >>> 5
  const shift = slot & 31
  return shift === 0 ? words[at] : (words[at] >>> shift) | (words[at + 1] << (32 - shift))
}

/** Sets the bits of `from`, the first of them as bit `slot`. */
export function orBits(words: Int32Array, slot: number, from: Int32Array): void {
  const shift = slot & 31
  for (let i = 0, at = slot >>> 5; i < from.length; i++, at++) {
    words[at] |= from[i] << shift
    if (shift !== 0) words[at + 1] |= from[i] >>> (32 - shift)
  }
}

/**
 * Writes the numbers of the set bits, ascending, into `out`, and returns how many. The first bit
 * counts as number `first`. Stops when more than `limit` are written; `out` must have room for 32
 * more than that.
 */
export function bitsInto(
  words: Int32Array,
  out: Int32Array,
  first = 0,
  limit: number = out.length,
): number {
  let written = 0
  for (let i = 0; i < words.length && written <= limit; i++) {
    let word = words[i]
    while (word !== 0) {
      const bit = word & -word
      out[written++] = first + (i << 5) + 31 - Math.clz32(bit)
      word ^= bit
    }
  }
  return written
}

/**
 * A page of the set bits: from the `skip`-th on, at most `limit`. Whole words are skipped by their
 * counts.
 */
export function bitsOf(words: Int32Array, skip: number, limit: number): number[] {
  const out: number[] = []
  let left = skip
  let i = 0
  let word = 0
  for (; i < words.length; i++) {
    word = words[i]
    const here = ones(word)
    if (left < here) break
    left -= here
  }
  for (; left > 0; left--) word &= word - 1
  for (; i < words.length && out.length < limit; word = words[++i]) {
    for (; word !== 0 && out.length < limit; word &= word - 1)
      out.push((i << 5) + 31 - Math.clz32(word & -word))
  }
  return out
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
    // The arithmetic shift fills with ones when bit 31 is set, so a clear bit found here is a real
    // one of this word.
    return at >>> 5 === slot >>> 5 ? Math.min(at, end) : Math.min(((slot >>> 5) + 1) << 5, end)
  }
  return end
}
