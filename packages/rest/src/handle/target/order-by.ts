import { type ClassModel, EntiaError } from '@entia/core'
import { isRelation, typeOf } from '../../engine/names.ts'
import type { HandleContext } from '../context/context.ts'
import { knownPath } from './known-path.ts'

/**
 * Checks `$orderby`: `path [asc|desc]`, several separated by commas.
 * Returns the text the engine takes. Throws orderBySyntax, orderByInvalid around an unknown attribute,
 * attributeNotSortable, budgetExceeded.
 */
export function checkOrderBy(dataClass: ClassModel, text: string, context: HandleContext): string {
  const { limits } = context
  const terms = text.split(',')
  if (terms.length > limits.maxSortKeys)
    throw new EntiaError('budgetExceeded', {
      what: 'terms of an order',
      limit: limits.maxSortKeys,
      option: 'limits.maxSortKeys',
    })
  let offset = 0
  const checked = terms.map((term) => {
    const at = offset + (term.length - term.trimStart().length)
    offset += term.length + 1
    return checkTerm(dataClass, term.trim(), { text, at, context })
  })
  return checked.join(', ')
}

interface TermContext {
  readonly text: string
  readonly at: number
  readonly context: HandleContext
}

function checkTerm(dataClass: ClassModel, term: string, { text, at, context }: TermContext): string {
  const [path, direction, extra] = term.matchAll(/\S+/g)
  const misplaced = (index: number, expected: string) =>
    new EntiaError('orderBySyntax', { orderBy: text, offset: at + index, expected })
  if (path === undefined) throw misplaced(0, 'an attribute')
  if (direction !== undefined && !/^(asc|desc)$/i.test(direction[0])) throw misplaced(direction.index, 'asc or desc')
  if (extra !== undefined) throw misplaced(extra.index, '"," or the end')
  refuseUnsortable(dataClass, path[0], context)
  return direction === undefined ? path[0] : `${path[0]} ${direction[0].toLowerCase()}`
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
