import type { Clock, Ids } from '../ports.ts'
import type { Table } from '../storage/table.ts'
import type { TransactionPort } from '../transaction/port.ts'
import type { StoredValue } from '../value/types.ts'

/** What the write side needs of the store around it. */
export interface WriterPort {
  readonly clock: Clock
  readonly ids: Ids
  /** An entity as hooks see it. */
  entityOf(table: Table, values: readonly StoredValue[], stamp: number, timestamp: number): object
  /** The public store, handed to hooks. */
  readonly store: unknown
  /** Called before a record is changed or removed; what it throws (another session's lock) refuses the write. */
  beforeWrite?(table: Table, slot: number, session: unknown): void
  /** For tests: called before each step of a commit that may allocate or writes. */
  readonly allocation?: () => void
}

/** The latest time a date can hold. */
const LAST_TIME = 8.64e15

/** What transactions are told of the world: the time, new ids and births, the session that writes. */
export class WriteContext implements TransactionPort {
  /** The session that writes; null outside of one. */
  session: unknown = null
  /** The allocation clock: the last number given to a record at its birth. */
  births: number
  readonly store: unknown
  readonly allocation?: () => void
  readonly beforeWrite?: (table: Table, slot: number) => void
  readonly #port: WriterPort
  #now = 0

  constructor(port: WriterPort, births: number) {
    this.#port = port
    this.births = births
    this.store = port.store
    if (port.allocation !== undefined) this.allocation = port.allocation
    if (port.beforeWrite !== undefined) {
      this.beforeWrite = (table, slot) => port.beforeWrite?.(table, slot, this.session)
    }
  }

  entityOf(table: Table, values: readonly StoredValue[], stamp: number, timestamp: number): object {
    return this.#port.entityOf(table, values, stamp, timestamp)
  }

  /** Whole epoch milliseconds; a clock that answers nonsense stands still. */
  now(): number {
    const now = Math.floor(this.#port.clock.now())
    if (Math.abs(now) <= LAST_TIME) this.#now = now
    return this.#now
  }

  uuid(): string {
    return this.#port.ids.uuid()
  }

  /** Moves the allocation clock on; bound, for it is handed on by itself. */
  readonly nextBirth = (): number => ++this.births
}
