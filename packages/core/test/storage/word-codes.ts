import type { Dictionary } from '../../src/storage/dictionary.ts'
import type { WordOrder } from '../../src/storage/word-order.ts'

/** The label of the first word after `key`. */
export const labelAfter = (order: WordOrder, key: string): number =>
  order.labelAtOrAfter(`${key}\0`)

/** The codes of words with living records, in order of their keys. */
export function livingCodes(dictionary: Dictionary): number[] {
  const out: number[] = []
  dictionary.order().some(false, (code) => {
    if (dictionary.counts[code] > 0) out.push(code)
    return false
  })
  return out
}
