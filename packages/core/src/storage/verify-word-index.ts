import type { Column } from './column.ts'
import type { Broken } from './verify-values.ts'
import { WordIndex } from './word-index.ts'

/** Builds the index of the words of a column again and compares. Cost: O(words of all texts). */
export function verifyWordIndex(
  index: WordIndex,
  column: Column,
  slots: Int32Array,
  broken: Broken,
): void {
  const fresh = new WordIndex(column.attribute.collation)
  fresh.build(slots, (slot) => column.read(slot))
  if (index.collation !== fresh.collation) broken('the words have another collation')
  if (index.total !== fresh.total)
    broken(`the index counts ${index.total} words, not ${fresh.total}`)
  for (let slot = 0; slot < Math.max(index.lengths.length, fresh.lengths.length); slot++) {
    if ((index.lengths[slot] ?? 0) !== (fresh.lengths[slot] ?? 0))
      broken(`the number of words of record ${slot} is wrong`)
  }
  for (const code of index.dictionary.codes()) {
    const word = index.dictionary.spellings[code]
    if (index.codeOf(word) > 0 && fresh.codeOf(word) === 0)
      broken(`no record contains the word "${word}"`)
  }
  for (const code of fresh.dictionary.codes()) {
    const word = fresh.dictionary.spellings[code]
    const own = index.codeOf(word)
    if (own === 0) broken(`the word "${word}" is missing`)
    if (index.dictionary.counts[own] !== fresh.dictionary.counts[code])
      broken(`the records of the word "${word}" are counted wrongly`)
    for (const lists of ['postings', 'repeats'] as const) {
      const found = listOf(index, lists, own)
      const expected = listOf(fresh, lists, code)
      if (found.length !== expected.length || expected.some((slot, at) => found[at] !== slot))
        broken(`the word "${word}" has other ${lists}`)
    }
  }
}

function listOf(index: WordIndex, name: 'postings' | 'repeats', code: number): Int32Array {
  const lists = index[name]
  const start = lists.start(code)
  return lists.data.subarray(start, start + lists.length(code))
}
