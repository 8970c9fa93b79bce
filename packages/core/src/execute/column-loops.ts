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
