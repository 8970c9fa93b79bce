import type { ClassModel, StorageAttribute } from '../model/catalog.ts'
import type { Clock, Ids } from '../ports.ts'
import type { ChangeList } from '../storage/change-list.ts'
import { type Key, MAX_TIMESTAMP } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import { describeFound, Refusal, refused } from '../value/check-options.ts'
import { coerceInput } from '../value/coerce.ts'
import type { StoredValue } from '../value/types.ts'
import type { Produce } from './draft.ts'
import { writeError } from './write-errors.ts'

// What writes take from their store (time, ids, numbers) and where they put their result.

/** Measures commits for diagnostics. */
export interface CommitWatch {
  /** Null, or without `observesCommits`, while there are no listeners. */
  readonly watcher: { readonly observesCommits: boolean } | null
  /** A transaction begins. */
  begin(): void
  /**
   * The transaction is committed. Returns a function that reports it, to be called in the order of
   * commits; null without listeners.
   */
  end(list: ChangeList): (() => void) | null
}

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
  /** For tests, so that the k-th one fails: called before each step that may allocate or write. */
  readonly allocation?: () => void
}

/** What transactions need from outside: the time, new ids and births, the writing session. */
export class WriteContext {
  /** The session that writes, passed to hooks; null outside of one. */
  session: unknown = null
  /** The allocation clock: the birth of the newest record. */
  births = 0
  /** Passed to hooks. */
  readonly store: unknown
  readonly watch: CommitWatch | undefined
  /** See `WriterPort`. */
  readonly allocation: (() => void) | undefined
  readonly #port: WriterPort
  locks: WriterPort['locks']
  /** Drafts for updates by a function; undefined where they are deep copies. */
  produce: Produce | undefined = undefined
  #now = 0

  constructor(port: WriterPort) {
    this.#port = port
    this.store = port.store
    this.locks = port.locks
    this.watch = port.watch
    this.allocation = port.allocation
  }

  /** An entity as hooks see it. Takes over the values, which are by column. */
  entityOf(table: Table, values: readonly StoredValue[], stamp: number, timestamp: number): object {
    return this.#port.entityOf(table, values, stamp, timestamp)
  }

  /**
   * Called before a stored record is changed or removed, by a caller or an `onDelete` rule. What it
   * throws refuses the write. Undefined while there are no locks.
   */
  get beforeWrite(): ((table: Table, slot: number, birth: number) => void) | undefined {
    return this.locks?.isAny === true ? this.#checkLock : undefined
  }
  readonly #checkLock = (table: Table, slot: number, birth: number): void =>
    this.locks?.check(table, slot, birth, this.session)

  /**
   * Whole epoch milliseconds; the previous time where the clock returns no valid one. Bound,
   * because it is passed as a function.
   */
  readonly now = (): number => {
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

/** Takes checked writes: the stage of a transaction, or the columns. */
export interface WriteTarget {
  /**
   * The time of the write, in epoch milliseconds. A transaction has one time. Runs code of the
   * host.
   */
  now(): number
  /** The sequence of a table, for the write to advance. */
  sequenceFor(table: Table): Sequence
  /** The slot of the next insertion. */
  nextSlot(table: Table): number
  /** Takes over the values, which are by column. */
  insert(
    table: Table,
    slot: number,
    key: Key,
    values: StoredValue[],
    birth: number,
    timestamp: number,
  ): void
  /**
   * Takes columns whose values change, and takes over the new values. The columns must not change
   * afterwards.
   */
  update(
    table: Table,
    slot: number,
    ordinals: readonly number[],
    values: StoredValue[],
    timestamp: number,
  ): void
  remove(table: Table, slot: number, timestamp: number): void
}

/**
 * The number of an automatic attribute of a new entity: the given one, beyond which the sequence
 * moves, or the next one. `last` is the last number of the dataclass. Throws `sequenceExhausted`
 * and `sequenceWouldEnd`.
 */
export function numberFor(
  table: Table,
  sequence: Sequence,
  attribute: StorageAttribute,
  last: number,
  given: number | null,
): number {
  if (given === null) return nextNumber(table, sequence, attribute, last)
  passNumber(table, sequence, attribute, last, given)
  return given
}

/** The position of an automatic sequence. */
export interface Sequence {
  sequence: number
}

/** The next number of an automatic sequence. Throws `sequenceExhausted`. */
export function nextNumber(
  table: Table,
  sequence: Sequence,
  { owner, name }: StorageAttribute,
  last: number,
): number {
  const number = table.numberFrom(sequence.sequence)
  if (number > last)
    throw writeError('sequenceExhausted', { dataClass: owner.name, attribute: name })
  sequence.sequence = number + 1
  return number
}

/**
 * Moves a sequence beyond a given number. Throws `sequenceWouldEnd` for a number that leaves no
 * later one, because one write would end the sequence permanently.
 */
export function passNumber(
  table: Table,
  sequence: Sequence,
  attribute: StorageAttribute,
  last: number,
  given: number,
): void {
  if (given < sequence.sequence) return
  const { owner, name, max } = attribute
  // For a number above `max` the error of that rule is more precise.
  if (given >= last && (max === null || given <= max))
    throw writeError('sequenceWouldEnd', { dataClass: owner.name, attribute: name, given, last })
  sequence.sequence = table.positionAfter(given, sequence.sequence)
}

/**
 * The last number of a dataclass's sequence: the highest that all of its automatic attributes can
 * hold.
 */
export function lastNumberOf({ storage }: ClassModel): number {
  let last = Number.MAX_SAFE_INTEGER
  for (const { type, autoSequence, max } of storage) {
    if (!autoSequence || type === 'uuid') continue
    if (type === 'long') last = Math.min(last, 2_147_483_647)
    if (max !== null) last = Math.min(last, Math.floor(max))
  }
  return last
}

/** A new UUID in its stored form. Throws `argumentInvalid` if the host returns something else. */
export function newUuid(port: WriteContext): StoredValue {
  const given: unknown = port.uuid()
  const value = coerceInput('uuid', false, typeof given === 'string' ? plainUuid(given) : given)
  if (value !== null && !(value instanceof Refusal)) return value
  throw refused('The result of ids.uuid()', 'a UUID of 32 hexadecimal digits', describeFound(given))
}

/** The stored form of a UUID: 32 upper-case digits. */
export function plainUuid(uuid: string): string {
  return uuid.replaceAll('-', '').toUpperCase()
}
