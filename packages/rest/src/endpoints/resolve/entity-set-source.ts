import type { EntiaError } from '@entia/core'
import type { EntitySetSource, Keeping, SelectionSource, SetCombination } from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'
import type { Parameters } from '../../request/parameters.ts'
import { type HandleContext, notApplicable } from '../context/context.ts'
import type { DataTarget } from './data-target.ts'

/** The lifetime of a set that was recreated from saved criteria. */
const RECREATED_LIFETIME_SECONDS = 600
/** The id of the set that is always empty. */
const NO_MEMBERS = '$none'

/**
 * The entity set that an address names, combined as the parameters request; null if it names none.
 * `INTERSECT` combines like `AND`; only the count of the result matters. Throws
 * otherCollectionMissing, methodNotApplicable for `$logicOperator` without a set.
 */
export function entitySetSource(
  target: DataTarget,
  parameters: Parameters,
): EntitySetSource | null {
  const { dataClass, entitySetId } = target
  const { logicOperator, clean } = parameters
  if (entitySetId === null) {
    if (logicOperator === null) return null
    throw notApplicable('$logicOperator', 'it combines two entity sets, and the address names none')
  }
  const combination = combinationOf(parameters)
  return { kind: 'entitySet', dataClass, id: idOf(entitySetId), clean, combination }
}

function combinationOf({ logicOperator, otherCollection }: Parameters): SetCombination | null {
  if (logicOperator === null) return null
  if (otherCollection === null)
    throw restError('otherCollectionMissing', { operator: logicOperator })
  return {
    operator: logicOperator === 'INTERSECT' ? 'AND' : logicOperator,
    other: idOf(otherCollection),
  }
}

const idOf = (text: string): string | null => (text === NO_MEMBERS ? null : text)

/**
 * How to keep the selection; null if it is not to be kept. `subentityset` has no effect on a set:
 * clients send it with every page. Throws subEntitySetNotApplicable.
 */
export function keepingOf(
  source: SelectionSource,
  parameters: Parameters,
  context: HandleContext,
): Keeping | null {
  if (parameters.method === 'entityset') return keeping(parameters, null, context)
  if (parameters.method !== 'subentityset' || source.kind === 'entitySet') return null
  if (source.kind !== 'related') throw subEntitySetNotApplicable()
  const { name } = source.relation
  if (parameters.expand.some((path) => path === name || path.startsWith(`${name}.`)))
    return keeping(parameters, null, context)
  throw restError('subEntitySetNotApplicable', {
    problem: `$expand must name "${name.slice(0, 100)}"`,
  })
}

/** How to keep a recreated set. */
export function keepingAgain(parameters: Parameters, context: HandleContext): Keeping {
  return keeping(parameters, RECREATED_LIFETIME_SECONDS, context)
}

/** How `$method=entityset` keeps a selection. `lifetimeSeconds` applies if the request has none. */
export function keeping(
  { timeoutSeconds }: Parameters,
  lifetimeSeconds: number | null,
  { rules: { entitySetScope }, session }: HandleContext,
): Keeping {
  return {
    lifetimeSeconds: timeoutSeconds ?? lifetimeSeconds,
    owner: () => (entitySetScope === 'session' ? session.require() : null),
  }
}

/**
 * Refuses to keep a single entity or a value. Throws methodNotApplicable,
 * subEntitySetNotApplicable.
 */
export function refuseKeeping({ method }: Parameters, found: string): void {
  if (method === 'entityset')
    throw notApplicable('$method=entityset', `it keeps a selection, not ${found}`)
  if (method === 'subentityset') throw subEntitySetNotApplicable()
}

const subEntitySetNotApplicable = (): EntiaError =>
  restError('subEntitySetNotApplicable', {
    problem: 'the address names no to-many relation of an entity',
  })
