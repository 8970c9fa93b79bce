import type { ClassModel } from '../model/catalog.ts'
import type { Clock, Ids } from '../ports.ts'
import { MAX_TIMESTAMP } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import type { StoredValue } from '../value/types.ts'
import type { Produce } from './draft.ts'
import type { CommitWatch, TransactionPort } from './port.ts'
import { storeError } from './write-errors.ts'

/** What the writer needs from the store. */
export interface WriterPort {
  readonly clock: Clock
  readonly ids: Ids
  /** An entity as hooks see it. */
  entityOf(table: Table, values: readonly StoredValue[], stamp: number, timestamp: number): object
  /** The public store, passed to hooks. */
  readonly store: unknown
  /**
   * Called before a record is changed or removed. What it throws (for another session's lock)
   * refuses the write.
   */
  readonly locks?: {
    /** False while there are no locks: writes then skip the check. */
    readonly isAny: boolean
    check(table: Table, slot: number, birth: number, session: unknown): void
  }
  readonly watch?: CommitWatch
  readonly createTable: (dataClass: ClassModel) => Table
  /** True in a store that holds only some entities; see `StageSet.mayDangle`. */
  readonly mayDangle?: boolean
  /** For tests: called before each step of a commit that may allocate or write. */
  readonly allocation?: () => void
}

/** What transactions need from outside: the time, new ids and births, the writing session. */
export class WriteContext implements TransactionPort {
  /** The session that writes; null outside of one. */
  session: unknown = null
  /** The allocation clock: the birth of the newest record. */
  births = 0
  readonly store: unknown
  readonly watch?: CommitWatch
  readonly allocation?: () => void
  readonly #port: WriterPort
  locks: WriterPort['locks']
  produce: Produce | undefined = undefined
  #now = 0

  constructor(port: WriterPort) {
    this.#port = port
    this.store = port.store
    this.locks = port.locks
    if (port.watch !== undefined) this.watch = port.watch
    if (port.allocation !== undefined) this.allocation = port.allocation
  }

  entityOf(table: Table, values: readonly StoredValue[], stamp: number, timestamp: number): object {
    return this.#port.entityOf(table, values, stamp, timestamp)
  }

  get beforeWrite(): ((table: Table, slot: number, birth: number) => void) | undefined {
    return this.locks?.isAny === true ? this.#checkLock : undefined
  }
  readonly #checkLock = (table: Table, slot: number, birth: number): void =>
    this.locks?.check(table, slot, birth, this.session)

  /** Whole epoch milliseconds; the previous time where the clock returns no valid one. */
  now(): number {
    // Adding 0 turns -0 into 0: a dump cannot distinguish them.
    const now = Math.floor(this.#port.clock.now()) + 0
    if (Math.abs(now) <= MAX_TIMESTAMP) this.#now = now
    return this.#now
  }

  /** Runs `body` with `session` as the writing session. */
  as<R>(session: unknown, body: () => R): R {
    const before = this.session
    this.session = session
    try {
      return body()
    } finally {
      this.session = before
    }
  }

  uuid(): string {
    return this.#port.ids.uuid()
  }

  /** Advances the allocation clock. Bound, because it is passed as a function. */
  readonly nextBirth = (): number => ++this.births
}

/** Whether a store can be used. A closed store cannot, nor one whose data may be inconsistent. */
export class StoreState {
  readonly #name: string
  #isClosed = false
  /** Why the store is unusable, or null. */
  #broken: string | null = null

  constructor(name: string) {
    this.#name = name
  }

  /** Throws `storeClosed` or `storeBroken`. Every method of the store calls it first. */
  guard(): void {
    if (this.#isClosed) throw storeError('storeClosed', { store: this.#name })
    if (this.#broken !== null) throw storeError('storeBroken', { problem: this.#broken })
  }

  close(): void {
    this.#isClosed = true
  }

  /** Marks the store as unusable after a failed rollback. Returns the error. */
  broke(error: unknown): unknown {
    this.#broken = error instanceof Error ? error.message : String(error)
    return error
  }
}
