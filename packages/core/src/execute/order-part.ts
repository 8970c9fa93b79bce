/** Places [`from`, …) of an order, distributed by one of its terms. */
export interface Part {
  readonly from: number
  readonly term: number
  readonly depth: number
  /** The beginnings of the buckets, counted from `from`, and the end of the last one. */
  readonly starts: Int32Array
  /** True if the keys of each bucket are equal. */
  readonly isExact: boolean
  /** By bucket: 1 where its records are in order. */
  readonly isSorted: Uint8Array
  /** Buckets that were distributed again. */
  readonly inner: Map<number, Part>
}

/** A part of so many places that is sorted. */
export const inOrder = (count: number): Part => ({
  from: 0,
  term: 0,
  depth: 0,
  starts: Int32Array.of(0, count),
  isExact: false,
  isSorted: Uint8Array.of(1),
  inner: new Map(),
})

/** The bucket that holds a place: the last that begins at or before it. */
export function bucketAt(starts: Int32Array, place: number): number {
  let low = 0
  let high = starts.length - 2
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (starts[middle] <= place) low = middle
    else high = middle - 1
  }
  return low
}
