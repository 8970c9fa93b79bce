import { type ClassModel, EntiaError, splitOrder } from '@entia/core'
import { isRelation, typeOf } from '../../engine/names.ts'
import { overLimit } from '../../request/limits.ts'
import type { HandleContext } from '../context/context.ts'
import { knownPath } from './known-path.ts'

/** Orders that are not checked again, and the length of one with what it was checked for. */
const MAX_KNOWN_ORDERS = 256
const MAX_KNOWN_CHARACTERS = 512

/**
 * Checks `$orderby`: `path [asc|desc]`, several separated by commas. Returns the text for the
 * engine. Throws orderBySyntax, orderByInvalid around an unknown attribute, attributeNotSortable,
 * budgetExceeded.
 */
export function checkOrderBy(dataClass: ClassModel, text: string, context: HandleContext): string {
  const { limits } = context
  const { orders } = context.caller.names
  // Names hold no blanks.
  const asked = `${dataClass.name} ${limits.maxSortKeys} ${limits.maxPathDepth} ${text}`
  if (orders.has(asked)) return text
  const terms = splitOrder(text, null)
  if (terms.length > limits.maxSortKeys)
    throw overLimit('terms of an order', 'maxSortKeys', limits.maxSortKeys)
  for (const { path } of terms) refuseUnsortable(dataClass, path, context)
  if (asked.length > MAX_KNOWN_CHARACTERS) return text
  if (orders.size >= MAX_KNOWN_ORDERS) orders.clear()
  orders.add(asked)
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
