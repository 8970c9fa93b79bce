import type { RemoveOptions } from '../model/table-types.ts'
import { type ChangeList, ChangeRecorder } from '../storage/change-list.ts'
import { type Key, nextStamp } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import { checkSizes } from '../storage/table-sizes.ts'
import type { StoredValue } from '../value/types.ts'
import type { HookRunner } from './hooks.ts'
import { PatchDraft } from './patch.ts'
import type { Sequence, WriteContext, WriteTarget } from './port.ts'
import { reserveRecords, type StageSet } from './stage-set.ts'
import type { Transaction } from './transaction.ts'
import { type Edit, EntityWriter } from './write-entity.ts'

/**
 * Writes checked changes to the columns at once. Single writes outside of a transaction use it, for
 * dataclasses that run no code of the application. The result is that of a transaction with this
 * one write, at a third of the cost. It makes room first and then writes; `takeBack` undoes a write
 * that failed in between.
 */
export class DirectTarget implements WriteTarget {
  /** Checks writes and passes them to this target. */
  readonly writer: EntityWriter
  /** The change list of the last write, until the writer takes it over. Null if nothing changed. */
  list: ChangeList | null = null
  readonly #port: WriteContext
  readonly now: () => number
  /** Null while the write has not used it. */
  #sequence: Sequence | null = null
  /** Empty between two writes. */
  readonly #recorder = new ChangeRecorder()
  readonly #nextStamp: () => number
  readonly #stages: StageSet

  /** `nextStamp`: the global stamp of the next commit. */
  constructor(stages: StageSet, port: WriteContext, hooks: HookRunner, nextStamp: () => number) {
    this.#stages = stages
    this.#port = port
    this.now = port.now
    this.#nextStamp = nextStamp
    this.writer = new EntityWriter(stages, port, hooks, this, null)
  }

  /** False where a write needs a transaction: for hooks, setters and diagnostics. */
  takes(table: Table): boolean {
    return (
      this.#stages.of(table).plan.runsNoCode && this.#port.watch?.watcher?.observesCommits !== true
    )
  }

  /**
   * True where a removal concerns no other entity. Checked before the removal, because a write may
   * read the clock only once.
   */
  takesRemoval(table: Table, key: unknown): boolean {
    if (!this.takes(table)) return false
    const slot = this.#stages.of(table).locate(key)
    return slot < 0 || !this.#stages.isReferred(table, slot)
  }

  sequenceFor(table: Table): Sequence {
    return (this.#sequence = { sequence: table.sequence })
  }

  nextSlot(table: Table): number {
    return table.lowestFree
  }

  insert(
    table: Table,
    slot: number,
    _key: Key,
    values: StoredValue[],
    birth: number,
    timestamp: number,
  ): void {
    this.#port.allocation?.()
    reserveRecords(table, 1, slot + 1)
    for (let ordinal = 0; ordinal < values.length; ordinal++) {
      this.#port.allocation?.()
      table.admit(ordinal, values[ordinal])
    }
    this.#port.allocation?.()
    this.#recorder.insert(table, slot, values, 1, timestamp, birth)
    this.#end(table, timestamp)
  }

  update(
    table: Table,
    slot: number,
    ordinals: readonly number[],
    values: StoredValue[],
    timestamp: number,
  ): void {
    for (let i = 0; i < ordinals.length; i++) {
      this.#port.allocation?.()
      table.admit(ordinals[i], values[i])
    }
    this.#port.allocation?.()
    const { stamps, timestamps } = table
    const time = Math.max(timestamp, timestamps[slot])
    this.#recorder.update(table, slot, ordinals, values, nextStamp(stamps[slot]), time)
    this.#end(table, timestamp)
  }

  remove(table: Table, slot: number, timestamp: number): void {
    this.#port.allocation?.()
    this.#recorder.remove(table, slot)
    this.#end(table, timestamp)
  }

  /** Undoes a write that threw. If this throws too, the state of the table is unknown. */
  takeBack(): void {
    this.list = null
    this.#sequence = null
    this.#recorder.rollback(this.#port.nextBirth)
  }

  #end(table: Table, timestamp: number): void {
    if (this.#sequence !== null) this.#recorder.setSequence(table, this.#sequence.sequence)
    this.#port.allocation?.()
    checkSizes(this.#recorder.changes)
    this.list = this.#recorder.finish(this.#nextStamp(), timestamp)
    this.#sequence = null
  }
}

/** What single writes need from the writer. */
export interface SingleWritePort {
  /** The transaction that is open, or null. */
  readonly current: Transaction | null
  guard(): void
  transact<R>(body: (transaction: Transaction) => R): R
  /** Undoes a failed direct write, and returns its error. */
  takeBack(error: unknown): unknown
  conclude(list: ChangeList): void
}

/** Reads an entity that was written. */
interface WrittenReader<R> {
  entityAt(table: Table, slot: number): R
}

/**
 * Writes of one entity. They are part of the open transaction; without one they are direct where
 * possible, or else a transaction of their own. The input is read completely before the write
 * begins: getters and proxies in it may write to the store, and such writes come first.
 */
export class SingleWrites {
  readonly #direct: DirectTarget
  readonly #port: SingleWritePort
  /** Null while a write uses it. */
  #draft: PatchDraft | null = new PatchDraft()

  constructor(direct: DirectTarget, port: SingleWritePort) {
    this.#direct = direct
    this.#port = port
  }

  /**
   * Reads the input for an entity. An update may also be a function that edits a draft. Throws only
   * the errors of `guard`.
   */
  read(table: Table, given: unknown): PatchDraft
  read(table: Table, given: unknown, isUpdate: boolean): PatchDraft | Edit
  read({ model }: Table, given: unknown, isUpdate = false): PatchDraft | Edit {
    if (isUpdate && typeof given === 'function') return given as Edit
    this.#port.guard()
    const draft = this.#draft ?? new PatchDraft()
    this.#draft = null
    return draft.read(model, given)
  }

  /** An insertion of an input that was read. Returns what `reader` reads of the entity. */
  insert<R>(table: Table, given: PatchDraft, reader: WrittenReader<R>): R {
    const port = this.#port
    port.guard()
    if (port.current !== null)
      return reader.entityAt(table, this.#done(given, port.current.insert(table, given)))
    const direct = this.#direct
    if (!direct.takes(table))
      return port.transact((transaction) =>
        reader.entityAt(table, transaction.insert(table, given)),
      )
    let slot: number
    try {
      slot = direct.writer.insert(table, given)
    } catch (error) {
      throw port.takeBack(error)
    }
    return this.#conclude(table, slot, given, reader)
  }

  /** An update with an input that was read, or with a function that edits a draft; as `insert`. */
  save<R>(
    table: Table,
    key: unknown,
    given: PatchDraft | Edit,
    stamp: number | undefined,
    reader: WrittenReader<R>,
  ): R {
    const port = this.#port
    port.guard()
    if (port.current !== null)
      return reader.entityAt(
        table,
        this.#done(given, port.current.update(table, key, given, stamp)),
      )
    const direct = this.#direct
    if (typeof given === 'function' || !direct.takes(table))
      return port.transact((transaction) =>
        reader.entityAt(table, transaction.update(table, key, given, stamp)),
      )
    let slot: number
    try {
      slot = direct.writer.update(table, key, given, stamp)
    } catch (error) {
      throw port.takeBack(error)
    }
    return this.#conclude(table, slot, given, reader)
  }

  remove(table: Table, key: unknown, options?: RemoveOptions): void {
    const port = this.#port
    const stamp = options?.stamp
    const maxCascade = options?.maxCascade
    port.guard()
    if (port.current !== null) {
      port.current.remove(table, key, stamp, maxCascade)
      return
    }
    const direct = this.#direct
    let isDone = false
    try {
      isDone = direct.takesRemoval(table, key) && direct.writer.remove(table, key, stamp) < 0
    } catch (error) {
      throw port.takeBack(error)
    }
    if (!isDone) port.transact((transaction) => transaction.remove(table, key, stamp, maxCascade))
    else if (direct.list !== null) port.conclude(direct.list)
  }

  /** Commits a direct write. Listeners may change the entity, which is read before they run. */
  #conclude<R>(table: Table, slot: number, given: PatchDraft, reader: WrittenReader<R>): R {
    const { list } = this.#direct
    this.#draft = given.empty()
    try {
      return reader.entityAt(table, slot)
    } finally {
      if (list !== null) this.#port.conclude(list)
    }
  }

  /** Keeps a draft for the next write. */
  #done(given: PatchDraft | Edit, slot: number): number {
    if (typeof given !== 'function') this.#draft = given.empty()
    return slot
  }
}
