import { type Awaitable, andThen } from '../../engine/awaitable.ts'
import { restError } from '../../errors/rest-error.ts'
import type { Answer } from '../context/answer.ts'
import type { HandleContext } from '../context/context.ts'

/**
 * Answers `$health/live` and `$health/ready`. Live: this process answers requests. Ready: its
 * storage can be reached, and it is not about to stop. Throws serverStopping, engineUnavailable.
 */
export function answerHealth(
  of: 'live' | 'ready',
  { engine, rules }: HandleContext,
): Awaitable<Answer> {
  if (of === 'live') return { kind: 'done' }
  if (rules.isStopping()) throw restError('serverStopping', { retryAfterSeconds: 1 })
  return andThen(engine.ping(), (): Answer => ({ kind: 'done' }))
}
