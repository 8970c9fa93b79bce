import { textKey } from '../value/text-key.ts'
import type { WordColumn } from './column.ts'

export type Broken = (invariant: string) => never

/**
 * Compares the dictionary of a column with its codes: spellings, comparison keys, counts, and the
 * order of the words.
 */
export function verifyWords(
  { attribute, codes, dictionary }: WordColumn,
  slots: Int32Array,
  broken: Broken,
): void {
  const counts = new Map<number, number>()
  for (const slot of slots) counts.set(codes[slot], (counts.get(codes[slot]) ?? 0) + 1)
  let words = 0
  for (let code = 0; code < dictionary.codeLimit; code++) {
    const spelling = dictionary.spellings[code]
    if (dictionary.counts[code] !== (counts.get(code) ?? 0))
      broken(`word ${code} is counted ${dictionary.counts[code]} times`)
    counts.delete(code)
    if (code === 0 || dictionary.find(spelling) !== code) {
      // A freed code: no record may hold it.
      if (code !== 0 && dictionary.counts[code] !== 0)
        broken(`word ${code} is in use and not found`)
      continue
    }
    words++
    const key = textKey(spelling, attribute.collation)
    if (dictionary.keys[code] !== key)
      broken(`the comparison key of word ${code} is not that of its spelling`)
    if (!dictionary.codesOfKey(key).includes(code))
      broken(`word ${code} is not found by its comparison key`)
  }
  if (counts.size > 0) broken('a record holds a code that is no word')
  if (words !== dictionary.size)
    broken(`the dictionary counts ${dictionary.size} words and has ${words}`)
  if (dictionary.hasOrder) verifyOrder({ dictionary }, broken)
}

function verifyOrder({ dictionary }: Pick<WordColumn, 'dictionary'>, broken: Broken): void {
  const order = dictionary.order()
  const { keys } = dictionary
  if (order.count !== dictionary.size)
    broken(`the word order holds ${order.count} of ${dictionary.size} words`)
  let before = -1
  let seen = 0
  order.some(false, (code) => {
    seen++
    if (before >= 0) {
      if (keys[before] > keys[code]) broken(`words ${before} and ${code} are in the wrong order`)
      const isSameKey = keys[before] === keys[code]
      const isSameLabel = order.labels[before] === order.labels[code]
      if (isSameKey !== isSameLabel || order.labels[before] > order.labels[code]) {
        broken(`the order labels of words ${before} and ${code} are not in the order of the words`)
      }
    }
    before = code
    return false
  })
  if (seen !== order.count) broken(`the word order counts ${order.count} words and has ${seen}`)
}
