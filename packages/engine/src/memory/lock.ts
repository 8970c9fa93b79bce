import { keyOf, type Session, stampOf } from '@entia/core'
import { type Awaitable, andThen } from '../interface/awaitable.ts'
import type { LockAnswer, LockQuery } from '../interface/engine.ts'
import type { KeyValue } from '../interface/selection-source.ts'
import { asSession, type CallerStore } from './caller-store.ts'
import { meets } from './values.ts'

/**
 * Locks an entity for the caller's session. A caller without a session gets one only if the lock is
 * free, so a refusal leaves none behind. Throws accessDenied and the store's errors.
 */
export function lockEntity(
  callerStore: CallerStore,
  query: LockQuery,
  begin: () => Awaitable<Session>,
): Awaitable<LockAnswer> {
  const { store, session } = callerStore
  const found = lockable(callerStore, query)
  if (found === null) return { kind: 'absent' }
  const { key, options } = found
  const { name } = query.reference.dataClass
  const lockFor = (holder: Session): LockAnswer => store.locks.lock(name, key, holder, options)
  if (session !== null) return asSession<LockAnswer>(store, session, () => lockFor(session))
  const outcome = store.locks.probe(name, key, options)
  return outcome.kind === 'locked' ? andThen(begin(), lockFor) : outcome
}

/** Unlocks an entity that the caller's session holds, or that is not locked. */
export function unlockEntity(callerStore: CallerStore, { reference }: LockQuery): LockAnswer {
  const { store, session } = callerStore
  const found = lockable(callerStore, { reference, precondition: null })
  if (found === null) return { kind: 'absent' }
  const { key } = found
  const { name } = reference.dataClass
  if (session !== null)
    return asSession<LockAnswer>(store, session, () => store.locks.unlock(name, key, session))
  const outcome = store.locks.probe(name, key)
  return outcome.kind === 'locked' ? { kind: 'unlocked' } : outcome
}

/** A stamp that no entity has. */
const NO_STAMP = 0

/** An entity that may be locked. */
export interface Lockable {
  readonly key: KeyValue
  /** The stamp that it must have, if any. */
  readonly options: { readonly stamp?: number }
}

/**
 * The entity that a caller wants to lock, or null. One that is not in a required state must have a
 * stamp that no entity has. Throws accessDenied.
 */
export function lockable(
  callerStore: CallerStore,
  { reference, precondition }: LockQuery,
): Lockable | null {
  const entity = callerStore.entity(reference)
  if (entity === undefined) return null
  const { dataClass } = reference
  const key = keyOf(entity)
  callerStore.permit(dataClass, key, 'lock')
  if (precondition === null) return { key, options: {} }
  const isMet = meets(precondition, callerStore, dataClass, entity)
  return { key, options: { stamp: isMet ? stampOf(entity) : NO_STAMP } }
}
