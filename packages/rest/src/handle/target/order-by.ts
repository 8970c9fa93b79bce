import { type ClassModel, EntiaError, splitOrder } from '@entia/core'
import { isRelation, typeOf } from '../../engine/names.ts'
import { overLimit } from '../../request/limits.ts'
import type { HandleContext } from '../context/context.ts'
import { knownPath } from './known-path.ts'

/**
 * Checks `$orderby`: `path [asc|desc]`, several separated by commas. Returns the text for the
 * engine. Throws orderBySyntax, orderByInvalid around an unknown attribute, attributeNotSortable,
 * budgetExceeded.
 */
export function checkOrderBy(dataClass: ClassModel, text: string, context: HandleContext): string {
  const { limits } = context
  const terms = splitOrder(text, null)
  if (terms.length > limits.maxSortKeys)
    throw overLimit('terms of an order', 'maxSortKeys', limits.maxSortKeys)
  for (const { path } of terms) refuseUnsortable(dataClass, path, context)
  return text
}

function refuseUnsortable(dataClass: ClassModel, path: string, context: HandleContext): void {
  const { steps, attribute, properties } = knownPath(dataClass, path, 'orderByInvalid', context)
  const isPlain =
    !isRelation(attribute) &&
    !['image', 'blob'].includes(typeOf(attribute)) &&
    (typeOf(attribute) !== 'object' || properties.length > 0)
  if (isPlain && steps.every((step) => step.kind === 'relatedEntity')) return
  throw new EntiaError('attributeNotSortable', {
    dataClass: dataClass.name,
    attribute: path.slice(0, 100),
    remedy: 'Name a plain value, reached through to-one relations only.',
  })
}
