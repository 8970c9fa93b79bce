import type { Key } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import type { StoredValue } from '../value/types.ts'
import type { Sequence } from './new-values.ts'

/** Where a write goes once it is checked: the stage of a transaction, or the columns themselves. */
export interface WriteTarget {
  /** Epoch milliseconds of what is written; a transaction has one time for all. Runs code of the host. */
  askTime(): number
  /** The sequence of a table, as the write finds it and moves it on. */
  sequenceFor(table: Table): Sequence
  /** The slot that the next insertion gets. */
  nextSlot(table: Table): number
  /** Takes values by column, which become the target's own. */
  insert(table: Table, slot: number, key: Key, values: StoredValue[], birth: number, timestamp: number): void
  /** Takes columns whose values change; the values become the target's own, the columns must not be changed any more. */
  update(table: Table, slot: number, ordinals: readonly number[], values: StoredValue[], timestamp: number): void
  remove(table: Table, slot: number, timestamp: number): void
}
