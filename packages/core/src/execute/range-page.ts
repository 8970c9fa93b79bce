import type { Sought } from '../plan/sought.ts'
import { NULL_INT } from '../storage/column.ts'
import type { Table } from '../storage/table.ts'

/**
 * Records `skip` to `skip + top`, in record order, of one number range; null for other ranges and
 * columns. It stops when it has them. For ranges that select few records: then the processor
 * predicts the branch.
 */
export function rangePage(
  table: Table,
  ordinal: number,
  ranges: Sought,
  skip: number,
  top: number,
): number[] | null {
  const column = table.columns[ordinal]
  if (
    column.layout !== 'number' ||
    ranges.kind !== 'number' ||
    ranges.nulls ||
    ranges.ranges.length !== 1
  )
    return null
  const [{ low, high }] = ranges.ranges
  const { data } = column
  if (data instanceof Int32Array)
    return intPage(data, Math.max(low, NULL_INT + 1), high, table.length, skip, top)
  return doublePage(data, low, high, table.length, skip, top)
}

// The same loop twice, so that each is specialised for one kind of vector. Removed records read as
// null. The bounds are compared without a branch, because it would be unpredictable: a
// misprediction takes longer than the comparison.

function intPage(
  data: Int32Array,
  low: number,
  high: number,
  length: number,
  skip: number,
  top: number,
): number[] {
  const out: number[] = []
  let toSkip = skip
  for (let slot = 0; slot < length && out.length < top; slot++) {
    const value = data[slot]
    if ((+(value >= low) & +(value <= high)) === 1 && toSkip-- <= 0) out.push(slot)
  }
  return out
}

function doublePage(
  data: Float64Array,
  low: number,
  high: number,
  length: number,
  skip: number,
  top: number,
): number[] {
  const out: number[] = []
  let toSkip = skip
  for (let slot = 0; slot < length && out.length < top; slot++) {
    const value = data[slot]
    if ((+(value >= low) & +(value <= high)) === 1 && toSkip-- <= 0) out.push(slot)
  }
  return out
}
