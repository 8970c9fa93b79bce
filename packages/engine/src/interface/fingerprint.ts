/**
 * A short hash of a text, for validators: 64 bits from two sums with different multipliers. Not a
 * cryptographic hash. Cost: O(length), one or two nanoseconds per character.
 */
export function fingerprint(text: string): string {
  const { length } = text
  let first = 0x1e3779b9
  let second = length
  for (let at = 0; at < length; at++) {
    const unit = text.charCodeAt(at)
    first = Math.imul(first ^ unit, 0x2c1b3c6d)
    second = Math.imul(second, 0x297a2d39) + unit
  }
  // Integers of 31 bits are formatted fastest.
  return `${mixed(first).toString(36)}${mixed(second).toString(36)}`
}

/** Multiplication propagates bits to the left only; this also propagates them to the right. */
function mixed(sum: number): number {
  const half = Math.imul(sum ^ (sum >>> 16), 0x21f0aaad)
  return (half ^ (half >>> 15)) & 0x7fffffff
}
