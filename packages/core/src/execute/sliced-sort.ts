import type { Slots, TimeSlices } from './time-slices.ts'

type Compare = (a: number, b: number) => number

/** Positions per run that is sorted before runs are merged. */
const RUN = 64

/**
 * The positions of `slots` in the order of a comparison without ties. Runs are sorted, then merged
 * two by two, pass after pass, each in blocks. A time slice may end after any block. `memoKey`
 * identifies the order.
 */
export function slicedPositions(
  slices: TimeSlices,
  memoKey: readonly unknown[],
  slots: Slots,
  compare: Compare,
): Int32Array {
  const count = slots.length
  const start = (): Int32Array => Int32Array.from({ length: count }, (_, at) => at)
  const runs = Math.ceil(count / RUN)
  const sortRuns = (positions: Int32Array, from: number, to: number): void => {
    for (let run = from; run < to; run++)
      positions.subarray(run * RUN, (run + 1) * RUN).sort(compare)
  }
  let sorted = slices.loop(['runs', memoKey], slots, runs, start, sortRuns, 0, RUN)
  for (let width = RUN; width < count; width *= 2) {
    const source = sorted
    const room = (): Int32Array => new Int32Array(count)
    const merge = (target: Int32Array, from: number, to: number): void =>
      mergeInto(target, source, width, from, to, compare)
    sorted = slices.loop(['merged', width, memoKey], slots, count, room, merge, 0)
  }
  return sorted
}

/**
 * Merges the sorted runs of `width` in `source` two by two, and writes the places [`from`, `to`) of
 * the result.
 */
function mergeInto(
  target: Int32Array,
  source: Int32Array,
  width: number,
  from: number,
  to: number,
  compare: Compare,
): void {
  let at = from
  while (at < to) {
    const start = at - (at % (2 * width))
    const middle = Math.min(source.length, start + width)
    const end = Math.min(source.length, middle + width)
    let left = start + placesOfLeft(source, start, middle, end, at - start, compare)
    let right = middle + (at - start) - (left - start)
    const last = Math.min(to, end)
    for (; at < last; at++) {
      const isLeft = right >= end || (left < middle && compare(source[left], source[right]) < 0)
      target[at] = isLeft ? source[left++] : source[right++]
    }
  }
}

/**
 * How many of the first `count` places of two merged runs, [`start`, `middle`) and [`middle`,
 * `end`), come from the first run.
 */
function placesOfLeft(
  source: Int32Array,
  start: number,
  middle: number,
  end: number,
  count: number,
  compare: Compare,
): number {
  let low = Math.max(0, count - (end - middle))
  let high = Math.min(count, middle - start)
  while (low < high) {
    const left = (low + high) >>> 1
    // Too few when the next of the first run comes before the last taken of the second.
    if (compare(source[start + left], source[middle + count - left - 1]) < 0) low = left + 1
    else high = left
  }
  return low
}
