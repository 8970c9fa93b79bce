import { isEntiaError } from '@entia/core'
import { type EntityReference, type LockQuery, permitRows } from '@entia/engine'
import { type DataRequest, LOCK_VERBS, verbNotAllowed } from '../../request/request.ts'
import type { Answer } from '../context/answer.ts'
import { type HandleContext, notApplicable } from '../context/context.ts'
import type { DataTarget } from '../resolve/data-target.ts'
import { preconditionOf } from '../resolve/entity-key.ts'

/**
 * Locks or unlocks the addressed entity. Refusals and failures of the lock table are answers too;
 * the host is notified of failures.
 */
export async function lockEntity(
  target: DataTarget,
  request: DataRequest,
  context: HandleContext,
): Promise<Answer> {
  const reference = lockedEntity(target, request)
  const { engine, caller, session } = context
  permitRows(caller, target.dataClass, 'lock')
  // A lock is a GET, to which the cache of a browser adds If-None-Match by itself.
  const precondition = preconditionOf({ ...request.conditions, ifNoneMatch: null })
  const query: LockQuery = { reference, precondition }
  try {
    const outcome =
      request.parameters.lock === true
        ? await engine.lock(query, caller, () => session.require())
        : await engine.unlock(query, caller)
    return { kind: 'lock', outcome }
  } catch (error) {
    if (isEntiaError(error)) throw error
    context.rules.report(error)
    return { kind: 'lock', outcome: { kind: 'failed' } }
  }
}

/**
 * Requires the address of one entity without attributes. Parameters such as `$attributes` have no
 * effect and are allowed.
 */
function lockedEntity(target: DataTarget, { verb, parameters }: DataRequest): EntityReference {
  if (verb !== 'GET') throw verbNotAllowed(verb, LOCK_VERBS, '$lock goes with GET.')
  if (parameters.method !== null)
    throw notApplicable('$lock', `it does not go with $method=${parameters.method}`)
  if (target.functionName !== null) throw notApplicable('$lock', 'it does not go with a function')
  if (target.owner === null || target.attributes !== null)
    throw notApplicable(
      '$lock',
      'it needs the address of one entity, such as Employee(7), without attributes',
    )
  return target.owner
}
