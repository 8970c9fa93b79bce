import type { OrderBy, Predicate } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { PhysicalPlan } from '../plan/physical-plan.ts'
import type { RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { ReadFilter } from './selection-port.ts'

/** How a selection was created, so that `explain` can plan and run it again with a clock. */
export interface Provenance extends ReadFilter {
  /** The result, if the filter narrowed another selection. */
  readonly within?: RecordSet | undefined
  /** How that selection was created; null if no filter describes it. */
  readonly outer?: Provenance | null | undefined
  /** True for selections derived from a page: the filter alone would select more. */
  readonly isPart?: boolean | undefined
  /** The plan that the caller chose by number; `explain` runs this one. */
  readonly forced?: PhysicalPlan | undefined
  /** The plan that ran; undefined if none did yet. */
  readonly ran?: Ran | undefined
}

/** The chosen plan and the state of the store; null if members were tested one by one. */
interface Ran {
  readonly plan: PhysicalPlan | null
  readonly globalStamp: number
}

/** The filter of a query and the plan that answered it. */
export class PlannedProvenance implements Provenance, Ran {
  readonly #read: ReadFilter
  readonly plan: PhysicalPlan
  readonly globalStamp: number

  constructor(read: ReadFilter, plan: PhysicalPlan, globalStamp: number) {
    this.#read = read
    this.plan = plan
    this.globalStamp = globalStamp
  }
  get ran(): Ran {
    return this
  }
  get dataClass(): ClassModel {
    return this.#read.dataClass
  }
  get text(): string | null {
    return this.#read.text
  }
  get predicate(): Predicate {
    return this.#read.predicate
  }
  get asked(): (() => Predicate) | undefined {
    return this.#read.asked
  }
  get orderBy(): OrderBy | null {
    return this.#read.orderBy
  }
}

/**
 * The same in another order. It is a class because spreading the other object would cost more than
 * the rest of `orderBy`, and would bind its predicate.
 */
export class OrderedProvenance implements Provenance {
  readonly #of: Provenance
  readonly orderBy: OrderBy | null
  readonly isPart: boolean

  constructor(of: Provenance, orderBy: OrderBy | null, isPart: boolean) {
    this.#of = of
    this.orderBy = orderBy
    this.isPart = isPart
  }
  get dataClass(): ClassModel {
    return this.#of.dataClass
  }
  get text(): string | null {
    return this.#of.text
  }
  get predicate(): Predicate {
    return this.#of.predicate
  }
  get asked(): (() => Predicate) | undefined {
    return this.#of.asked
  }
  get within(): RecordSet | undefined {
    return this.#of.within
  }
  get outer(): Provenance | null | undefined {
    return this.#of.outer
  }
  get forced(): PhysicalPlan | undefined {
    return this.#of.forced
  }
  get ran(): Ran | undefined {
    return this.#of.ran
  }
}

/** The provenance of a selection derived from a page. */
export const partOf = (provenance: Provenance | null): Provenance | null =>
  provenance === null ? null : new OrderedProvenance(provenance, provenance.orderBy, true)

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
