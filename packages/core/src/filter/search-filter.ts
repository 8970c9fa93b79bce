import type { StorageAttribute } from '../model/catalog.ts'

/** With marks, which folding removes: a word may be written with combining accents. */
const TERMS = /[\p{L}\p{N}\p{M}]+[@*]?/gu
const IN_WORDS = /[\p{L}\p{N}]/u

/**
 * The text of a filter that finds entities with every word of a search, each in any of the
 * attributes. A word that ends with `@` or `*` is a prefix. A search without words finds nothing,
 * as `%` does. The attributes are not empty. Cost: O(words × attributes).
 */
export function searchFilter(attributes: readonly StorageAttribute[], search: string): string {
  const terms = new Set(search.match(TERMS)?.filter((term) => IN_WORDS.test(term)))
  // Terms hold no quote and no backslash, so they can stand in quotes as they are.
  const anywhere = (term: string): string =>
    `(${attributes.map(({ name }) => `${name} % '${term}'`).join(' or ')})`
  return Array.from(terms.size === 0 ? [''] : terms, anywhere).join(' and ')
}
