import { Ordering, type Past } from '../execute/ordering.ts'
import { sortSlots } from '../execute/sort.ts'
import type { OrderBy } from '../filter/predicate.ts'
import type { ScanPlan } from '../plan/physical-plan.ts'
import {
  compactSet,
  countOf,
  membersOf,
  type RecordSet,
  settleSet,
  slotsOf,
  sparseSet,
} from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import {
  membersAsOf,
  orderedPageOfAccess,
  orderedPageOfScan,
  pageOfAccess,
  walkedPageOfSet,
} from './access-members.ts'
import { LivingMembers } from './living-members.ts'
import { keysOf, keysOfList } from './member-keys.ts'
import {
  type Access,
  type Creation,
  combinedSlots,
  countMembers,
  isOwnColumn,
  isPlan,
  type Members,
} from './members.ts'
import { PastPages } from './past-page.ts'
import type { SelectionPort } from './selection-port.ts'

/**
 * The records of a selection and their order: fixed when the selection is created, computed when
 * first needed. Change lists correct for what was written in between.
 */
export class Membership {
  readonly port: SelectionPort
  readonly table: Table
  readonly made: Creation
  /** `SelectionPort.ruleOf` of the reader: by that rule every member was visible at creation. */
  rule: string | null
  #members: Members
  /**
   * The order of an access path, a scan or a set; null for record order, and once another kind
   * fixes the order.
   */
  #orderBy: OrderBy | null
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
    made?: Creation,
    source: Membership | null = null,
  ) {
    this.port = port
    this.table = table
    this.rule = port.scope.ruleOf(table.model)
    this.#members = members
    this.#orderBy = orderBy
    this.#source = members.kind === 'scan' ? source : null
    this.made = made ?? {
      globalStamp: port.moment.globalStamp,
      clock: port.moment.allocationClock,
      version: table.version,
      removals: table.removals,
    }
    // An order by other tables or by code is computed now, and so is one whose values a rollback
    // may undo.
    if (orderBy !== null && (port.moment.isProvisional || !orderBy.every(isOwnColumn)))
      this.#order(null)
    else if (port.moment.isProvisional && isPlan(members)) this.#fix()
    // From here on only own columns are read, which do not depend on the reader.
    this.port = port.whole
  }

  /** Members, removed ones included. O(1), or the first time O(members / 32), or a scan. */
  get count(): number {
    if (this.#members.kind === 'scan') this.recordSet()
    return countMembers(this.#members as Exclude<Members, { kind: 'scan' }>)
  }

  /**
   * The same members in another order, for a reader. Null unless they are still read from an
   * unchanged table. One scan serves both.
   */
  inOrder(orderBy: OrderBy, port: SelectionPort): Membership | null {
    const members = this.#members
    if (!isPlan(members) || !this.#isFresh()) return null
    return new Membership(port, this.table, members, orderBy, undefined, this)
  }
  /** The window of a page; null for other members. */
  get pageWindow(): { readonly skip: number; readonly top: number } | null {
    return this.#members.kind === 'page'
      ? { skip: this.#members.skip, top: this.#members.top }
      : null
  }

  /** Record numbers `skip` to `skip + top` in order, those of removed members included. */
  slots(skip: number, top: number): Int32Array | readonly number[] {
    this.port.moment.enter()
    if (!this.#isFresh() && (isPlan(this.#members) || this.#orderBy !== null)) {
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
    if (this.#members.kind === 'scan') {
      const page =
        this.#orderBy &&
        orderedPageOfScan(this.port, this.table, this.#members, this.#orderBy, skip, top)
      if (page !== null) return page
    }
    const wanted = Math.max(0, Math.min(top, this.count - skip))
    const members = this.#members
    switch (members.kind) {
      case 'all':
      case 'none':
      case 'index': {
        if (this.#orderBy !== null) {
          if (wanted >= this.count) return this.#fix().slots(skip, top)
          const page = orderedPageOfAccess(
            this.port,
            this.table,
            members,
            this.#orderBy,
            skip,
            wanted,
          )
          if (page !== null) return page
          this.#members = { kind: 'set', set: this.recordSet() }
          return this.slots(skip, top)
        }
        return (
          pageOfAccess(this.port, this.table, members, skip, wanted) ?? this.#fix().slots(skip, top)
        )
      }
      case 'set':
        if (this.#orderBy === null) {
          const isWhole =
            members.set.kind === 'sparse' && skip === 0 && wanted === members.set.count
          return isWhole ? members.set.slots : membersOf(members.set, skip, wanted)
        }
        if (wanted >= this.count) return this.#fix().slots(skip, top)
        return (
          walkedPageOfSet(this.port, this.table, members.set, this.#orderBy, skip, wanted) ??
          this.#order(() => this.#pastOf()).slots(skip, top)
        )
      case 'ordered':
        return wanted < this.count
          ? members.ordering.page(skip, wanted)
          : this.#fix().slots(skip, top)
      case 'list':
        return members.slots.subarray(skip, skip + wanted)
      case 'concat': {
        // A page within the first members does not need the second.
        const { first, firstSet } = members
        const isFirst = skip + wanted <= first.count && countOf(firstSet) === first.count
        return isFirst ? first.slots(skip, wanted) : this.#fix().slots(skip, top)
      }
      default:
        return this.#fix().slots(skip, top)
    }
  }

  /**
   * An ordered page although records changed since creation; null if sorting all members once is
   * better.
   */
  #pageOfPast(skip: number, top: number): Int32Array | null {
    const orderBy = this.#orderBy
    if (orderBy === null) return null
    if (isPlan(this.#members)) this.#members = { kind: 'set', set: this.#setOf(this.#members) }
    if (this.#members.kind !== 'set') return null
    // A transaction that has written may be rolled back: nothing it reads is cached.
    const known = this.port.moment.isProvisional ? null : this.#pastPages
    const pages =
      known ??
      new PastPages(this.port, this.table, this.#members.set, orderBy, this.made.globalStamp)
    if (!this.port.moment.isProvisional) this.#pastPages = pages
    return pages.page(skip, top)
  }

  /** Keys of the members that exist, in order. */
  keys(): (string | number)[] {
    this.port.moment.enter()
    return this.keysInList(0, Number.MAX_SAFE_INTEGER) ?? keysOf(this.table, this.livingSlots())
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
    if (members.kind !== 'index' || this.#orderBy !== null || !this.#isFresh()) return null
    return keysOfList(this.table, members, skip, top)
  }

  /** Record numbers of the members that exist, in order. */
  livingSlots(): Int32Array | readonly number[] {
    return this.livingOf(
      this.slots(0, this.#members.kind === 'page' ? this.#members.top : this.count),
    )
  }
  /** The members of a list that exist; the same list if all do. */
  livingOf(slots: Int32Array | readonly number[]): Int32Array | readonly number[] {
    if (this.made.removals === this.table.removals) return slots
    const living: number[] = []
    for (let i = 0; i < slots.length; i++) if (this.isDefined(slots[i])) living.push(slots[i])
    return living
  }

  /** Members as a set, removed ones included. */
  recordSet(): RecordSet {
    const members = this.#members
    if (isPlan(members)) {
      const set = this.#setOf(members)
      // An ordered range is read faster by rank.
      if (this.#orderBy === null || members.kind === 'scan') this.#members = { kind: 'set', set }
      return set
    }
    if (members.kind === 'page') return sparseSet(Int32Array.from(this.slots(0, this.count)).sort())
    if (members.kind !== 'list') return members.set
    members.set ??= sparseSet(Int32Array.from(members.slots).sort())
    return members.set
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
    if (this.made.removals === this.table.removals) return set
    this.#living ??= new LivingMembers()
    return this.#living.of(set, this.made, this.table, this.port, (slot) => this.isDefined(slot))
  }

  /** The living members, or null when these are all records there are. */
  setOrAll(): RecordSet | null {
    return this.#members.kind === 'all' && this.#isFresh() ? null : this.livingSet()
  }

  /** Computes membership and order as of creation. */
  #fix(): this {
    const members = this.#members
    switch (members.kind) {
      case 'all':
      case 'none':
      case 'index':
      case 'scan':
      case 'set': {
        const orderBy = this.#orderBy
        // A set in record order is fixed already and needs no history.
        if (members.kind === 'set' && orderBy === null) break
        const past = this.#pastOf()
        const set = members.kind === 'set' ? members.set : this.#setOf(members, past)
        this.#members =
          orderBy === null
            ? { kind: 'set', set }
            : {
                kind: 'list',
                slots: sortSlots(this.port.database, this.table, slotsOf(set), orderBy, past),
                set,
              }
        this.#orderBy = null
        this.#pastPages = null
        break
      }
      case 'ordered':
        this.#members = {
          kind: 'list',
          slots: members.ordering.page(0, this.count),
          set: members.set,
        }
        break
      case 'subset':
      case 'concat':
        this.#members = { kind: 'list', slots: combinedSlots(members), set: members.set }
    }
    return this
  }

  /** From here on the order is computed page by page; see `Ordering` for `pastOf`. */
  #order(pastOf: (() => Past) | null): this {
    const members = this.#members as Access | ScanPlan | Extract<Members, { kind: 'set' }>
    const set = members.kind === 'set' ? members.set : this.#setOf(members)
    const { database } = this.port
    const orderBy = this.#orderBy as OrderBy
    const slots = slotsOf(set)
    const ordering =
      pastOf === null
        ? Ordering.ofNow(database, this.table, slots, orderBy)
        : new Ordering(database, this.table, slots, orderBy, pastOf)
    this.#members = { kind: 'ordered', set, ordering }
    this.#orderBy = null
    return this
  }
  #pastOf(): Past {
    if (this.#isFresh()) return null
    if (this.#pastPages !== null && !this.port.moment.isProvisional) return this.#pastPages.past()
    return this.port.moment.pastOf(this.table, this.made.globalStamp)
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
  /**
   * The same members, to be held for any time: independent of the history, in at most about 8 bytes
   * per member. Cost: O(members), and a sort if ordered.
   */
  kept(): Membership {
    this.settle()
    const members = this.#members
    const own: Members =
      members.kind === 'set'
        ? { kind: 'set', set: compactSet(members.set) }
        : { kind: 'list', slots: Int32Array.from(this.slots(0, this.count)), set: null }
    const held = new Membership(this.port, this.table, own, null, this.made)
    held.rule = this.rule
    return held
  }

  #isFresh(): boolean {
    return this.table.version === this.made.version
  }
  /** True for a member that exists: its slot is in use, and was not reused since creation. */
  isDefined(slot: number): boolean {
    if (this.made.removals === this.table.removals) return true
    return this.table.isSameSince(slot, this.made.clock)
  }

  /** Some of these members as of now, in this order, for a reader. */
  narrowed(set: RecordSet, port: SelectionPort): Membership {
    const members = this.#members
    const isInRecordOrder = this.#orderBy === null && (members.kind === 'set' || isPlan(members))
    const own: Members = isInRecordOrder ? { kind: 'set', set } : { kind: 'subset', of: this, set }
    return new Membership(port, this.table, own, null)
  }
  /** Members in a given order, those removed since included, for a reader. */
  listed(slots: Int32Array, port: SelectionPort): Membership {
    const { globalStamp } = port.moment
    const made = { globalStamp, clock: this.made.clock, version: this.table.version, removals: -1 }
    return new Membership(port, this.table, { kind: 'list', slots, set: null }, null, made)
  }
}
