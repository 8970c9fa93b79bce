import { EntiaError } from '../errors.ts'
import type { ClassModel, ComputedAttribute, StorageAttribute } from '../model/catalog.ts'
import type { Sees } from '../model/path.ts'
import type { OrderBy, OrderTerm } from './predicate.ts'

/**
 * How well an entity matches the words of a query: an attribute that exists in orders only. An
 * order is bound without its query, so its scores are null until a selection is created.
 */
export const relevanceOf = (
  owner: ClassModel,
  scores: Float64Array | null = null,
): ComputedAttribute => ({
  kind: 'calculated',
  name: 'relevance',
  owner,
  exposed: true,
  type: 'number',
  dateOnly: false,
  get: () => null,
  set: null,
  scores,
})

/**
 * True where the index of words of a visible attribute makes it known, and no attribute, visible or
 * not, has the name.
 */
export const namesRelevance = (
  { attributes, storage }: ClassModel,
  name: string,
  isVisible: Sees,
): boolean =>
  name === 'relevance' &&
  !attributes.has(name) &&
  storage.some((attribute) => attribute.words && isVisible(attribute))

export const isRelevance = ({ attribute }: OrderTerm): boolean =>
  attribute.kind === 'calculated' && attribute.scores !== undefined

export const hasRelevance = (orderBy: OrderBy | null): orderBy is OrderBy =>
  orderBy?.some(isRelevance) === true

export const relevanceError = (
  { name }: ClassModel,
  remedy = 'Order the result of a filter with "%" on an attribute with words: true.',
): EntiaError =>
  new EntiaError('attributeNotSortable', { dataClass: name, attribute: 'relevance', remedy })

/** With marks, which folding removes: a word may be written with combining accents. */
const TERMS = /[\p{L}\p{N}\p{M}]+[@*]?/gu
const IN_WORDS = /[\p{L}\p{N}]/u

/**
 * The text of a filter that finds entities with every word of a search, each in any visible
 * attribute with an index of words; null if there is no such attribute. A word that ends with `@`
 * or `*` is a prefix. A search without words finds nothing, as `%` does. Cost: O(words ×
 * attributes).
 */
export function searchFilter(
  { storage }: ClassModel,
  isVisible: (attribute: StorageAttribute) => boolean,
  search: string,
): string | null {
  const attributes = storage.filter((attribute) => attribute.words && isVisible(attribute))
  if (attributes.length === 0) return null
  const terms = new Set(search.match(TERMS)?.filter((term) => IN_WORDS.test(term)))
  // Terms hold no quote and no backslash, so they can stand in quotes as they are.
  const anywhere = (term: string): string =>
    `(${attributes.map(({ name }) => `${name} % '${term}'`).join(' or ')})`
  return Array.from(terms.size === 0 ? [''] : terms, anywhere).join(' and ')
}
