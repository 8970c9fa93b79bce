import { type ClassModel, EntiaError, isEntiaError } from '@entia/core'
import type { Limits } from '../request/limits.ts'
import { isRelation, resolveExposedPath, typeOf } from './names.ts'

/**
 * Checks `$orderby`: `path [asc|desc]`, several separated by commas.
 * Returns the text the engine takes. Throws orderBySyntax, orderByInvalid around an unknown attribute,
 * attributeNotSortable, budgetExceeded.
 */
export function checkOrderBy(dataClass: ClassModel, text: string, limits: Limits): string {
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
    return checkTerm(dataClass, term.trim(), { text, at, limits })
  })
  return checked.join(', ')
}

interface TermContext {
  readonly text: string
  readonly at: number
  readonly limits: Limits
}

function checkTerm(dataClass: ClassModel, term: string, { text, at, limits }: TermContext): string {
  const [path, direction, extra] = term.matchAll(/\S+/g)
  const misplaced = (index: number, expected: string) =>
    new EntiaError('orderBySyntax', { orderBy: text, offset: at + index, expected })
  if (path === undefined) throw misplaced(0, 'an attribute')
  if (direction !== undefined && !/^(asc|desc)$/i.test(direction[0])) throw misplaced(direction.index, 'asc or desc')
  if (extra !== undefined) throw misplaced(extra.index, '"," or the end')
  refuseUnsortable(dataClass, path[0], limits.maxPathDepth)
  return direction === undefined ? path[0] : `${path[0]} ${direction[0].toLowerCase()}`
}

function refuseUnsortable(dataClass: ClassModel, path: string, maxDepth: number): void {
  let resolved: ReturnType<typeof resolveExposedPath>
  try {
    resolved = resolveExposedPath(dataClass, path, maxDepth)
  } catch (cause) {
    if (!isEntiaError(cause, 'attributeNotFound') && !isEntiaError(cause, 'attributeNotApplicable')) throw cause
    throw new EntiaError('orderByInvalid', { dataClass: dataClass.name, attribute: path.slice(0, 100) }, { cause })
  }
  const { steps, attribute, properties } = resolved
  const isPlain =
    !isRelation(attribute) &&
    !['image', 'blob'].includes(typeOf(attribute)) &&
    (typeOf(attribute) !== 'object' || properties.length > 0)
  if (isPlain && steps.every((step) => step.kind === 'relatedEntity')) return
  throw new EntiaError('attributeNotSortable', {
    dataClass: attribute.owner.name,
    attribute: path.slice(0, 100),
    remedy: 'Name a plain value, reached through to-one relations only.',
  })
}
