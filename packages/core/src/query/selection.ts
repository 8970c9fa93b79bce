import { selectWithin } from '../execute/run-plan.ts'
import { onceOf } from '../execute/time-slices.ts'
import { negation } from '../filter/context.ts'
import type { Predicate } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { Condition } from '../model/condition-types.ts'
import type { Untyped } from '../model/definition.ts'
import type { AnyEntity } from '../model/entity-types.ts'
import type { QueryOptions, SelectionCore, SelectionWrites } from '../model/selection-types.ts'
import type { AnySelection } from '../model/session-types.ts'
import type { DataClassCore } from '../model/table-types.ts'
import type { PhysicalPlan } from '../plan/physical-plan.ts'
import {
  contains,
  countOf,
  difference,
  intersection,
  intersects,
  type RecordSet,
} from '../storage/record-set.ts'
import { storedKey } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import { wholeNumber } from '../value/check-options.ts'
import {
  keptMembers,
  listedMembers,
  narrowedBy,
  narrowedMembers,
  unitedMembers,
  visibleMembers,
} from './derived-members.ts'
import { Membership } from './membership.ts'
import { asOfNow, orderedProvenance, type Provenance, partOf } from './provenance.ts'
import {
  inScoredOrder,
  type ReadFilter,
  type SelectionPort,
  selectionError,
} from './selection-port.ts'

/** What a capability reads of a selection. */
export interface SelectionParts {
  readonly members: Membership
  readonly port: SelectionPort
  /** Null where no filter can ask for these members again. */
  readonly provenance: Provenance | null
}

let partsOf: (selection: Selection) => SelectionParts

/** The parts of a selection, for the capabilities that add members to its class. */
export const selectionParts = (selection: Selection): SelectionParts => partsOf(selection)

/** Entities that a loop fetches before the others. */
const FEW_FETCHED = 16

/**
 * Entities of one dataclass in an order. Membership and order are fixed when it is created; values
 * are read when they are needed. A removed member stays counted, and everything that reads skips
 * it. Immutable: every operation returns a new selection, of the same class. Capabilities add
 * members to subclasses.
 */
export class Selection implements SelectionCore<Untyped, Untyped>, SelectionWrites {
  readonly #members: Membership
  readonly #port: SelectionPort
  readonly #table: Table
  readonly #provenance: Provenance | null
  /** Undefined if the provenance decides. */
  readonly #isSorted: boolean | undefined
  /** See `Queries.related`; null where all members are held. */
  readonly #narrow: ((within: ReadFilter) => Selection) | null

  static {
    partsOf = (selection) => ({
      members: selection.#members,
      port: selection.#port,
      provenance: selection.#provenance,
    })
  }

  /**
   * `port` belongs to the reader of the selection. Selections derived from it use the same port,
   * and so show only what that reader may see.
   */
  constructor(
    members: Membership,
    provenance: Provenance | null,
    port: SelectionPort,
    isSorted?: boolean,
    narrow: ((within: ReadFilter) => Selection) | null = null,
  ) {
    this.#narrow = narrow
    this.#members = members
    this.#port = port
    this.#table = members.table
    this.#provenance = provenance
    this.#isSorted = isSorted
  }

  get dataClass(): DataClassCore<Untyped, Untyped, this> {
    return this.#port.scope.publicTable(this.#table.model)
  }

  /** Members, removed ones included. O(1), or O(members / 32) the first time. */
  get count(): number {
    return this.#members.count
  }

  /** True if the selection was created with an order. */
  get isSorted(): boolean {
    return this.#isSorted ?? (this.#provenance?.orderBy ?? []).length > 0
  }

  first(): AnyEntity | undefined {
    const members = this.#members
    // The first member nearly always exists. If it was removed, further ones are tried.
    for (let at = 0, step = 1; ; at += step, step = 64) {
      const slots = members.slots(at, step)
      for (let i = 0; i < slots.length; i++)
        if (members.asOf.isAlive(slots[i])) return this.#entity(slots[i])
      if (slots.length < step) return undefined
    }
  }
  toArray(): AnyEntity[] {
    const slots = this.#members.livingSlots()
    const { database } = this.#port
    const out: AnyEntity[] = new Array(slots.length)
    for (let i = 0; i < out.length; i++) out[i] = database.entityAt(this.#table, slots[i])
    return out
  }
  /** The entities as their `toJSON` gives them. */
  toJSON(): unknown[] {
    return this.toArray().map((entity) => ({ ...entity }))
  }
  *[Symbol.iterator](): IterableIterator<AnyEntity> {
    // Members are listed before the first one is returned, so that writes in the body of the loop
    // do not change which entities it visits. What has to be fetched is not read to its end by all
    // loops: then the first ones are fetched before the others.
    const members = this.#members
    let from = 0
    if (members.condition !== null) {
      const first = members.slots(0, FEW_FETCHED)
      yield* this.#living(first)
      from = FEW_FETCHED
      if (first.length < from) return
    }
    yield* this.#living(members.slots(from, members.end - from))
  }
  *#living(slots: Int32Array | readonly number[]): IterableIterator<AnyEntity> {
    for (const slot of slots) if (this.#members.asOf.isAlive(slot)) yield this.#entity(slot)
  }
  /** All members in order; undefined in the place of a removed one. */
  members(): (AnyEntity | undefined)[] {
    return Array.from(this.#members.slots(0, this.count), (slot) =>
      this.#members.asOf.isAlive(slot) ? this.#entity(slot) : undefined,
    )
  }
  keys(): (string | number)[] {
    return this.#members.keys()
  }
  has(key: unknown): boolean {
    this.#port.moment.enter()
    const members = this.#members
    const { asOf } = members
    const stored = storedKey(this.#table.model, key)
    const slot = stored === null ? -1 : this.#table.findKey(stored)
    return slot >= 0 && asOf.isAlive(slot) && contains(members.recordSet(), slot)
  }

  /** At most `top` members after the first `skip`. */
  page(skip: number, top: number): this {
    const from = wholeNumber('skip', skip)
    const limit = wholeNumber('top', top)
    const { table, asOf } = this.#members
    const page = { kind: 'page', of: this.#members, skip: from, top: limit } as const
    const provenance = this.#isPart ? partOf(this.#provenance) : this.#provenance
    return this.#create(new Membership(this.#port, table, page, null, asOf), provenance)
  }
  /**
   * From `start` up to, not including, `end`; negative numbers count from the end, as in arrays.
   */
  slice(start = 0, end = Number.POSITIVE_INFINITY): this {
    // The count may take a scan, or all members where they have to be fetched.
    if (Number.isSafeInteger(start) && start >= 0 && Number.isSafeInteger(end) && end >= 0)
      return this.page(start, Math.max(0, end - start))
    const { count } = this
    const from = start < 0 ? Math.max(0, count + start) : Math.min(start, count)
    const to = end < 0 ? Math.max(0, count + end) : Math.min(end, count)
    return this.page(from, Math.max(0, to - from))
  }
  orderBy(text: string): this {
    this.#port.moment.enter()
    const orderBy = this.#port.binder.bindOrderBy(this.#table.model, text)
    if (orderBy.length === 0) return this
    const provenance =
      this.#provenance && orderedProvenance(this.#provenance, orderBy, this.#isPart)
    const scored = inScoredOrder(this.#port, this.#table, orderBy, this.#provenance)
    const fresh = this.#members.inOrder(scored, this.#port)
    if (fresh !== null) return this.#create(fresh, provenance, this.#port, true)
    const set = this.#members.recordSet()
    const living = this.#members.livingSet()
    const ordered = new Membership(this.#port, this.#table, { kind: 'set', set: living }, scored)
    if (living === set) return this.#create(ordered, provenance)
    // Removed members come last, in their earlier order.
    const undefinedOnes = Int32Array.from(this.#members.slots(0, this.count)).filter(
      (slot) => !contains(living, slot),
    )
    const slots = Int32Array.from([...ordered.slots(0, ordered.count), ...undefinedOnes])
    return this.#create(listedMembers(this.#members, slots, this.#port), provenance)
  }
  /** The members that satisfy a filter, in this order unless the filter ends with its own. */
  query(filter: string | Condition, params?: unknown, options?: QueryOptions): this {
    this.#port.moment.enter()
    const bound = this.#port.binder.bindFilter(this.#table.model, filter, params, options)
    if (this.#narrow !== null) return this.#narrow(bound) as this
    const { dataClass, predicate, orderBy } = bound
    this.#port.whole.mustHold?.(dataClass, predicate, true)
    const narrowed = narrowedBy(this.#members, predicate, this.#port)
    if (narrowed !== null) {
      const order =
        orderBy && inScoredOrder(this.#port, this.#table, orderBy, { read: bound, outer: null })
      const ordered = order && narrowed.inOrder(order, this.#port)
      return this.#create(ordered ?? narrowed, null, this.#port, ordered !== null)
    }
    const asOf = asOfNow(this.#port, this.#table)
    const living = this.#members.livingSet()
    const plan = this.#narrowingPlan(dataClass, predicate, countOf(living))
    const { globalStamp } = asOf
    const set = selectWithin(living, plan, dataClass, predicate, this.#port.database)
    const provenance: Provenance = {
      read: bound,
      orderBy,
      plan,
      globalStamp,
      within: set,
      outer: this.#provenance,
      isPart: this.#isPart,
    }
    if (orderBy === null)
      return this.#create(narrowedMembers(this.#members, set, this.#port, asOf), provenance)
    return this.#create(
      new Membership(
        this.#port,
        this.#table,
        { kind: 'set', set },
        inScoredOrder(this.#port, this.#table, orderBy, provenance),
        asOf,
      ),
      provenance,
    )
  }

  /** The plan that narrows so many members; null where testing each of them is better. */
  #narrowingPlan(dataClass: ClassModel, predicate: Predicate, count: number): PhysicalPlan | null {
    // A table that holds only some records has no plans. Planning costs more than one test.
    const { planner } = this.#port
    const { indexing } = planner
    if (!this.#table.isWhole || count <= 1 || indexing === null) return null
    const best = planner.planOf(dataClass, predicate)
    return indexing.isTestCheaper(count, predicate, best) ? null : best
  }

  and(other: this): this {
    this.#mustMatch(other)
    return (
      this.#within(other, (condition) => condition) ??
      this.#narrowed(this.#combined('and', intersection, other))
    )
  }
  except(other: this): this {
    this.#mustMatch(other)
    return (
      this.#within(other, negation) ?? this.#narrowed(this.#combined('except', difference, other))
    )
  }
  or(other: this): this {
    this.#mustMatch(other)
    const second =
      other.#port === this.#port ? other.#members : visibleMembers(other.#members, this.#port)
    return this.#create(unitedMembers(this.#members, second, this.#port), null)
  }
  intersects(other: this): boolean {
    this.#mustMatch(other)
    const both = this.#within(other, (condition) => condition)
    if (both !== null) return both.count > 0
    return intersects(this.#members.livingSet(), other.#members.livingSet())
  }
  /** Without the members removed since. */
  clean(): this {
    this.#port.moment.enter()
    return this.#members.condition === null ? this.#narrowed(this.#members.livingSet()) : this
  }

  /** The same members for another reader, without those that it may not see. */
  seenThrough(port: SelectionPort): this {
    port.moment.enter()
    return this.#create(visibleMembers(this.#members, port), null, port, this.isSorted)
  }
  /**
   * Computes membership and order now, for selections that outlive the history. Cost: O(count), and
   * a sort if ordered.
   */
  settle(): this {
    this.#members.settle()
    return this
  }
  /**
   * The same members without references to a reader, to the history or to the selections that they
   * derive from, for selections with a long life. See `keptMembers`.
   */
  kept(): this {
    return this.#create(keptMembers(this.#members), null, this.#port.whole, this.isSorted)
  }
  get table(): Table {
    return this.#table
  }

  /** Removes the living members in one transaction; returns how many. */
  remove(): number {
    this.#port.moment.enter()
    return this.#port.removeAll(this.#table, this.keys())
  }
  /** What Node prints: a selection is not an array. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `Selection of ${this.#table.model.name} (${this.count})`
  }

  /** True for a page, and for selections derived from one. */
  get #isPart(): boolean {
    return this.#members.pageWindow !== null || this.#provenance?.isPart === true
  }
  #entity(slot: number): AnyEntity {
    return this.#port.database.entityAt(this.#table, slot)
  }
  /**
   * These members by what selects the other ones, made now, in this order. Null unless what selects
   * those is known in place of them.
   */
  #within(other: this, by: (condition: Predicate) => Predicate): this | null {
    const { condition } = other.#members
    const port = this.#port
    if (condition === null || port !== other.#port) return null
    const predicate = by(condition)
    const narrowed = narrowedBy(this.#members, predicate, port)
    if (narrowed !== null) return this.#create(narrowed, null)
    const { model } = this.#table
    return this.#narrowed(
      selectWithin(this.#members.livingSet(), null, model, predicate, port.database),
    )
  }
  #combined(name: string, combine: typeof intersection, other: Selection): RecordSet {
    const { allocator, slices } = this.#port.database
    const first = this.#members.livingSet()
    const second = other.#members.livingSet()
    return onceOf(slices, [name, first, second], () => combine(first, second, allocator))
  }
  /** A selection of some of these members, made now, in this order. */
  #narrowed(set: RecordSet): this {
    return this.#create(narrowedMembers(this.#members, set, this.#port), null)
  }
  /** Of the class that the store's capabilities have extended. */
  #create(
    members: Membership,
    provenance: Provenance | null,
    port = this.#port,
    isSorted?: boolean,
  ): this {
    return new (this.constructor as typeof Selection)(members, provenance, port, isSorted) as this
  }

  #mustMatch(other: Selection): void {
    this.#port.moment.enter()
    if (other instanceof Selection && other.#table === this.#table) return
    const right = other instanceof Selection ? other.#table.model.name : typeof other
    throw selectionError('selectionMismatch', { left: this.#table.model.name, right })
  }
}

/**
 * True for a selection of any store.
 *
 * @example
 * ```ts
 * isSelection(store.Employee.all()) // → true
 * ```
 */
export const isSelection = (value: unknown): value is AnySelection => value instanceof Selection
