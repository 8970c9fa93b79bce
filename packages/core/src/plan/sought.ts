import type { ComparePredicate, KeywordTest, Predicate } from '../filter/predicate.ts'
import type { StorageAttribute } from '../model/catalog.ts'
import { exactRanges, type IndexRanges, rangesOf } from './key-range.ts'

/** What an index of an attribute is asked for: ranges of its values, or words of its texts. */
export type Sought = IndexRanges | WordSearch

/** All of the words; the index of words answers it exactly. */
export interface WordSearch {
  readonly kind: 'words'
  readonly words: KeywordTest['words']
  readonly isExact: true
}

/** What an index may answer of a test; null if no index of the attribute can. */
export function soughtOf(
  attribute: StorageAttribute,
  test: ComparePredicate['test'],
): Sought | null {
  if (test.op !== 'keyword') return rangesOf(attribute, test)
  return attribute.words ? searchOf(test) : null
}

/** One search per test: what was found for it is cached. */
const SEARCHES = new WeakMap<KeywordTest, WordSearch>()

export function searchOf(test: KeywordTest): WordSearch {
  let search = SEARCHES.get(test)
  if (search === undefined) {
    search = { kind: 'words', words: test.words, isExact: true }
    SEARCHES.set(test, search)
  }
  return search
}

/** One search for the words of several. */
export const bothSearches = (a: WordSearch, b: WordSearch): WordSearch => ({
  kind: 'words',
  words: [...a.words, ...b.words],
  isExact: true,
})

/**
 * What one index is asked for by comparisons of one attribute, if it selects exactly the same
 * records; else null.
 */
export function exactSought(attribute: StorageAttribute, predicate: Predicate): Sought | null {
  const parts = predicate.kind === 'and' ? predicate.parts : [predicate]
  let search: WordSearch | null = null
  for (const part of parts) {
    if (part.kind !== 'compare' || part.test.op !== 'keyword') {
      // Of ranges and words, one index answers either.
      return search === null ? exactRanges(attribute, predicate) : null
    }
    if (!attribute.words) return null
    const next = searchOf(part.test)
    search = search === null ? next : bothSearches(search, next)
  }
  return search
}
