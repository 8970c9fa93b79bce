import { EntiaError } from '../errors.ts'
import type { AttributeModel, ClassModel } from '../model/catalog.ts'
import { checkText } from '../value/check-options.ts'
import { type BindContext, type BindOptions, bindContext, refusedAt } from './context.ts'
import { checkLimit, DEFAULT_FILTER_LIMITS, type FilterLimits } from './limits.ts'
import { runParser } from './parse-filter.ts'
import type { OrderBy, OrderTerm } from './predicate.ts'
import { namesRelevance, relevanceOf } from './relevance.ts'
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
      `It is an object: order by a property of it, as in "${written.name}.property".`,
    )
  return Object.freeze({
    steps: Object.freeze(steps.map(({ relation }) => relation)),
    attribute,
    properties: Object.freeze(properties.map(({ name }) => name)),
    descending,
  })
}
