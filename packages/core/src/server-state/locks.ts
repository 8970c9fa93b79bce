import { EntiaError } from '../errors.ts'
import type { LockOptions, LockOutcome, Session, SessionInfo, UnlockOutcome } from '../model/session-types.ts'
import type { Table } from '../storage/table.ts'
import { serverStateError } from './server-state-errors.ts'

/** A living record in the view of the open transaction. `birth` tells it apart from others that had its number or key. */
export interface LockedRecord {
  readonly slot: number
  readonly birth: number
  readonly stamp: number
}

/** What locks need of the store around them. */
export interface LocksPort {
  /** Throws for a store that is closed or broken. */
  guard(): void
  readonly isInTransaction: boolean
  /** Throws `dataClassNotFound`. */
  table(dataClass: string): Table
  /** Null for a key that nothing has. */
  record(table: Table, key: unknown): LockedRecord | null
  readonly sessions: {
    /** Throws `argumentInvalid` for what is no open session. */
    current(session: unknown): Session
    /** Null for a session that has ended, which has released its locks then. */
    infoOf(id: string): SessionInfo | null
    /** Asking for it notices every session that has ended. */
    readonly size: number
  }
}

interface Lock {
  readonly table: Table
  readonly key: string | number
  readonly birth: number
  /** Id of the session. */
  readonly holder: string
  /** Locks made before it, and itself. */
  readonly number: number
}

/**
 * Locks of entities: a flag per entity and session. A lock is about one record from birth to removal: what comes later under the
 * same key or record number is not locked. Locks of removed entities are left lying, as they meet nothing any more, until
 * somebody counts.
 */
export class Locks {
  readonly #port: LocksPort
  readonly #maxPerSession: number
  /** By the record's birth: no two records of a store have the same. */
  readonly #locks = new Map<number, Lock>()
  readonly #bySession = new Map<string, Set<Lock>>()
  /** Locks made so far: each keeps its number. */
  made = 0

  constructor(port: LocksPort, maxPerSession: number) {
    this.#port = port
    this.#maxPerSession = maxPerSession
  }

  /** False when there is surely no lock. O(1). */
  get isAny(): boolean {
    return this.#locks.size > 0
  }
  /** Locks of living entities. O(locks). */
  get size(): number {
    // Locks end with their sessions: without any there is none.
    if (this.#port.sessions.size === 0) return 0
    this.forgetRemoved()
    let count = 0
    for (const lock of this.#locks.values()) if (this.#isAlive(lock)) count++
    return count
  }

  lock(dataClass: string, key: string | number, session: Session, options: LockOptions = {}): LockOutcome {
    this.#port.guard()
    const { id } = this.#port.sessions.current(session)
    const table = this.#port.table(dataClass)
    const record = this.#port.record(table, key)
    if (record === null) return { kind: 'absent' }
    const refusal = this.#refusal(record, id, options)
    if (refusal !== null) return refusal
    if (this.#heldBy(record) === null) this.#add({ table, key, birth: record.birth, holder: id, number: ++this.made })
    return { kind: 'locked' }
  }

  probe(dataClass: string, key: string | number, options: LockOptions = {}): LockOutcome {
    this.#port.guard()
    const record = this.#port.record(this.#port.table(dataClass), key)
    if (record === null) return { kind: 'absent' }
    return this.#refusal(record, null, options) ?? { kind: 'locked' }
  }

  unlock(dataClass: string, key: string | number, session: Session): UnlockOutcome {
    this.#port.guard()
    const { id } = this.#port.sessions.current(session)
    const record = this.#port.record(this.#port.table(dataClass), key)
    if (record === null) return { kind: 'absent' }
    const held = this.#heldBy(record)
    if (held !== null && held.id !== id) return { kind: 'alreadyLocked', holder: held, recordNumber: record.slot }
    const lock = this.#locks.get(record.birth)
    if (lock !== undefined) this.#remove(lock)
    return { kind: 'unlocked' }
  }

  holder(dataClass: string, key: string | number): SessionInfo | null {
    this.#port.guard()
    const record = this.#port.record(this.#port.table(dataClass), key)
    return record === null ? null : this.#heldBy(record)
  }

  releaseAll(session: Session): number {
    this.#port.guard()
    const { id } = this.#port.sessions.current(session)
    const locks = [...(this.#bySession.get(id) ?? [])]
    const count = locks.filter((lock) => this.#isAlive(lock)).length
    this.releaseOf(id)
    return count
  }

  /** Refuses to change or remove a record that another session than the writing one has locked. */
  check(table: Table, slot: number, birth: number, session: unknown): void {
    const lock = this.#locks.get(birth)
    if (lock === undefined || lock.holder === (session as SessionInfo | null)?.id) return
    const holder = this.#port.sessions.infoOf(lock.holder)
    if (holder === null) return
    throw serverStateError('entityLocked', {
      dataClass: table.model.name,
      key: String(lock.key),
      recordNumber: slot,
      holder,
    })
  }

  holdsAny(id: string): boolean {
    for (const lock of this.#bySession.get(id) ?? []) if (this.#isAlive(lock)) return true
    return false
  }
  /** Releases what a session holds, by its id. */
  releaseOf(id: string): void {
    for (const lock of [...(this.#bySession.get(id) ?? [])]) this.#remove(lock)
  }
  /** Drops the locks made after the n-th. */
  dropAfter(number: number): void {
    for (const lock of [...this.#locks.values()]) if (lock.number > number) this.#remove(lock)
  }
  /**
   * Drops locks of removed entities. A restore needs it first: an entity it brings back has its birth again, and must not find its
   * old lock. Does nothing inside a transaction, which may bring back its removals as well.
   */
  forgetRemoved(): void {
    if (this.#port.isInTransaction) return
    for (const lock of [...this.#locks.values()]) if (!this.#isAlive(lock)) this.#remove(lock)
  }

  /** What stands against a lock for a session. */
  #refusal(record: LockedRecord, id: string | null, { stamp }: LockOptions): LockOutcome | null {
    const held = this.#heldBy(record)
    if (held !== null && held.id !== id) return { kind: 'alreadyLocked', holder: held, recordNumber: record.slot }
    return stamp !== undefined && stamp !== record.stamp ? { kind: 'stampChanged', stored: record.stamp } : null
  }

  /** The open session that has locked a record, or null. */
  #heldBy({ birth }: LockedRecord): SessionInfo | null {
    const lock = this.#locks.get(birth)
    return lock === undefined ? null : this.#port.sessions.infoOf(lock.holder)
  }

  #isAlive({ table, key, birth }: Lock): boolean {
    return this.#port.record(table, key)?.birth === birth
  }

  #add(lock: Lock): void {
    const known = this.#bySession.get(lock.holder) ?? new Set()
    if (known.size >= this.#maxPerSession) {
      this.forgetRemoved()
      const alive = [...known].filter((one) => this.#isAlive(one)).length
      if (alive >= this.#maxPerSession) {
        const option = 'locks.maxPerSession'
        throw new EntiaError('budgetExceeded', { what: 'locks of one session', limit: this.#maxPerSession, option })
      }
    }
    known.add(lock)
    this.#bySession.set(lock.holder, known)
    this.#locks.set(lock.birth, lock)
  }

  #remove(lock: Lock): void {
    this.#locks.delete(lock.birth)
    const known = this.#bySession.get(lock.holder) as Set<Lock>
    known.delete(lock)
    if (known.size === 0) this.#bySession.delete(lock.holder)
  }
}
