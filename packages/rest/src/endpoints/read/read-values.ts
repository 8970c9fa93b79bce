import { EntiaError } from '@entia/core'
import {
  type AggregatePath,
  classOf,
  isDateOnly,
  isRelation,
  NUMERIC_TYPES,
  type SelectionQuery,
  typeOf,
} from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'
import { invalidParameter } from '../../request/parameter-values.ts'
import type { Parameters } from '../../request/parameters.ts'
import type { Answer } from '../context/answer.ts'
import { type HandleContext, notApplicable } from '../context/context.ts'
import { knownPath } from '../resolve/data-target.ts'
import { ownerMissing, planOf } from '../resolve/selection-query.ts'

/** `$compute`: over the whole selection, independent of the page. */
export async function answerAggregates(
  query: SelectionQuery,
  names: readonly string[],
  parameters: Parameters,
  context: HandleContext,
): Promise<Answer> {
  const action = parameters.compute ?? 'all'
  if (names.length === 0 || names.includes('*'))
    throw restError('attributeListEmpty', { parameter: '$compute' })
  // One keyword answers one bare value, so only the first attribute counts.
  const requested = action === 'all' ? names : names.slice(0, 1)
  const paths = requested.map((name) => aggregatePath(query, name, '$compute', context))
  if (action === 'sum' || action === 'average')
    for (const path of paths) refuseNotNumeric(query, path, action)
  const answer = await context.engine.compute(
    { ...query, action, paths, distinct: parameters.distinct },
    context.caller,
  )
  if (answer === null) throw ownerMissing(query.source)
  const { aggregates } = answer
  const only = action === 'all' ? null : action
  return { kind: 'aggregates', paths, aggregates, only, plan: planOf(parameters, answer) }
}

/** `$distinct`: the sorted values of one attribute; `$skip` and `$top` page them. */
export async function answerDistinct(
  query: SelectionQuery,
  names: readonly string[],
  parameters: Parameters,
  context: HandleContext,
): Promise<Answer> {
  const [name, ...more] = names
  if (name === undefined || name === '*')
    throw restError('attributeListEmpty', { parameter: '$distinct' })
  if (more.length > 0) throw invalidParameter('$distinct', 'one attribute', 'several')
  const path = aggregatePath(query, name, '$distinct', context)
  const descending = isDescending(parameters.orderBy, name)
  const answer = await context.engine.distinct(
    {
      ...query,
      path,
      descending,
      skip: parameters.skip,
      // The default of `$top` is for entities, not for values.
      top: parameters.top ?? context.limits.maxTop,
    },
    context.caller,
  )
  if (answer === null) throw ownerMissing(query.source)
  return { kind: 'distinct', path, values: answer.values, plan: planOf(parameters, answer) }
}

/**
 * True if distinct values are requested in descending order. Throws methodNotApplicable for another
 * order.
 */
function isDescending(orderBy: string | null, name: string): boolean {
  const [path, direction = 'asc'] = orderBy?.trim().split(/\s+/) ?? [name]
  if (path !== name || orderBy?.includes(',') === true)
    throw notApplicable(
      '$orderby',
      `distinct values have the order of "${name.slice(0, 100)}", asc or desc`,
    )
  return direction.toLowerCase() === 'desc'
}

function aggregatePath(
  query: SelectionQuery,
  path: string,
  use: string,
  context: HandleContext,
): AggregatePath {
  const dataClass = classOf(query.source)
  const { steps, attribute, properties } = knownPath(dataClass, path, context)
  const refused = (remedy: string) =>
    new EntiaError('attributeNotApplicable', {
      dataClass: dataClass.name,
      attribute: path.slice(0, 100),
      use,
      remedy,
    })
  if (steps.length > 0) throw refused('Name an attribute of the dataclass itself, or an alias.')
  if (isRelation(attribute)) throw refused('Name an attribute that holds plain values.')
  const type = typeOf(attribute)
  if (type === 'image' || type === 'blob' || (type === 'object' && properties.length === 0))
    throw refused(
      'Name an attribute that holds plain values, or a property of an object attribute.',
    )
  return {
    path,
    // The values of an object are known only when it is read.
    isNumeric: NUMERIC_TYPES.has(type) || type === 'object',
    type: type !== 'date' ? 'other' : isDateOnly(attribute) ? 'dateOnly' : 'date',
  }
}

function refuseNotNumeric(
  query: SelectionQuery,
  { path, isNumeric }: AggregatePath,
  action: string,
): void {
  if (isNumeric) return
  throw new EntiaError('attributeNotApplicable', {
    dataClass: classOf(query.source).name,
    attribute: path.slice(0, 100),
    use: `$compute=${action}`,
    remedy: 'It holds no numbers: use count, min or max.',
  })
}
