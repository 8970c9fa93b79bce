/** Code units per text that are read to choose the base. A number never holds more. */
const SAMPLED_UNITS = 12

/** Bits of a whole number in a double. */
const BITS = 53

/**
 * The code units after the common beginning of all texts, as numbers: where two numbers differ, the
 * texts have the same order. The narrower the range of code units, the more of them fit: eight or
 * more of ASCII, three of Unicode. Null is first. Cost O(texts). Comparing numbers is many times
 * cheaper than comparing texts, and most texts differ early.
 */
export function textPrefixes(texts: readonly (string | null)[]): Float64Array {
  const shared = sharedLength(texts)
  let lowest = 0xffff
  let highest = 0
  for (let i = 0; i < texts.length; i++) {
    const text = texts[i]
    if (text === null) continue
    const end = Math.min(shared + SAMPLED_UNITS, text.length)
    for (let at = shared; at < end; at++) {
      const unit = text.charCodeAt(at)
      if (unit < lowest) lowest = unit
      if (unit > highest) highest = unit
    }
  }
  // 0 stands for the end of a text.
  const base = Math.max(2, highest - lowest + 2)
  const length = Math.max(1, Math.min(SAMPLED_UNITS, Math.floor(BITS / Math.log2(base))))
  const prefixes = new Float64Array(texts.length)
  for (let i = 0; i < texts.length; i++) {
    const text = texts[i]
    if (text === null) {
      prefixes[i] = Number.NEGATIVE_INFINITY
      continue
    }
    const end = shared + length
    const last = Math.min(end, text.length)
    let prefix = 0
    let at = shared
    for (; at < last; at++) prefix = prefix * base + (text.charCodeAt(at) - lowest + 1)
    for (; at < end; at++) prefix *= base
    prefixes[i] = prefix
  }
  return prefixes
}

/** Length of the common beginning of all texts. */
function sharedLength(texts: readonly (string | null)[]): number {
  let first: string | null = null
  let shared = 0
  for (let i = 0; i < texts.length; i++) {
    const text = texts[i]
    if (text === null) continue
    if (first === null) {
      first = text
      shared = text.length
      continue
    }
    if (text === first) continue
    shared = Math.min(shared, text.length)
    let at = 0
    while (at < shared && text.charCodeAt(at) === first.charCodeAt(at)) at++
    shared = at
    if (shared === 0) break
  }
  return shared
}
