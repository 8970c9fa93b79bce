import type { OrderBy, Predicate } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { PhysicalPlan } from '../plan/physical-plan.ts'
import type { RecordSet } from '../storage/record-set.ts'
import type { ReadFilter } from './selection-port.ts'

/** Where a selection came from: what `explain` plans again and runs with a clock beside it. */
export interface Provenance extends ReadFilter {
  /** What was left of other members, where the filter was asked within a selection. */
  readonly within?: RecordSet | undefined
  /** What that selection was made of; null where that cannot be asked again. */
  readonly outer?: Provenance | null | undefined
  /** True for what was made of a page: asked again, it would be all. */
  readonly isPart?: boolean | undefined
  /** The plan that the caller chose by number. It is not chosen again. */
  readonly forced?: PhysicalPlan | undefined
  /** How the members were found; undefined where nothing was planned yet. */
  readonly ran?: Ran | undefined
}

/**
 * The plan that was chosen, and for which state of the store; null where the members of a selection
 * were tested one by one.
 */
export interface Ran {
  readonly plan: PhysicalPlan | null
  readonly globalStamp: number
}

/**
 * The filter of a query and the plan that answered it. A class, as `OrderedProvenance` is.
 */
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
 * The same in another order. A class: a spread costs more than all else of an order, and asks for
 * what is better left unbound.
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

/** Of what is made of a page. */
export const partOf = (provenance: Provenance | null): Provenance | null =>
  provenance === null ? null : new OrderedProvenance(provenance, provenance.orderBy, true)
