// The loops over one column.
// - Each takes the values that it compares with as arguments, which stay in registers. A closure
//   would load them for every record.
// - Loops over ranges and flags do not branch on the result: a mispredicted branch costs more than
//   the store that it saves.
// - `scan` writes the matching records of [from, to) into `out`, ascending. `narrow` keeps the
//   matching ones of the first `count` in `slots`, in place. Both return their number.
// - The loops over integers and over doubles are equal. They are written twice so that each is
//   specialised for one kind of vector.
// Cost: O(records tested).

export type Codes = Uint8Array | Uint16Array | Uint32Array

export function scanInts(
  data: Int32Array,
  low: number,
  high: number,
  from: number,
  to: number,
  out: Int32Array,
): number {
  let count = 0
  for (let slot = from; slot < to; slot++) {
    const value = data[slot]
    out[count] = slot
    count += +(value >= low) & +(value <= high)
  }
  return count
}

export function narrowInts(
  data: Int32Array,
  low: number,
  high: number,
  slots: Int32Array,
  count: number,
): number {
  let kept = 0
  for (let i = 0; i < count; i++) {
    const slot = slots[i]
    const value = data[slot]
    slots[kept] = slot
    kept += +(value >= low) & +(value <= high)
  }
  return kept
}

export function scanDoubles(
  data: Float64Array,
  low: number,
  high: number,
  from: number,
  to: number,
  out: Int32Array,
): number {
  let count = 0
  for (let slot = from; slot < to; slot++) {
    const value = data[slot]
    out[count] = slot
    count += +(value >= low) & +(value <= high)
  }
  return count
}

export function narrowDoubles(
  data: Float64Array,
  low: number,
  high: number,
  slots: Int32Array,
  count: number,
): number {
  let kept = 0
  for (let i = 0; i < count; i++) {
    const slot = slots[i]
    const value = data[slot]
    slots[kept] = slot
    kept += +(value >= low) & +(value <= high)
  }
  return kept
}

export function scanFlags(
  data: Codes,
  flags: Uint8Array,
  from: number,
  to: number,
  out: Int32Array,
): number {
  let count = 0
  for (let slot = from; slot < to; slot++) {
    const value = flags[data[slot]]
    out[count] = slot
    count += value
  }
  return count
}

export function narrowFlags(
  data: Codes,
  flags: Uint8Array,
  slots: Int32Array,
  count: number,
): number {
  let kept = 0
  for (let i = 0; i < count; i++) {
    const slot = slots[i]
    const value = flags[data[slot]]
    slots[kept] = slot
    kept += value
  }
  return kept
}

export function scanEqual(
  data: Codes | Int32Array,
  wanted: number,
  from: number,
  to: number,
  out: Int32Array,
): number {
  let count = 0
  for (let slot = from; slot < to; slot++) if (data[slot] === wanted) out[count++] = slot
  return count
}

export function narrowEqual(
  data: Codes | Int32Array,
  wanted: number,
  slots: Int32Array,
  count: number,
): number {
  let kept = 0
  for (let i = 0; i < count; i++) if (data[slots[i]] === wanted) slots[kept++] = slots[i]
  return kept
}

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
