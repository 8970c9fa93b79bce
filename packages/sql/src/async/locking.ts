import type { ClassModel, HoldOutcome } from '@entia/core'
import { coerceInput, heldOutcome, Refusal } from '@entia/core/internal'
import { engineError, type KeyValue } from '@entia/engine'
import { publicError } from '../connect/database-error.ts'
import { repeated } from '../engine/bounded-calls.ts'
import { lockTarget } from '../server-state/lock-pieces.ts'
import type { AsyncPort, AsyncRuns } from './sql-user.ts'

/** Locks for the user's session. A refused lock opens no session. */
export async function lockEntity(
  runs: AsyncRuns,
  dataClass: ClassModel,
  given: unknown,
): Promise<HoldOutcome> {
  const { context, state } = portOf(runs)
  const key = keyOf(dataClass, given)
  if (key === null) return { kind: 'absent' }
  const target = lockTarget(context.model, dataClass, key)
  try {
    if ((await runs.session()) === null) {
      const probed = await repeated(null, () => state.locks.probe(target))
      if (probed.kind !== 'locked') return heldOutcome(probed)
    }
    const session = await runs.openSession()
    return heldOutcome(await repeated(null, () => state.locks.lock(target, session)))
  } catch (error) {
    throw publicError(error)
  }
}

/** True if the entity exists and no other session holds it. */
export async function unlockEntity(
  runs: AsyncRuns,
  dataClass: ClassModel,
  given: unknown,
): Promise<boolean> {
  const { context, state } = portOf(runs)
  const key = keyOf(dataClass, given)
  if (key === null) return false
  const target = lockTarget(context.model, dataClass, key)
  try {
    const session = await runs.session()
    if (session === null)
      return (await repeated(null, () => state.locks.probe(target))).kind === 'locked'
    return (await repeated(null, () => state.locks.unlock(target, session))).kind === 'unlocked'
  } catch (error) {
    throw publicError(error)
  }
}

/** Null for a value that no entity has as its key. */
function keyOf({ key }: ClassModel, given: unknown): KeyValue | null {
  const value = coerceInput(key.type, key.dateOnly, given)
  return value instanceof Refusal || (typeof value !== 'string' && typeof value !== 'number')
    ? null
    : value
}

/** Throws `notOnThisEngine` within a transaction. */
function portOf({ port }: AsyncRuns): AsyncPort {
  if (port !== null) return port
  throw engineError('notOnThisEngine', {
    what: 'A lock within a transaction',
    remedy: 'Lock before the transaction, with the store itself.',
  })
}
