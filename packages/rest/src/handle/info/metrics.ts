import { restError } from '../../errors/rest-error.ts'
import { unknownService } from '../../request/address.ts'
import type { Verb } from '../../request/request.ts'
import type { Answer } from '../context/answer.ts'
import type { HandleContext } from '../context/context.ts'
import type { MetricsRule } from '../permission/service-rules.ts'

const VERBS: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/**
 * Answers `$metrics` if the rule allows it; else the address is unknown. Throws resourceNotFound,
 * verbNotAllowed.
 */
export async function answerMetrics(verb: Verb, context: HandleContext): Promise<Answer> {
  const { basePath } = context
  const { metrics } = context.rules
  if (metrics === null || !(await isAllowed(metrics.rule, context)))
    throw unknownService('$metrics', basePath)
  if (verb === 'OPTIONS') return { kind: 'verbs', allowed: VERBS }
  if (verb !== 'GET')
    throw restError('verbNotAllowed', { verb, allowed: VERBS, remedy: `Use ${VERBS.join(', ')}.` })
  return { kind: 'metrics', text: await metrics.text() }
}

/** A rule that throws counts as "no" and is reported to the host. */
async function isAllowed(
  rule: MetricsRule,
  { session, header, rules: { report } }: HandleContext,
): Promise<boolean> {
  try {
    const asker = { session: session.current, remoteAddress: session.origin.ipAddress, header }
    return (await rule(asker)) === true
  } catch (error) {
    report(error)
    return false
  }
}
