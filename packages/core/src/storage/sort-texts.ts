import { sortByNumber } from './sort-by-number.ts'
import { textPrefixes } from './text-prefixes.ts'

/**
 * The places of comparison keys in rising order, nulls first, equal ones by place. Sorts their
 * beginnings as numbers, and compares texts where these are equal: O(n) where texts differ early,
 * otherwise O(n log n) comparisons.
 */
export function sortTexts(texts: readonly (string | null)[]): Int32Array {
  const prefixes = textPrefixes(texts)
  const order = sortByNumber(prefixes)
  const compare = (a: number, b: number): number => {
    const left = texts[a] as string
    const right = texts[b] as string
    return left === right ? a - b : left < right ? -1 : 1
  }
  for (let from = 0; from < order.length; ) {
    const prefix = prefixes[order[from]]
    let to = from + 1
    while (to < order.length && prefixes[order[to]] === prefix) to++
    if (to - from > 1 && prefix !== Number.NEGATIVE_INFINITY) order.subarray(from, to).sort(compare)
    from = to
  }
  return order
}
