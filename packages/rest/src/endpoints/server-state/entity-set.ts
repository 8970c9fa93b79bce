import { EntiaError } from '@entia/core'
import { restError } from '../../errors/rest-error.ts'
import { parseJsonBody } from '../../request/body.ts'
import { areStrings } from '../../request/json-text.ts'
import { refuseOver } from '../../request/limits.ts'
import type { RestRequest } from '../../request/request.ts'
import type { Answer } from '../context/answer.ts'
import { type HandleContext, notApplicable } from '../context/context.ts'
import type { DataTarget } from '../resolve/data-target.ts'

/**
 * `$method=release`. Throws entitySetNotFound, entitySetOfOtherClass, methodNotApplicable for an
 * address that does not name a set.
 */
export async function releaseEntitySet(
  target: DataTarget,
  { engine, caller }: HandleContext,
): Promise<Answer> {
  const { dataClass, entitySetId: id } = target
  if (id === null) throw notApplicable('$method=release', 'the address names no entity set')
  if (await engine.releaseEntitySet(dataClass, id, caller)) return { kind: 'done' }
  throw new EntiaError('entitySetNotFound', { id: id.slice(0, 40) })
}

/**
 * `$entityset/$release` with an array of ids. Unknown ids count as released. Throws bodyMalformed,
 * budgetExceeded.
 */
export async function releaseEntitySets(
  request: RestRequest,
  { engine, caller, limits }: HandleContext,
): Promise<Answer> {
  const ids = parseJsonBody(request.body, limits)
  if (!areStrings(ids))
    throw restError('bodyMalformed', { problem: 'it must be an array of ids of entity sets' })
  refuseOver(ids.length, 'ids in the body', 'maxItems', limits)
  await engine.releaseEntitySets(ids, caller)
  return { kind: 'done' }
}
