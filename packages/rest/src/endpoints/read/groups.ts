import { EntiaError, splitOrder } from '@entia/core'
import { classOf, isDateOnly, isRelation, type SelectionQuery, typeOf } from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'
import { refuseOver } from '../../request/limits.ts'
import { invalidParameter } from '../../request/parameter-values.ts'
import type { Parameters } from '../../request/parameters.ts'
import type { GroupsAnswer } from '../context/answer.ts'
import { type HandleContext, notApplicable, refuseGiven } from '../context/context.ts'
import { knownPath } from '../resolve/data-target.ts'
import { ownerMissing, planOf } from '../resolve/selection-query.ts'

const FUNCTIONS = ['average', 'count', 'countDistinct', 'max', 'min', 'sum'] as const
type AggregateFunction = (typeof FUNCTIONS)[number]
const SPANS: ReadonlySet<string> = new Set(['day', 'week', 'month', 'quarter', 'year'])

/**
 * `$groupby`: a page of the groups of a whole selection, with `$aggregates`, `$having` and
 * `$orderby`. Throws attributeListInvalid, orderByInvalid, parameterInvalid, methodNotApplicable,
 * and the errors of the engine.
 */
export async function answerGroups(
  query: SelectionQuery,
  names: readonly string[],
  parameters: Parameters,
  isOfAttributes: boolean,
  context: HandleContext,
): Promise<GroupsAnswer> {
  const problem = 'the values of groups are those of $groupby and $aggregates'
  if (isOfAttributes) throw notApplicable('An attribute in the address', problem)
  refuseGiven(parameters, ['compute', 'distinct', 'attributes', 'expand', 'subOrderBy'], problem)
  const dataClass = classOf(query.source)
  const days = new Set<string>()
  for (const name of names) if (isDay(query, name, context)) days.add(name)
  const aggregates = new Map<string, true | AggregateFunction[]>()
  for (const name of parameters.aggregates ?? [])
    addAggregate(query, name, aggregates, days, context)
  const columns = [
    ...names,
    ...[...aggregates].flatMap(([path, functions]) =>
      functions === true ? [path] : functions.map((each) => `${path}.${each}`),
    ),
  ]
  refuseUnknownOrder(query, parameters.orderBy, columns, context)
  const { skip, having, orderBy, asArray } = parameters
  const answer = await context.engine.group(
    {
      ...query,
      attributes: names,
      aggregates: Object.fromEntries(aggregates),
      having,
      groupOrder: orderBy,
      skip,
      // The default of `$top` is for entities, not for groups.
      top: parameters.top ?? context.limits.maxTop,
      withExplain: parameters.explain,
    },
    context.caller,
  )
  if (answer === null) throw ownerMissing(query.source)
  const { globalStamp, count, rows } = answer
  const page = { globalStamp, count, rows, first: skip, isArray: asArray }
  return { kind: 'groups', dataClass, ...page, days, plan: planOf(parameters, answer) }
}

/** Refuses what has a meaning beside `$groupby` only. Throws methodNotApplicable. */
export function refuseWithoutGroups({ groupBy, aggregates, having }: Parameters): void {
  if (groupBy !== null || (aggregates === null && having === null)) return
  const name = aggregates === null ? '$having' : '$aggregates'
  throw notApplicable(name, 'it is about groups: give $groupby')
}

/** Checks the names of a path; true if groups by it are calendar dates. */
function isDay({ source }: SelectionQuery, name: string, context: HandleContext): boolean {
  const dataClass = classOf(source)
  const dot = name.lastIndexOf('.')
  if (dot > 0 && SPANS.has(name.slice(dot + 1))) {
    const spanned = knownOrNull(source, name.slice(0, dot), context)
    if (
      spanned !== null &&
      spanned.properties.length === 0 &&
      !isRelation(spanned.attribute) &&
      typeOf(spanned.attribute) === 'date'
    )
      return true
  }
  const { attribute, properties } = knownPath(dataClass, name, context)
  return properties.length === 0 && !isRelation(attribute) && isDateOnly(attribute)
}

/** The path if its names are known. */
function knownOrNull(source: SelectionQuery['source'], path: string, context: HandleContext) {
  try {
    return context.caller.names.path(classOf(source), path, context.limits.maxPathDepth)
  } catch (error) {
    if (error instanceof EntiaError) return null
    throw error
  }
}

function addAggregate(
  query: SelectionQuery,
  name: string,
  aggregates: Map<string, true | AggregateFunction[]>,
  days: Set<string>,
  context: HandleContext,
): void {
  if (name === 'count') {
    if (aggregates.has(name)) throw notApplicable('$aggregates', '"count" has two meanings')
    aggregates.set(name, true)
    return
  }
  const dot = name.lastIndexOf('.')
  const last = FUNCTIONS.find((each) => each === name.slice(dot + 1))
  if (dot <= 0 || last === undefined)
    throw invalidParameter(
      '$aggregates',
      `count, or a path and one of ${FUNCTIONS.join(', ')}, as "delay.average"`,
      `"${name.slice(0, 100)}"`,
    )
  const path = name.slice(0, dot)
  const { attribute, properties } = knownPath(classOf(query.source), path, context)
  if (properties.length === 0 && !isRelation(attribute) && isDateOnly(attribute)) days.add(path)
  const known = aggregates.get(path)
  if (known === undefined) aggregates.set(path, [last])
  else if (known === true) throw notApplicable('$aggregates', '"count" has two meanings')
  else if (!known.includes(last)) known.push(last)
}

/** Refuses an order by names that the rows do not have. Throws orderByInvalid, budgetExceeded. */
function refuseUnknownOrder(
  { source }: SelectionQuery,
  orderBy: string | null,
  columns: readonly string[],
  { limits }: HandleContext,
): void {
  if (orderBy === null) return
  const terms = splitOrder(orderBy, null)
  refuseOver(terms.length, 'terms of an order', 'maxSortKeys', limits)
  const dataClass = `groups of ${classOf(source).name}`
  for (const { path } of terms)
    if (!columns.includes(path)) {
      const details = { dataClass, attribute: path.slice(0, 100) }
      const cause = new EntiaError('attributeNotFound', { ...details, known: columns })
      throw restError('orderByInvalid', details, { cause })
    }
}
