import type { OrderBy } from '../filter/predicate.ts'
import type { PhysicalPlan } from '../plan/physical-plan.ts'
import type { RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { ReadFilter, SelectionPort } from './selection-port.ts'

/** How a selection was created, so that `explain` can plan and run it again with a clock. */
export interface Provenance {
  readonly read: ReadFilter
  /** That of the filter, or the one that replaced it. */
  readonly orderBy: OrderBy | null
  /** The plan that ran; null if members were tested one by one. */
  readonly plan: PhysicalPlan | null
  /** When it ran; null for a plan that the caller chose by number, which `explain` runs too. */
  readonly globalStamp: number | null
  /** The result, if the filter narrowed another selection. */
  readonly within: RecordSet | null
  /** How that selection was created; null if no filter describes it. */
  readonly outer: Provenance | null
  /** True for selections derived from a page: the filter alone would select more. */
  readonly isPart: boolean
}

/** The same in another order. Member by member: spreading costs more than the rest of `orderBy`. */
export const orderedProvenance = (
  { read, plan, globalStamp, within, outer }: Provenance,
  orderBy: OrderBy | null,
  isPart: boolean,
): Provenance => ({ read, orderBy, plan, globalStamp, within, outer, isPart })

/** The provenance of a selection derived from a page. */
export const partOf = (provenance: Provenance | null): Provenance | null =>
  provenance && orderedProvenance(provenance, provenance.orderBy, true)

/**
 * The moment at which the members and the order of a selection were fixed. It tells which of these
 * members still exist.
 */
export class AsOf {
  declare readonly table: Table
  declare readonly globalStamp: number
  /** Records created later are not members, although they may use a member's slot. */
  declare readonly clock: number
  declare readonly version: number
  /** -1 if members may have been removed before. */
  declare readonly removals: number

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

/**
 * The moment as which members are found from now on. Take it before code of the application runs: a
 * getter may remove what it is asked about.
 */
export const asOfNow = ({ moment }: SelectionPort, table: Table): AsOf =>
  new AsOf(table, moment.globalStamp, moment.allocationClock, table.removals)
