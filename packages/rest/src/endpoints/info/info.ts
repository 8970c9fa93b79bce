import type { EntitySetInfo, SessionInfo } from '@entia/core'
import { type Awaitable, andThen } from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'
import { type AddressOf, unknownService } from '../../request/address.ts'
import { type RestRequest, verbNotAllowed } from '../../request/request.ts'
import type { Answer } from '../context/answer.ts'
import { type HandleContext, isAllowed } from '../context/context.ts'
import { privilegesOf } from '../permission/privileges.ts'

/** Answers `$info`. */
export async function answerInfo(
  { address: { part } }: RestRequest<AddressOf<'info'>>,
  context: HandleContext,
): Promise<Answer> {
  const { engine, caller, session } = context
  if (part === 'privileges') return { kind: 'privileges', privileges: privilegesOf(caller) }
  const isAll = await showsAll(context)
  const { entitySets, sessions, ...cache } = await engine.info(caller)
  const known = entitySets.filter(
    ({ dataClass }) => caller.names.findDataClass(dataClass) !== undefined,
  )
  const own = session.current?.id ?? null
  // The size of a set counts members that a row filter hides.
  const seesAll = (name: string): boolean => {
    const { names, access } = caller
    return access === null || access.rows(names.findDataClass(name)!, 'read') === true
  }
  const isShown = {
    set: ({ owner, dataClass }: EntitySetInfo) =>
      (own !== null && owner === own) || (isAll && seesAll(dataClass)),
    session: ({ id }: SessionInfo) => isAll || id === own,
  }
  return {
    kind: 'info',
    part,
    info: {
      ...cache,
      entitySetCount: known.length,
      entitySets: known.filter(isShown.set),
      sessions: sessions.filter(isShown.session),
    },
  }
}

/** A rule that throws counts as "no" and is reported to the host. */
async function showsAll(context: HandleContext): Promise<boolean> {
  const { infoRule } = context.rules
  if (typeof infoRule === 'string') return infoRule === 'all'
  return isAllowed(({ session }) => infoRule(session), context)
}

/**
 * Answers `$health/live` and `$health/ready`. Live: this process answers requests. Ready: its
 * storage can be reached, and it is not about to stop. Throws serverStopping, engineUnavailable.
 */
export function answerHealth(
  { address }: RestRequest<AddressOf<'health'>>,
  { engine, rules }: HandleContext,
): Awaitable<Answer> {
  if (address.of === 'live') return { kind: 'done' }
  if (rules.isStopping()) throw restError('serverStopping', { retryAfterSeconds: 1 })
  return andThen(engine.ping(), (): Answer => ({ kind: 'done' }))
}

const VERBS: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/**
 * Answers `$metrics` if the rule allows it; else the address is unknown. Throws resourceNotFound,
 * verbNotAllowed.
 */
export async function answerMetrics(
  { verb }: RestRequest,
  context: HandleContext,
): Promise<Answer> {
  const { basePath } = context
  const { metrics } = context.rules
  if (metrics === null || !(await isAllowed(metrics.rule, context)))
    throw unknownService('$metrics', basePath)
  if (verb === 'OPTIONS') return { kind: 'verbs', allowed: VERBS }
  if (verb !== 'GET') throw verbNotAllowed(verb, VERBS)
  return { kind: 'metrics', text: await metrics.text() }
}
