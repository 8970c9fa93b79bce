import { type Codes, scanEqual } from './column-loops.ts'

/** `scanEqual` for codes of words. */
export function scanCodes(
  codes: Codes,
  code: number,
  from: number,
  to: number,
  out: Int32Array,
): number {
  if (codes instanceof Uint16Array) return scanShortCodes(codes, code, from, to, out)
  return scanEqual(codes, code, from, to, out)
}

/**
 * Codes of 16 bits, four records per iteration: read as two words of two codes each. With the code
 * taken off, a word `x` has a half that is zero exactly where `(x - 0x00010001) & ~x & 0x80008000`
 * is not zero.
 */
function scanShortCodes(
  codes: Uint16Array,
  code: number,
  from: number,
  to: number,
  out: Int32Array,
): number {
  const words = new Int32Array(codes.buffer, codes.byteOffset, codes.length >>> 1)
  const both = code | (code << 16)
  let count = 0
  let slot = from
  for (const start = Math.min(to, (from + 3) & ~3); slot < start; slot++)
    if (codes[slot] === code) out[count++] = slot
  for (const end = to - 3; slot < end; slot += 4) {
    const at = slot >>> 1
    const x = words[at] ^ both
    const y = words[at + 1] ^ both
    if (((((x - 0x00010001) & ~x) | ((y - 0x00010001) & ~y)) & 0x80008000) === 0) continue
    if (codes[slot] === code) out[count++] = slot
    if (codes[slot + 1] === code) out[count++] = slot + 1
    if (codes[slot + 2] === code) out[count++] = slot + 2
    if (codes[slot + 3] === code) out[count++] = slot + 3
  }
  for (; slot < to; slot++) if (codes[slot] === code) out[count++] = slot
  return count
}
