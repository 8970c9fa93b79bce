import { type ChangeList, ChangeRecorder } from '../storage/change-list.ts'
import { checkSizes } from '../storage/check-sizes.ts'
import { nextStamp } from '../storage/stamp.ts'
import type { Key } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import type { StoredValue } from '../value/types.ts'
import type { HookRunner } from './hooks.ts'
import type { Sequence } from './new-values.ts'
import type { TransactionPort } from './port.ts'
import type { StageSet } from './stage-set.ts'
import { EntityWriter } from './write-entity.ts'
import { reserveRecords } from './write-stage.ts'
import type { WriteTarget } from './write-target.ts'

/**
 * The columns as the target of single writes that are transactions of their own, for dataclasses that run no code of the application:
 * what a transaction of one write does, at a third of the cost. It makes room first, then writes; what fails in between is undone by
 * `takeBack`.
 */
export class DirectTarget implements WriteTarget {
  /** Checks writes against the columns, and gives them to this. */
  readonly writer: EntityWriter
  /** The change list of the last write until the writer takes it over; null when nothing changed. */
  list: ChangeList | null = null
  readonly #port: TransactionPort
  readonly #sequence: Sequence = { sequence: 1 }
  /** Empty between two writes. */
  readonly #recorder = new ChangeRecorder()
  readonly #nextStamp: () => number
  readonly #stages: StageSet

  /** `nextStamp`: the global stamp of the next commit. */
  constructor(stages: StageSet, port: TransactionPort, hooks: HookRunner, nextStamp: () => number) {
    this.#stages = stages
    this.#port = port
    this.#nextStamp = nextStamp
    this.writer = new EntityWriter(stages, port, hooks, this, null)
  }

  /** False where a write needs a transaction: its hooks, setters or diagnostics begin with one. */
  takes(table: Table): boolean {
    return this.#stages.of(table).plan.runsNoCode && this.#port.watch?.hearsCommits !== true
  }

  /** True when the removal of an entity concerns no other. Looked at first, since each write asks for the time once. */
  takesRemoval(table: Table, key: unknown): boolean {
    if (!this.takes(table)) return false
    const slot = this.#stages.of(table).locate(key)
    return slot < 0 || !this.#stages.isReferred(table, slot)
  }

  askTime(): number {
    return this.#port.now()
  }

  sequenceFor(table: Table): Sequence {
    this.#sequence.sequence = table.sequence
    return this.#sequence
  }

  nextSlot(table: Table): number {
    return table.lowestFree
  }

  insert(table: Table, slot: number, _key: Key, values: StoredValue[], birth: number, timestamp: number): void {
    this.#port.allocation?.()
    reserveRecords(table, 1, slot + 1)
    for (let ordinal = 0; ordinal < values.length; ordinal++) {
      this.#port.allocation?.()
      table.admit(ordinal, values[ordinal])
    }
    this.#port.allocation?.()
    this.#recorder.insert(table, slot, values, 1, timestamp, birth)
    this.#recorder.setSequence(table, this.#sequence.sequence)
    this.#end(timestamp)
  }

  update(table: Table, slot: number, ordinals: readonly number[], values: StoredValue[], timestamp: number): void {
    for (let i = 0; i < ordinals.length; i++) {
      this.#port.allocation?.()
      table.admit(ordinals[i], values[i])
    }
    this.#port.allocation?.()
    const { stamps, timestamps } = table
    const time = Math.max(timestamp, timestamps[slot])
    this.#recorder.update(table, slot, ordinals, values, nextStamp(stamps[slot]), time)
    this.#recorder.setSequence(table, this.#sequence.sequence)
    this.#end(timestamp)
  }

  remove(table: Table, slot: number, timestamp: number): void {
    this.#port.allocation?.()
    this.#recorder.remove(table, slot)
    this.#end(timestamp)
  }

  /** After a write that threw: undoes what it wrote. What this throws leaves the table in an unknown state. */
  takeBack(): void {
    this.list = null
    this.#recorder.rollback(this.#port.nextBirth)
  }

  #end(timestamp: number): void {
    this.#port.allocation?.()
    checkSizes(this.#recorder.changes)
    this.list = this.#recorder.finish(this.#nextStamp(), timestamp)
  }
}
