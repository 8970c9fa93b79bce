import type { ClassModel, HoldOutcome } from '@entia/core'
import { heldOutcome } from '@entia/core/internal'
import { repeated, withPublicErrors } from '../engine/bounded-calls.ts'
import { scalarGiven } from '../engine/predicted.ts'
import { type LockTarget, lockTarget } from '../server-state/lock-pieces.ts'
import type { SqlLocks } from '../server-state/locks.ts'
import { type AsyncRuns, portOf } from './sql-user.ts'

/** Locks for the user's session. A refused lock opens no session. */
export const lockEntity = (
  runs: AsyncRuns,
  dataClass: ClassModel,
  given: unknown,
): Promise<HoldOutcome> =>
  onEntity<HoldOutcome>(runs, dataClass, given, { kind: 'absent' }, async (locks, target) => {
    if ((await runs.session()) === null) {
      const probed = await repeated(null, () => locks.probe(target))
      if (probed.kind !== 'locked') return heldOutcome(probed)
    }
    const session = await runs.openSession()
    return heldOutcome(await repeated(null, () => locks.lock(target, session)))
  })

/** True if the entity exists and no other session holds it. */
export const unlockEntity = (
  runs: AsyncRuns,
  dataClass: ClassModel,
  given: unknown,
): Promise<boolean> =>
  onEntity(runs, dataClass, given, false, async (locks, target) => {
    const session = await runs.session()
    if (session === null) return (await repeated(null, () => locks.probe(target))).kind === 'locked'
    return (await repeated(null, () => locks.unlock(target, session))).kind === 'unlocked'
  })

/** `absent` for a value that no entity has as its key. */
async function onEntity<R>(
  runs: AsyncRuns,
  dataClass: ClassModel,
  given: unknown,
  absent: R,
  call: (locks: SqlLocks, target: LockTarget) => Promise<R>,
): Promise<R> {
  const remedy = 'Lock before the transaction, with the store itself.'
  const { context, state } = portOf(runs, 'A lock', remedy)
  const key = scalarGiven(dataClass.key, given)
  if (key === null) return absent
  const target = lockTarget(context.model, dataClass, key)
  return withPublicErrors(() => call(state.locks, target))
}
