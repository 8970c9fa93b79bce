import type { Session } from '@entia/core'
import { storedKey } from '@entia/core/internal'
import {
  type Awaitable,
  type Caller,
  CallerStore,
  type EntityReference,
  type KeyValue,
  type LockAnswer,
  type Lockable,
  type LockQuery,
  lockable,
} from '@entia/engine'
import type { SqlModel } from '../schema/sql-model.ts'
import { type LockTarget, lockTarget } from '../server-state/lock-pieces.ts'
import type { SqlLocks } from '../server-state/locks.ts'
import { canHold } from '../translate/clamp-to-column.ts'
import type { LocalRuns } from './local-runs.ts'

/** The locks of entities, for the callers of an engine. */
export class SqlLocking {
  readonly #model: SqlModel
  readonly #locks: SqlLocks
  readonly #runs: LocalRuns

  constructor(model: SqlModel, locks: SqlLocks, runs: LocalRuns) {
    this.#model = model
    this.#locks = locks
    this.#runs = runs
  }

  /**
   * Locks for the caller's session. A caller without one gets one only if the lock is free, so a
   * refusal leaves none behind.
   */
  async lock(
    query: LockQuery,
    caller: Caller,
    begin: () => Awaitable<Session>,
  ): Promise<LockAnswer> {
    const known = await this.#known(query, caller)
    if (known === null) return { kind: 'absent' }
    const target = this.#target(query, known.key)
    const { options } = known
    if (caller.session !== null) return this.#locks.lock(target, caller.session, options)
    const outcome = await this.#locks.probe(target, options)
    return outcome.kind === 'locked' ? this.#locks.lock(target, await begin(), options) : outcome
  }

  /** Unlocks an entity that the caller's session holds, or that is not locked. */
  async unlock(query: LockQuery, caller: Caller): Promise<LockAnswer> {
    const known = await this.#known({ ...query, precondition: null }, caller)
    if (known === null) return { kind: 'absent' }
    const target = this.#target(query, known.key)
    if (caller.session !== null) return this.#locks.unlock(target, caller.session)
    const outcome = await this.#locks.probe(target)
    return outcome.kind === 'locked' ? { kind: 'unlocked' } : outcome
  }

  /** Null if the entity is known not to exist. */
  async #known(query: LockQuery, caller: Caller): Promise<Lockable | null> {
    const { reference, precondition } = query
    // Nothing to decide: the statement of the lock tells whether the entity exists.
    if (reference.kind === 'key' && caller.access === null && precondition === null) {
      const key = this.#possibleKey(reference)
      return key === null ? null : { key, options: {} }
    }
    return this.#runs.read(caller, { reference }, (_, as, { store }) =>
      lockable(new CallerStore(store, as, store.view({ exposedOnly: true })), query),
    )
  }

  /** Null for a key that the column cannot hold, such as a text with U+0000. */
  #possibleKey({ dataClass, key }: Extract<EntityReference, { readonly kind: 'key' }>) {
    const { kind } = this.#model.tables[dataClass.ordinal]!.columns[dataClass.key.ordinal]!
    const stored = storedKey(dataClass, key)
    return stored !== null && canHold(kind, stored) ? stored : null
  }

  #target({ reference }: LockQuery, key: KeyValue): LockTarget {
    return lockTarget(this.#model, reference.dataClass, key)
  }
}
