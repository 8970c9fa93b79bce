/** Fewer items are sorted by insertion, which takes less than a call of `sort`. */
const MAX_INSERTED = 12

/**
 * Sorts some ranges of `items`, in place: `ranges` holds their beginnings and ends, alternating.
 * `comparing` takes the items of all ranges, which are many and short, and returns a comparison of
 * two of them by their places in that list.
 */
export function sortRanges(
  items: Int32Array,
  ranges: readonly number[],
  comparing: (tied: Int32Array) => (a: number, b: number) => number,
  tied = itemsIn(items, ranges),
): void {
  const positions = new Int32Array(tied.length)
  for (let i = 0; i < positions.length; i++) positions[i] = i
  const compare = comparing(tied)
  for (let i = 0, at = 0; i < ranges.length; i += 2) {
    const from = at
    at += ranges[i + 1] - ranges[i]
    sortPart(positions, from, at, compare)
    for (let j = from; j < at; j++) items[ranges[i] + j - from] = tied[positions[j]]
  }
}

/** The items of some ranges, one after the other. */
export function itemsIn(items: Int32Array, ranges: readonly number[]): Int32Array {
  let count = 0
  for (let i = 0; i < ranges.length; i += 2) count += ranges[i + 1] - ranges[i]
  const found = new Int32Array(count)
  for (let i = 0, at = 0; i < ranges.length; i += 2)
    for (let place = ranges[i]; place < ranges[i + 1]; place++) found[at++] = items[place]
  return found
}

/** Sorts the items at the places [`from`, `to`). */
export function sortPart(
  items: Int32Array,
  from: number,
  to: number,
  compare: (a: number, b: number) => number,
): void {
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

/**
 * The first `end` of `count` positions in an order, by binary insertion. For few positions, since
 * each insertion may move all others. Cost O(count) comparisons, O(log end) more for each that is
 * among the first when it is compared.
 */
export function firstPositions(
  count: number,
  end: number,
  compare: (a: number, b: number) => number,
): number[] {
  const first: number[] = []
  for (let position = 0; position < count; position++) {
    const isFull = first.length === end
    if (isFull && compare(position, first[end - 1]) > 0) continue
    let low = 0
    let high = isFull ? end - 1 : first.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compare(first[middle], position) < 0) low = middle + 1
      else high = middle
    }
    for (let i = isFull ? end - 1 : first.length; i > low; i--) first[i] = first[i - 1]
    first[low] = position
  }
  return first
}
