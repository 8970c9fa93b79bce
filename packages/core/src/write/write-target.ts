import type { Key } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import type { StoredValue } from '../value/types.ts'
import type { Sequence } from './new-values.ts'

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
