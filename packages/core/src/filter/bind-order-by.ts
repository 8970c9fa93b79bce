import { EntiaError } from '../errors.ts'
import type {
  AttributeModel,
  ClassModel,
  ComputedAttribute,
  StorageAttribute,
} from '../model/catalog.ts'
import type { Sees } from '../model/path.ts'
import { checkText } from '../value/check-options.ts'
import { type BindContext, type BindOptions, bindContext, refusedAt } from './context.ts'
import { checkLimit, DEFAULT_FILTER_LIMITS, type FilterLimits } from './filter-errors.ts'
import { runParser } from './parse-filter.ts'
import type { OrderBy, OrderTerm } from './predicate.ts'
import { resolveFilterPath } from './resolve-filter-path.ts'
import type { OrderBySyntax, OrderTermSyntax } from './syntax.ts'

/**
 * Reads an order such as `salary desc, employer.name`. Cost: linear in the text. Throws
 * `orderBySyntax` with the place, or `filterTooLarge`; nothing else.
 */
export function parseOrderBy(
  text: string,
  limits: FilterLimits = DEFAULT_FILTER_LIMITS,
): OrderBySyntax {
  checkText('An order', text, 'salary desc, lastName')
  checkLimit(limits, 'maxFilterLength', text.length)
  const terms = runParser(
    'OrderBy',
    text,
    limits,
    (orderBy, offset, expected) => new EntiaError('orderBySyntax', { orderBy, offset, expected }),
  )
  checkLimit(limits, 'maxSortKeys', terms.length)
  return terms
}

/**
 * Turns an order such as `employer.name desc, notes.rank` into attributes. Paths go through to-one
 * relations only. Cost: O(names). Throws `orderBySyntax`, `attributeNotFound`,
 * `attributeNotSortable`, `filterTooLarge`.
 */
export function bindOrderBy(
  text: string,
  dataClass: ClassModel,
  options: BindOptions = {},
): OrderBy {
  const context = bindContext('order', text, options)
  return bindOrderSyntax(context, dataClass, parseOrderBy(text, context.limits))
}

/**
 * As `bindOrderBy`, for the order at the end of a filter. The errors are the filter's, with their
 * places.
 */
export function bindOrderSyntax(
  context: BindContext,
  dataClass: ClassModel,
  order: OrderBySyntax,
): OrderBy {
  return Object.freeze(order.map((term) => bindTerm(context, dataClass, term)))
}

function bindTerm(
  context: BindContext,
  dataClass: ClassModel,
  { path, descending }: OrderTermSyntax,
): OrderTerm {
  for (const { instance, element, at } of path.steps)
    if (instance !== 1 || element !== null) {
      const expected = 'a path without "{}" and "[]"'
      throw refusedAt(
        context,
        at,
        new EntiaError('orderBySyntax', { orderBy: context.text, offset: at, expected }),
      )
    }
  if (path.steps.length === 1 && namesRelevance(dataClass, path.steps[0].name, context.isVisible))
    return { steps: [], attribute: relevanceOf(dataClass), properties: [], descending }
  const { steps, attribute, written, properties } = resolveFilterPath(context, dataClass, path)
  const refuse = ({ name, owner }: AttributeModel, remedy: string): EntiaError => {
    const details = { dataClass: owner.name, attribute: name, remedy }
    return refusedAt(context, path.at, new EntiaError('attributeNotSortable', details))
  }
  const toMany = steps.find(({ relation }) => relation.kind === 'relatedEntities')
  if (toMany !== undefined)
    throw refuse(toMany.relation, 'It leads to many entities: order by what leads to one.')
  if (attribute.kind === 'relatedEntity' || attribute.kind === 'relatedEntities')
    throw refuse(written, 'It is a relation: order by an attribute behind it.')
  if (attribute.type === 'image' || attribute.type === 'blob')
    throw refuse(written, 'Bytes have no order.')
  if (attribute.type === 'object' && properties.length === 0)
    throw refuse(
      written,
      attribute.kind === 'calculated'
        ? 'It is a computed object, whose properties are not known: order by another attribute.'
        : `It is an object: order by a property of it, as in "${written.name}.property".`,
    )
  return Object.freeze({
    steps: Object.freeze(steps.map(({ relation }) => relation)),
    attribute,
    properties: Object.freeze(properties.map(({ name }) => name)),
    descending,
  })
}

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
const namesRelevance = (
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
