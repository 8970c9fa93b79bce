import { overBudget } from '../errors.ts'
import type * as SessionTypes from '../model/session-types.ts'
import type {
  LockOptions,
  LockOutcome,
  Session,
  SessionInfo,
  UnlockOutcome,
} from '../model/session-types.ts'
import type { Table } from '../storage/table.ts'
import { checkCallOptions } from '../value/check-options.ts'
import { type ServerStatePort, serverStateError } from './server-state-limits.ts'
import type { Sessions } from './sessions.ts'

const LOCK_OPTIONS = ['stamp']

/**
 * A live record as the open transaction sees it. Its `birth` distinguishes it from other records
 * that had its number or key.
 */
interface LockedRecord {
  readonly birth: number
  readonly stamp: number
  /** The number of the record in messages. */
  readonly number: number
}

interface Lock {
  readonly table: Table
  readonly key: string | number
  readonly birth: number
  /** Id of the session. */
  readonly holder: string
  /** How many locks had been created, this one included. */
  readonly number: number
}

/**
 * Locks of entities. A lock belongs to one record from its birth to its removal: a later record
 * with the same key or record number is not locked. Locks of removed entities stay in the map until
 * the next count, because nothing finds them.
 */
export class Locks implements SessionTypes.Locks {
  readonly #port: ServerStatePort
  readonly #sessions: Sessions
  readonly #maxPerSession: number
  /** By the birth of the record, which is unique in a store. */
  readonly #locks = new Map<number, Lock>()
  readonly #bySession = new Map<string, Set<Lock>>()
  /** Number of locks created so far. */
  made = 0

  constructor(port: ServerStatePort, maxPerSession: number, sessions: Sessions) {
    this.#port = port
    this.#sessions = sessions
    this.#maxPerSession = maxPerSession
  }

  /** False only when there is no lock. O(1). */
  get isAny(): boolean {
    return this.#locks.size > 0
  }
  /** Locks of live entities. O(locks). */
  get size(): number {
    // Locks end with their sessions, so without sessions there are no locks.
    if (this.#sessions.size === 0) return 0
    this.forgetRemoved()
    let count = 0
    for (const lock of this.#locks.values()) if (this.#isAlive(lock)) count++
    return count
  }

  lock(
    dataClass: string,
    key: string | number,
    session: Session,
    options: LockOptions = {},
  ): LockOutcome {
    this.#port.writer.guard()
    checkCallOptions(options, LOCK_OPTIONS)
    const { id } = this.#sessions.current(session)
    const table = this.#port.table(dataClass)
    const record = this.#record(table, key)
    if (record === null) return { kind: 'absent' }
    const refusal = this.#refusal(record, id, options)
    if (refusal !== null) return refusal
    if (this.#heldBy(record) === null)
      this.#add({ table, key, birth: record.birth, holder: id, number: ++this.made })
    return { kind: 'locked' }
  }

  probe(dataClass: string, key: string | number, options: LockOptions = {}): LockOutcome {
    this.#port.writer.guard()
    checkCallOptions(options, LOCK_OPTIONS)
    const record = this.#record(this.#port.table(dataClass), key)
    if (record === null) return { kind: 'absent' }
    return this.#refusal(record, null, options) ?? { kind: 'locked' }
  }

  unlock(dataClass: string, key: string | number, session: Session): UnlockOutcome {
    this.#port.writer.guard()
    const { id } = this.#sessions.current(session)
    const record = this.#record(this.#port.table(dataClass), key)
    if (record === null) return { kind: 'absent' }
    const held = this.#heldBy(record)
    if (held !== null && held.id !== id)
      return { kind: 'alreadyLocked', holder: held, recordNumber: record.number }
    const lock = this.#locks.get(record.birth)
    if (lock !== undefined) this.#remove(lock)
    return { kind: 'unlocked' }
  }

  holder(dataClass: string, key: string | number): SessionInfo | null {
    this.#port.writer.guard()
    const record = this.#record(this.#port.table(dataClass), key)
    return record === null ? null : this.#heldBy(record)
  }

  releaseAll(session: Session): number {
    this.#port.writer.guard()
    const { id } = this.#sessions.current(session)
    const locks = [...(this.#bySession.get(id) ?? [])]
    const count = locks.filter((lock) => this.#isAlive(lock)).length
    this.releaseOf(id)
    return count
  }

  /** Throws `entityLocked` for a record that a session other than the writing one has locked. */
  check(table: Table, slot: number, birth: number, session: unknown): void {
    const lock = this.#locks.get(birth)
    if (lock === undefined || lock.holder === (session as SessionInfo | null)?.id) return
    const holder = this.#sessions.infoOf(lock.holder)
    if (holder === null) return
    throw serverStateError('entityLocked', {
      dataClass: table.model.name,
      key: String(lock.key),
      recordNumber: table.recordNumber(slot),
      holder,
    })
  }

  holdsAny(id: string): boolean {
    for (const lock of this.#bySession.get(id) ?? []) if (this.#isAlive(lock)) return true
    return false
  }
  /** Releases the locks of a session, by its id. */
  releaseOf(id: string): void {
    for (const lock of [...(this.#bySession.get(id) ?? [])]) this.#remove(lock)
  }
  /** Drops the locks created after the given number. */
  dropAfter(number: number): void {
    for (const lock of [...this.#locks.values()]) if (lock.number > number) this.#remove(lock)
  }
  /**
   * Drops locks of removed entities. Call it before a restore: an entity that the restore brings
   * back has its birth again and must not find its old lock. Does nothing inside a transaction,
   * whose rollback may also bring entities back.
   */
  forgetRemoved(): void {
    if (this.#port.writer.current !== null) return
    for (const lock of [...this.#locks.values()]) if (!this.#isAlive(lock)) this.#remove(lock)
  }

  /** The record of a key; null for an unknown key. */
  #record(table: Table, key: unknown): LockedRecord | null {
    const { writer } = this.#port
    const slot = writer.find(table, key)
    if (slot < 0) return null
    const number = table.recordNumber(slot)
    const stage = writer.stages.of(table)
    return { birth: stage.birthOf(slot), stamp: stage.stampOf(slot), number }
  }

  /** Why a session cannot get the lock; null if it can. */
  #refusal(record: LockedRecord, id: string | null, { stamp }: LockOptions): LockOutcome | null {
    const held = this.#heldBy(record)
    if (held !== null && held.id !== id)
      return { kind: 'alreadyLocked', holder: held, recordNumber: record.number }
    return stamp !== undefined && stamp !== record.stamp
      ? { kind: 'stampChanged', stored: record.stamp }
      : null
  }

  /** The open session that has locked a record, or null. */
  #heldBy({ birth }: LockedRecord): SessionInfo | null {
    const lock = this.#locks.get(birth)
    return lock === undefined ? null : this.#sessions.infoOf(lock.holder)
  }

  #isAlive({ table, key, birth }: Lock): boolean {
    return this.#record(table, key)?.birth === birth
  }

  #add(lock: Lock): void {
    const known = this.#bySession.get(lock.holder) ?? new Set()
    if (known.size >= this.#maxPerSession) {
      this.forgetRemoved()
      const alive = [...known].filter((one) => this.#isAlive(one)).length
      if (alive >= this.#maxPerSession)
        throw overBudget('locks of one session', this.#maxPerSession, 'locks.maxPerSession')
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
