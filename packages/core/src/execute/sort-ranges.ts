/** Fewer are inserted one after the other: a call of `sort` takes longer than that. */
const MAX_INSERTED = 12

/**
 * Puts some ranges of `items` into an order each, in place: `ranges` holds their beginnings and ends in turn. `comparing` takes all items
 * of the ranges, for they are many and short, and gives what compares two of them by their places in what it was given.
 */
export function sortRanges(
  items: Int32Array,
  ranges: readonly number[],
  comparing: (tied: Int32Array) => (a: number, b: number) => number,
): void {
  let count = 0
  for (let i = 0; i < ranges.length; i += 2) count += ranges[i + 1] - ranges[i]
  const tied = new Int32Array(count)
  const positions = new Int32Array(count)
  for (let i = 0, at = 0; i < ranges.length; i += 2) {
    for (let place = ranges[i]; place < ranges[i + 1]; place++, at++) {
      tied[at] = items[place]
      positions[at] = at
    }
  }
  const compare = comparing(tied)
  for (let i = 0, at = 0; i < ranges.length; i += 2) {
    const from = at
    at += ranges[i + 1] - ranges[i]
    sortPart(positions, from, at, compare)
    for (let j = from; j < at; j++) items[ranges[i] + j - from] = tied[positions[j]]
  }
}

/** Sorts places [`from`, `to`) by comparing what stands there. */
export function sortPart(items: Int32Array, from: number, to: number, compare: (a: number, b: number) => number): void {
  if (to - from > MAX_INSERTED) {
    items.subarray(from, to).sort(compare)
    return
  }
  for (let i = from + 1; i < to; i++) {
    const moved = items[i]
    let at = i
    for (; at > from && compare(items[at - 1], moved) > 0; at--) items[at] = items[at - 1]
    items[at] = moved
  }
}
