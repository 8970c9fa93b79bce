const digitBits = 11
const digitMask = (1 << digitBits) - 1

/**
 * Record numbers 0 to count - 1 in ascending order of their keys; ties keep record order.
 *
 * Whole keys in [0, 2^32) are sorted by radix, 11 bits at a time from the low end; others by
 * comparison.
 * @param {ArrayLike<number>} keys
 * @param {number} count
 * @returns {Int32Array}
 */
export function orderByKey(keys, count) {
  let order = new Int32Array(count)
  for (let i = 0; i < count; i++) order[i] = i

  const greatest = greatestWholeKey(keys, count)
  if (greatest === null) return order.sort((a, b) => keys[a] - keys[b] || a - b)

  let target = new Int32Array(count)
  const places = new Int32Array(digitMask + 1)
  for (let divisor = 1; divisor === 1 || divisor <= greatest; divisor *= 1 << digitBits) {
    places.fill(0)
    for (let i = 0; i < count; i++) places[(keys[i] / divisor) & digitMask]++
    countsToPlaces(places)
    for (let i = 0; i < count; i++) {
      const record = order[i]
      target[places[(keys[record] / divisor) & digitMask]++] = record
    }
    ;[order, target] = [target, order]
  }
  return order
}

/** The greatest key, or null if a key is not a whole number in [0, 2^32). */
function greatestWholeKey(keys, count) {
  let greatest = 0
  for (let i = 0; i < count; i++) {
    const key = keys[i]
    if (!(key >= 0) || key !== Math.floor(key)) return null
    if (key > greatest) greatest = key
  }
  return greatest < 2 ** 32 ? greatest : null
}

/** Converts the frequency of each digit to the position of its first record. */
function countsToPlaces(counts) {
  let place = 0
  for (let digit = 0; digit < counts.length; digit++) {
    const count = counts[digit]
    counts[digit] = place
    place += count
  }
}
