import { storedKey } from '@entia/core/internal'
import {
  type Caller,
  CallerStore,
  type Engine,
  type EntityReference,
  type Lockable,
  type LockQuery,
  lockable,
} from '@entia/engine'
import type { SqlModel } from '../schema/sql-model.ts'
import { lockTarget } from '../server-state/lock-pieces.ts'
import type { SqlLocks } from '../server-state/locks.ts'
import { canHold } from '../translate/clamp-to-column.ts'
import type { LocalRuns } from './local-runs.ts'

/** The locks of entities, for the callers of an engine. */
export function sqlLocking(
  model: SqlModel,
  locks: SqlLocks,
  runs: LocalRuns,
): Pick<Engine, 'lock' | 'unlock'> {
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
    const { value } = await runs.read(caller, { reference }, (_, as, { store }) =>
      lockable(new CallerStore(store, as, store.view({ exposedOnly: true })), query),
    )
    return value
  }
  return {
    // A caller without a session gets one only if the lock is free: a refusal leaves none behind.
    async lock(query, caller, begin) {
      const found = await known(query, caller)
      if (found === null) return { kind: 'absent' }
      const { key, options } = found
      const target = lockTarget(model, query.reference.dataClass, key)
      if (caller.session !== null) return locks.lock(target, caller.session, options)
      const outcome = await locks.probe(target, options)
      return outcome.kind === 'locked' ? locks.lock(target, await begin(), options) : outcome
    },
    // Unlocks an entity that the caller's session holds, or that is not locked.
    async unlock(query, caller) {
      const found = await known({ ...query, precondition: null }, caller)
      if (found === null) return { kind: 'absent' }
      const target = lockTarget(model, query.reference.dataClass, found.key)
      if (caller.session !== null) return locks.unlock(target, caller.session)
      const outcome = await locks.probe(target)
      return outcome.kind === 'locked' ? { kind: 'unlocked' } : outcome
    },
  }
}
