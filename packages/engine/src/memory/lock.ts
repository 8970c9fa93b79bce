import { keyOf, type Session, stampOf } from '@entia/core'
import { type Awaitable, andThen } from '../interface/awaitable.ts'
import type { LockAnswer, LockQuery } from '../interface/engine.ts'
import type { EntityReference, KeyValue, Precondition } from '../interface/selection-source.ts'
import { asSession, type CallerStore } from './caller-store.ts'
import { meets } from './values.ts'

/**
 * Locks an entity for the caller's session. A caller without a session gets one only if the lock is
 * free, so a refusal leaves none behind. Throws accessDenied and the store's errors.
 */
export function lockEntity(
  callerStore: CallerStore,
  { reference, precondition }: LockQuery,
  begin: () => Awaitable<Session>,
): Awaitable<LockAnswer> {
  const { store, session } = callerStore
  const key = knownKey(callerStore, reference)
  if (key === null) return { kind: 'absent' }
  const { name } = reference.dataClass
  const options =
    precondition === null ? {} : { stamp: stampToLock(callerStore, reference, precondition) }
  const lockFor = (holder: Session): LockAnswer => store.locks.lock(name, key, holder, options)
  if (session !== null) return asSession<LockAnswer>(store, session, () => lockFor(session))
  const outcome = store.locks.probe(name, key, options)
  return outcome.kind === 'locked' ? andThen(begin(), lockFor) : outcome
}

/** A stamp that no entity has. */
const NO_STAMP = 0

/**
 * The stamp that the entity must have for the lock; `NO_STAMP` if it is not in a required
 * state.
 */
function stampToLock(
  callerStore: CallerStore,
  reference: EntityReference,
  precondition: Precondition,
): number {
  const entity = callerStore.entity(reference)
  const isMet =
    entity !== undefined && meets(precondition, callerStore, reference.dataClass, entity)
  return isMet ? stampOf(entity) : NO_STAMP
}

/** Unlocks an entity that the caller's session holds, or that is not locked. */
export function unlockEntity(callerStore: CallerStore, { reference }: LockQuery): LockAnswer {
  const { store, session } = callerStore
  const key = knownKey(callerStore, reference)
  if (key === null) return { kind: 'absent' }
  const { name } = reference.dataClass
  if (session !== null)
    return asSession<LockAnswer>(store, session, () => store.locks.unlock(name, key, session))
  const outcome = store.locks.probe(name, key)
  return outcome.kind === 'locked' ? { kind: 'unlocked' } : outcome
}

/** The key of the entity; null if it does not exist for the caller. */
function knownKey(callerStore: CallerStore, reference: EntityReference): KeyValue | null {
  const entity = callerStore.entity(reference)
  if (entity === undefined) return null
  const key = keyOf(entity)
  callerStore.permit(reference.dataClass, key, 'lock')
  return key
}
