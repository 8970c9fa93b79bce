import type { Session } from '@entia/core'
import type { CallerStore } from './core-caller.ts'
import { asSession } from './core-session.ts'
import type { EntityReference, KeyValue, LockAnswer, LockQuery } from './engine-door.ts'

/** Locks an entity for the caller's session. Throws accessDenied and what the store throws. */
export function lockEntity(seen: CallerStore, { reference, stamp }: LockQuery): LockAnswer {
  const { store } = seen
  const key = knownKey(seen, reference)
  if (key === null) return { kind: 'absent' }
  const { name } = reference.dataClass
  const options = stamp === null ? {} : { stamp }
  return asOpen(seen, (session) => store.locks.lock(name, key, session, options))
}

/** Unlocks an entity that the caller's session holds, or nobody does. */
export function unlockEntity(seen: CallerStore, { reference }: LockQuery): LockAnswer {
  const { store } = seen
  const key = knownKey(seen, reference)
  if (key === null) return { kind: 'absent' }
  const { name } = reference.dataClass
  // Nobody has no locks, so a session would be made in vain.
  if (seen.session === null && store.locks.holder(name, key) === null) return { kind: 'unlocked' }
  return asOpen(seen, (session) => store.locks.unlock(name, key, session))
}

/** The key of the entity meant; null when it does not exist, or not for the caller. */
function knownKey(seen: CallerStore, reference: EntityReference): KeyValue | null {
  const key = seen.entity(reference)?.key
  if (key === undefined) return null
  seen.permit(reference.dataClass, key, 'lock')
  return key
}

/** Works with the caller's session, or for a caller without one with a session of this moment: nobody shares it. */
function asOpen<R extends LockAnswer>({ store, session }: CallerStore, body: (session: Session) => R): LockAnswer {
  if (session !== null) return asSession<LockAnswer>(store, session, () => body(session))
  const passing = store.sessions.open()
  try {
    return body(passing)
  } finally {
    store.sessions.close(passing.token)
  }
}
