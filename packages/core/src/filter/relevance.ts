import { EntiaError } from '../errors.ts'
import type { ClassModel, ComputedAttribute } from '../model/catalog.ts'
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
