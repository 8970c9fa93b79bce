import type { Table } from '../storage/table.ts'

/**
 * The moment at which the members and the order of a selection were fixed. It tells which of these
 * members still exist.
 */
export class AsOf {
  readonly table: Table
  readonly globalStamp: number
  /** Records created later are not members, although they may use a member's slot. */
  readonly clock: number
  readonly version: number
  /** -1 if members may have been removed before. */
  readonly removals: number

  constructor(table: Table, globalStamp: number, clock: number, removals: number) {
    this.table = table
    this.globalStamp = globalStamp
    this.clock = clock
    this.version = table.version
    this.removals = removals
  }

  /** True while the table is unchanged. */
  get isFresh(): boolean {
    return this.table.version === this.version
  }
  /** True while every member exists. */
  get isComplete(): boolean {
    return this.table.removals === this.removals
  }

  /** True for a member that exists: its slot is in use, and was not reused since creation. */
  isAlive(slot: number): boolean {
    return this.isComplete || this.table.isSameSince(slot, this.clock)
  }

  /** The members of a list that exist; the same list if all do. */
  livingOf(slots: Int32Array | readonly number[]): Int32Array | readonly number[] {
    if (this.isComplete) return slots
    const living: number[] = []
    for (let i = 0; i < slots.length; i++) if (this.isAlive(slots[i])) living.push(slots[i])
    return living
  }
}
