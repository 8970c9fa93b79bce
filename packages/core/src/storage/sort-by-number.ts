/** Bits per pass of the radix sort, and what one pass counts. */
const DIGIT = 11
const DIGITS = 1 << DIGIT
const PASSES = 6

/**
 * The places of numbers in rising order of the numbers, equal ones by place. A radix sort of the
 * numbers' bits, O(n) for each 11 bits in which they differ; short lists are sorted by comparison.
 * None may be NaN.
 */
export function sortByNumber(numbers: Float64Array): Int32Array {
  const count = numbers.length
  let order = new Int32Array(count)
  for (let i = 0; i < count; i++) order[i] = i
  if (count < 64) {
    // `subtract` would be NaN for two infinities (nulls).
    return order.sort((a, b) =>
      numbers[a] < numbers[b] ? -1 : numbers[a] > numbers[b] ? 1 : a - b,
    )
  }
  const [high, low] = sortableBits(numbers)
  const counts = countDigits(high, low)
  let other = new Int32Array(count)
  for (let pass = 0; pass < PASSES; pass++) {
    const words = pass < PASSES / 2 ? low : high
    const shift = (pass % (PASSES / 2)) * DIGIT
    const starts = startsOf(counts.subarray(pass * DIGITS, (pass + 1) * DIGITS), count)
    if (starts === null) continue
    for (let i = 0; i < count; i++) {
      const at = order[i]
      other[starts[(words[at] >>> shift) & (DIGITS - 1)]++] = at
    }
    const swap = order
    order = other
    other = swap
  }
  return order
}

/** Two unsigned words per number that compare, the high one first, as the numbers do. */
function sortableBits(numbers: Float64Array): [high: Uint32Array, low: Uint32Array] {
  const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1
  const highPlace = isLittleEndian ? 1 : 0
  // Adding 0 turns -0 into 0, which is equal to it.
  const plain = new Float64Array(numbers.length)
  for (let i = 0; i < plain.length; i++) plain[i] = numbers[i] + 0
  const words = new Uint32Array(plain.buffer)
  const high = new Uint32Array(numbers.length)
  const low = new Uint32Array(numbers.length)
  for (let i = 0; i < numbers.length; i++) {
    const top = words[i * 2 + highPlace]
    const bottom = words[i * 2 + 1 - highPlace]
    // Negative numbers fall as their bits rise, and stand below all others.
    const isNegative = top > 0x7fffffff
    high[i] = isNegative ? ~top : top | 0x80000000
    low[i] = isNegative ? ~bottom : bottom
  }
  return [high, low]
}

function countDigits(high: Uint32Array, low: Uint32Array): Int32Array {
  const counts = new Int32Array(PASSES * DIGITS)
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
  return counts
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
