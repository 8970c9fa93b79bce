import { isOwnColumn, type Past } from '../execute/order-keys.ts'
import { Ordering } from '../execute/ordering.ts'
import { listedSlots, onceOf } from '../execute/time-slices.ts'
import type { OrderBy, Predicate } from '../filter/predicate.ts'
import type { ScanPlan } from '../plan/physical-plan.ts'
import { type RecordSet, settleSet, sparseSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import { keysOf, keysOfList, LivingMembers, membersAsOf, pageOfMembers } from './access-members.ts'
import {
  type Access,
  type Concat,
  combinedSlots,
  conditionOf,
  countMembers,
  isPlan,
  type Members,
} from './members.ts'
import type { PastPages } from './past-page.ts'
import { type AsOf, asOfNow } from './provenance.ts'
import type { SelectionPort } from './selection-port.ts'

/**
 * The records of a selection and their order: fixed when the selection is created, computed when
 * first needed. Change lists correct for what was written in between.
 */
export class Membership {
  /** That of a caller who sees everything, once no other values are read than own columns. */
  port: SelectionPort
  readonly table: Table
  readonly asOf: AsOf
  /** `SelectionPort.ruleOf` of the reader: by that rule every member was visible at creation. */
  rule: string | null
  #members: Members
  /**
   * The order of an access path, a scan or a set; null for record order, and once another kind
   * fixes the order.
   */
  #orderBy: OrderBy | null
  /** True while the order must be computed together with members that are not found yet. */
  #isOrderDue = false
  /** Created when a member may have been removed. */
  #living: LivingMembers | null = null
  /** Created with the first ordered page that is read after a change. */
  #pastPages: PastPages | null = null
  /** The same members in another order, at the same version, if one scan will serve both. */
  #source: Membership | null

  constructor(
    port: SelectionPort,
    table: Table,
    members: Members,
    orderBy: OrderBy | null,
    asOf?: AsOf,
    source: Membership | null = null,
  ) {
    this.port = port
    this.table = table
    this.rule = port.scope.ruleOf(table.model)
    this.#members = members
    this.#orderBy = orderBy
    this.#source = members.kind === 'scan' ? source : null
    this.asOf = asOf ?? asOfNow(port, table)
    // An order by other tables or by code is computed now, and so is one whose values a rollback
    // may undo.
    if (orderBy !== null && (port.moment.isProvisional || !orderBy.every(isOwnColumn))) {
      this.#isOrderDue = conditionOf(members) !== null
      if (!this.#isOrderDue) this.#order(null)
    } else if (port.moment.isProvisional && isPlan(members)) this.#fix()
    // From here on only own columns are read, which do not depend on the reader.
    if (!this.#isOrderDue) this.port = port.whole
  }

  /** Members, removed ones included. O(1), or the first time O(members / 32), or a scan. */
  get count(): number {
    if (this.#isOrderDue) this.#orderNow()
    if (this.#members.kind === 'scan') this.recordSet()
    return countMembers(this.#members as Exclude<Members, { kind: 'scan' }>)
  }

  /** At least as many as there are members: a page need not count those that it is of. */
  get end(): number {
    return this.#members.kind === 'page' ? this.#members.top : this.count
  }

  /**
   * The same members in another order, for a reader. Null unless they are still read from an
   * unchanged table. One scan serves both.
   */
  inOrder(orderBy: OrderBy, port: SelectionPort): Membership | null {
    const members = this.#members
    const { condition } = this
    if (condition !== null) {
      const { matching } = port.database
      const found = matching?.members(this.table.model, condition, port.database)
      return found === undefined ? null : new Membership(port, this.table, found, orderBy)
    }
    if (!isPlan(members) || !this.asOf.isFresh) return null
    return new Membership(port, this.table, members, orderBy, undefined, this)
  }
  /** The window of a page; null for other members. */
  get pageWindow(): { readonly skip: number; readonly top: number } | null {
    return this.#members.kind === 'page'
      ? { skip: this.#members.skip, top: this.#members.top }
      : null
  }

  /** True for members in record order that are stored as a set, or can be. */
  get isInRecordOrder(): boolean {
    return this.#orderBy === null && (this.#members.kind === 'set' || isPlan(this.#members))
  }

  /** Record numbers `skip` to `skip + top` in order, those of removed members included. */
  slots(skip: number, top: number): Int32Array | readonly number[] {
    this.port.moment.enter()
    if ('page' in this.#members) {
      const fetched = this.#fetchedPage(this.#members, skip, top)
      if (fetched !== null) return fetched
    }
    if (this.#isOrderDue) this.#orderNow()
    const { slices } = this.port.database
    const name = slices === null ? null : this.#name()
    if (slices === null || name === null) return this.#slots(skip, top)
    return slices.once([name, skip, top], () => this.#slots(skip, top))
  }

  /** A page of members that are not found yet; null where all of them are found first. */
  #fetchedPage(
    members: Extract<Members, { page: unknown }>,
    skip: number,
    top: number,
  ): Int32Array | null {
    const orderBy = this.#orderBy
    // Other tables may hide records from this reader.
    if (this.port.scope.restrictsRows && orderBy?.every(isOwnColumn) === false) return null
    return members.page(orderBy, skip, top)
  }

  /** What identifies these members in a sliced read; null for those that are made of others. */
  #name(): readonly unknown[] | null {
    const members = this.#members
    const { database } = this.port
    const ofPlan = (predicate: unknown): readonly unknown[] => [
      'members',
      database,
      this.table,
      predicate,
      this.#orderBy,
      this.asOf.globalStamp,
    ]
    switch (members.kind) {
      case 'set':
        return ofPlan(members.set)
      case 'index':
        return ofPlan(members.predicate)
      case 'scan':
        return ofPlan(members.residual)
      case 'all':
        return ofPlan('all')
      case 'list':
        return ['list', members.slots]
      default:
        return null
    }
  }

  #slots(skip: number, top: number): Int32Array | readonly number[] {
    if (!this.asOf.isFresh && (isPlan(this.#members) || this.#orderBy !== null)) {
      const page = this.#pageOfPast(skip, top)
      if (page !== null) return page
      if (this.#orderBy === null) this.#fix()
      else this.#order(() => this.#pastOf())
    }
    // A page and a scan do not need the count, which may take a scan.
    if (this.#members.kind === 'page') {
      const { of, skip: before, top: most } = this.#members
      return of.slots(before + skip, Math.max(0, Math.min(top, most - skip)))
    }
    const { port, table } = this
    const { indexing } = port.planner
    const orderBy = this.#orderBy
    if (this.#members.kind === 'scan' && orderBy !== null && indexing !== null) {
      const members = this.#members
      const page = indexing.orderedPageOfScan(port.database, table, members, orderBy, skip, top)
      if (page !== null) return page
    }
    const { count } = this
    const wanted = Math.max(0, Math.min(top, count - skip))
    const page = pageOfMembers(port, table, this.#members, orderBy, skip, wanted, count)
    if (page !== null) return page
    if (orderBy === null || wanted >= count) return this.#fix().slots(skip, top)
    if (this.#members.kind === 'set') return this.#order(() => this.#pastOf()).slots(skip, top)
    this.#members = { kind: 'set', set: this.recordSet() }
    return this.#slots(skip, top)
  }

  /**
   * An ordered page although records changed since creation; null if sorting all members once is
   * better.
   */
  #pageOfPast(skip: number, top: number): Int32Array | null {
    const orderBy = this.#orderBy
    const { port, table, asOf } = this
    const { indexing } = port.planner
    if (orderBy === null || indexing === null) return null
    if (isPlan(this.#members)) this.#members = { kind: 'set', set: this.#setOf(this.#members) }
    if (this.#members.kind !== 'set') return null
    // A transaction that has written may be rolled back: nothing it reads is cached.
    const known = port.moment.isProvisional ? null : this.#pastPages
    const { set } = this.#members
    const pages = known ?? new indexing.PastPages(port, table, set, orderBy, asOf.globalStamp)
    if (!port.moment.isProvisional) this.#pastPages = pages
    return pages.page(skip, top)
  }

  /** Keys of the members that exist, in order. */
  keys(): (string | number)[] {
    this.port.moment.enter()
    const found = this.keysInList(0, Number.MAX_SAFE_INTEGER)
    if (found !== null) return found
    const slots = this.livingSlots()
    const { slices } = this.port.database
    return slices === null
      ? keysOf(this.table, slots)
      : slices.once(['keys', this.table], () => keysOf(this.table, slots), slots).slice()
  }
  /**
   * Keys of members `skip` to `skip + top` while they are one unchanged posting list; else null.
   */
  keysInList(skip: number, top: number): number[] | null {
    const members = this.#members
    if (members.kind === 'page')
      return members.of.keysInList(
        members.skip + skip,
        Math.max(0, Math.min(top, members.top - skip)),
      )
    if (members.kind !== 'index' || this.#orderBy !== null || !this.asOf.isFresh) return null
    return keysOfList(this.table, members, skip, top)
  }

  /** Record numbers of the members that exist, in order. */
  livingSlots(): Int32Array | readonly number[] {
    const slots = this.slots(0, this.end)
    if (this.asOf.isComplete) return slots
    return onceOf(
      this.port.database.slices,
      ['still there', this.asOf.clock],
      () => this.asOf.livingOf(slots),
      slots,
    )
  }

  /**
   * What selects the members, while they are not found and nothing was written since; otherwise
   * null.
   */
  get condition(): Predicate | null {
    return conditionOf(this.#members)
  }
  /** The two selections that this one joins; null for other members. */
  get concat(): Concat | null {
    return this.#members.kind === 'concat' ? this.#members : null
  }
  /** See `narrowedBy`, for members that are not those of two selections. */
  narrowed(predicate: Predicate, port: SelectionPort): Membership | null {
    const members = this.#members
    // An order is that of the moment at which it was made.
    if (this.#orderBy !== null && this.condition === null) return null
    const narrowed = 'narrow' in members ? members.narrow(predicate) : null
    return narrowed && new Membership(port, this.table, narrowed, this.#orderBy)
  }
  /** Members as a set, removed ones included. */
  recordSet(): RecordSet {
    if (this.#isOrderDue) this.#orderNow()
    const members = this.#members
    if (isPlan(members)) {
      const set = this.#setOf(members)
      // An ordered range is read faster by rank.
      if (this.#orderBy === null || members.kind === 'scan') this.#members = { kind: 'set', set }
      return set
    }
    if (members.kind === 'page') return this.#setOfSlots(this.slots(0, this.count))
    if (members.kind !== 'list') return members.set
    members.set ??= this.#setOfSlots(members.slots)
    return members.set
  }

  #setOfSlots(slots: Int32Array | readonly number[]): RecordSet {
    return onceOf(
      this.port.database.slices,
      ['set'],
      () => sparseSet(Int32Array.from(slots).sort()),
      slots,
    )
  }

  /** What a plan selected at creation. */
  #setOf(plan: Access | ScanPlan, past = this.#pastOf()): RecordSet {
    const source = this.#source
    this.#source = null
    return source === null ? membersAsOf(this.port, this.table, plan, past) : source.recordSet()
  }

  /** Members that exist, as a set. Cost: see `LivingMembers`. */
  livingSet(): RecordSet {
    this.port.moment.enter()
    const set = this.recordSet()
    if (this.asOf.isComplete) return set
    this.#living ??= new LivingMembers()
    return this.#living.of(set, this.asOf, this.port)
  }

  /** The living members, or null when these are all records there are. */
  setOrAll(): RecordSet | null {
    return this.#members.kind === 'all' && this.asOf.isFresh ? null : this.livingSet()
  }

  /** Computes membership and order as of creation. */
  #fix(): this {
    if (this.#isOrderDue) this.#orderNow()
    const members = this.#members
    const orderBy = this.#orderBy
    // A set in record order is fixed already and needs no history.
    if (members.kind === 'set' && orderBy === null) return this
    if (members.kind === 'ordered') this.#list(members.ordering.page(0, this.count), members.set)
    else if (members.kind === 'subset' || members.kind === 'concat')
      this.#list(combinedSlots(members, this.port.database.slices), members.set)
    else if (members.kind === 'set' || isPlan(members)) {
      const past = this.#pastOf()
      const set = members.kind === 'set' ? members.set : this.#setOf(members, past)
      if (orderBy === null) this.#members = { kind: 'set', set }
      else {
        const { database } = this.port
        const slots = listedSlots(database.slices, set)
        const ordering = new Ordering(database, this.table, slots, orderBy, () => past)
        this.#list(ordering.page(0, slots.length), set)
      }
      this.#orderBy = null
      this.#pastPages = null
    }
    return this
  }
  #list(slots: Int32Array, set: RecordSet): void {
    this.#members = { kind: 'list', slots, set }
  }

  /** From here on the order is computed page by page; see `Ordering` for `pastOf`. */
  #order(pastOf: (() => Past) | null): this {
    const members = this.#members as Access | ScanPlan | Extract<Members, { kind: 'set' }>
    const set = members.kind === 'set' ? members.set : this.#setOf(members)
    const { database } = this.port
    const orderBy = this.#orderBy as OrderBy
    const slots = listedSlots(database.slices, set)
    const ordering =
      pastOf === null
        ? Ordering.ofNow(database, this.table, slots, orderBy)
        : new Ordering(database, this.table, slots, orderBy, pastOf)
    this.#members = { kind: 'ordered', set, ordering }
    this.#orderBy = null
    return this
  }
  #orderNow(): void {
    if ('mustBeCurrent' in this.#members) this.#members.mustBeCurrent()
    this.#order(null)
    this.#isOrderDue = false
    this.port = this.port.whole
  }
  #pastOf(): Past {
    if (this.asOf.isFresh) return null
    if (this.#pastPages !== null && !this.port.moment.isProvisional) return this.#pastPages.past()
    return this.port.moment.pastOf(this.table, this.asOf.globalStamp)
  }

  /**
   * Computes membership and order now, so that no change list is needed later. Cost: O(members),
   * and a sort if ordered.
   */
  settle(): void {
    this.port.moment.enter()
    const members = this.#fix().#members
    if (members.kind === 'page') members.of.settle()
    // A combined set would otherwise retain the sets that it combines.
    else if (members.kind === 'set') settleSet(members.set)
  }
}
