import type { LockOutcome, Session } from '@entia/core'
import { storedKey } from '@entia/core/internal'
import {
  type Awaitable,
  type Caller,
  CallerStore,
  type EntityReference,
  type LockAnswer,
  type Lockable,
  type LockQuery,
  lockable,
} from '@entia/engine'
import type { RequestTime } from '../connect/request-time.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import { lockTarget } from '../server-state/lock-pieces.ts'
import type { SqlLocks } from '../server-state/locks.ts'
import { canHold } from '../translate/clamp-to-column.ts'
import { repeated } from './bounded-calls.ts'
import type { LocalRuns } from './local-runs.ts'

/** The locks of entities, within the time of a request; null for calls of the process itself. */
export function sqlLocking(
  model: SqlModel,
  locks: SqlLocks,
  runs: LocalRuns,
  time: RequestTime | null,
) {
  const again = <R>(call: () => Promise<R>): Promise<R> => repeated(time, call)
  /** Null for a key that the column cannot hold, such as a text with U+0000. */
  const possibleKey = ({ dataClass, key }: Extract<EntityReference, { readonly kind: 'key' }>) => {
    const { kind } = model.tables[dataClass.ordinal]!.columns[dataClass.key.ordinal]!
    const stored = storedKey(dataClass, key)
    return stored !== null && canHold(kind, stored) ? stored : null
  }
  /** Null if the entity is known not to exist. */
  const known = async (query: LockQuery, caller: Caller): Promise<Lockable | null> => {
    const { reference, precondition } = query
    // Nothing to decide: the statement of the lock tells whether the entity exists.
    if (reference.kind === 'key' && caller.access === null && precondition === null) {
      const key = possibleKey(reference)
      return key === null ? null : { key, options: {} }
    }
    const { value } = await again(() =>
      runs.read(caller, { reference }, (_, as, { store }) =>
        lockable(new CallerStore(store, as, store.view({ exposedOnly: true })), query),
      ),
    )
    return value
  }
  return {
    // A caller without a session gets one only if the lock is free: a refusal leaves none behind.
    async lock(
      query: LockQuery,
      caller: Caller,
      begin: () => Awaitable<Session>,
    ): Promise<LockOutcome> {
      const found = await known(query, caller)
      if (found === null) return { kind: 'absent' }
      const { key, options } = found
      const target = lockTarget(model, query.reference.dataClass, key)
      const lockFor = (session: Session): Promise<LockOutcome> =>
        again(() => locks.lock(target, session, options))
      if (caller.session !== null) return lockFor(caller.session)
      const outcome = await again(() => locks.probe(target, options))
      return outcome.kind === 'locked' ? lockFor(await begin()) : outcome
    },
    // Unlocks an entity that the caller's session holds, or that is not locked.
    async unlock(query: LockQuery, caller: Caller): Promise<LockAnswer> {
      const found = await known({ ...query, precondition: null }, caller)
      if (found === null) return { kind: 'absent' }
      const target = lockTarget(model, query.reference.dataClass, found.key)
      const { session } = caller
      if (session !== null) return again(() => locks.unlock(target, session))
      const outcome = await again(() => locks.probe(target))
      return outcome.kind === 'locked' ? { kind: 'unlocked' } : outcome
    },
  }
}
