import type { WordColumn } from '../storage/column.ts'
import type { Dictionary } from '../storage/dictionary.ts'
import type { WordOrder } from '../storage/word-order.ts'
import { Steps } from './steps.ts'
import type { TimeSlices } from './time-slices.ts'

/** The order of a column's words. A sliced read that finds none sorts them in blocks. */
export const wordOrder = (
  { attribute, dictionary }: WordColumn,
  slices: TimeSlices | null,
): WordOrder => orderOf(dictionary, attribute, slices)

/** The order of a dictionary's words. `memoKey` identifies the dictionary. */
export function orderOf(
  dictionary: Dictionary,
  memoKey: unknown,
  slices: TimeSlices | null,
): WordOrder {
  if (slices === null || dictionary.hasOrder) return dictionary.order()
  const { keys } = dictionary
  const steps = Steps.in(slices, () => ['words', memoKey])
  const codes = steps.once(() => dictionary.codes())
  const compare = (a: number, b: number): number => {
    const left = keys[codes[a]]
    const right = keys[codes[b]]
    return left < right ? -1 : left > right ? 1 : codes[a] - codes[b]
  }
  const positions = steps.sort(codes.length, compare)
  return dictionary.order(Array.from(positions, (at) => codes[at]))
}

/** The codes of the words with keys in [low, high), in order of their keys. */
export function wordsBetween(column: WordColumn, low: string, high: string | null): number[] {
  const order = column.dictionary.order()
  const end = high === null ? Number.POSITIVE_INFINITY : order.labelAtOrAfter(high)
  return order.codesBetween(order.labelAtOrAfter(low), end)
}
