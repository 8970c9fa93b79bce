import { isOwnColumn, Ordering, type Past } from '../execute/ordering.ts'
import { sortSlots } from '../execute/sort.ts'
import type { OrderBy } from '../filter/predicate.ts'
import type { ScanPlan } from '../plan/physical-plan.ts'
import type { PastRecord } from '../storage/history.ts'
import { compactSet, countOf, membersOf, type RecordSet, settleSet, slotsOf, sparseSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import { membersAsOf, orderedPageOfAccess, orderedPageOfScan, pageOfAccess, walkedPageOfSet } from './access-members.ts'
import { LivingMembers } from './living-members.ts'
import { keysOf, keysOfList } from './member-keys.ts'
import { type Access, combinedSlots, countMembers, isPlan, type Making, type Members } from './members.ts'
import { PastPages } from './past-page.ts'
import type { SelectionPort } from './selection-port.ts'

/**
 * Which records a selection has, and in which order: fixed when it is made, worked out when first needed. What its table
 * went through since is corrected by the change lists.
 */
export class Membership {
  readonly port: SelectionPort
  readonly table: Table
  readonly made: Making
  /** `SelectionPort.ruleOf` of the reader it was made for: every member could be seen by that rule when it was made. */
  rule: string | null
  #members: Members
  /** Not null: the members of `access` or `set` are in this order. */
  #orderBy: OrderBy | null
  /** Made when a member may have become undefined. */
  #living: LivingMembers | null = null
  /** Made with the first page in an order that is asked for after a change. */
  #pastPages: PastPages | null = null
  /** The same members in another order, made at the same version, where a scan waits for both; null when it need not. */
  #source: Membership | null

  constructor(
    port: SelectionPort,
    table: Table,
    members: Members,
    orderBy: OrderBy | null,
    made?: Making,
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
    // What an order depends on is read at once if it is of other tables, or code, or a rollback may undo it.
    if (orderBy !== null && (port.moment.isProvisional || !orderBy.every(isOwnColumn))) this.#order(null)
    else if (port.moment.isProvisional && isPlan(members)) this.#fix()
    // From here on there are only columns of its own to look at, and no reader to do it for.
    this.port = port.whole
  }

  /** Members, removed ones included. O(1), or the first time O(members / 32), or a scan. */
  get count(): number {
    if (this.#members.kind === 'scan') this.recordSet()
    return countMembers(this.#members as Exclude<Members, { kind: 'scan' }>)
  }

  /** The same members in another order, for a reader; null where they are not read from the table as it is. A scan waits once for both. */
  inOrder(orderBy: OrderBy, port: SelectionPort): Membership | null {
    const members = this.#members
    if (!isPlan(members) || !this.#isFresh()) return null
    return new Membership(port, this.table, members, orderBy, undefined, this)
  }
  /** What part of other members these are, or null. */
  get pageWindow(): { readonly skip: number; readonly top: number } | null {
    return this.#members.kind === 'page' ? { skip: this.#members.skip, top: this.#members.top } : null
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
    // Of these two the count need not be known, which may take a scan.
    if (this.#members.kind === 'page') {
      const { of, skip: before, top: most } = this.#members
      return of.slots(before + skip, Math.max(0, Math.min(top, most - skip)))
    }
    if (this.#members.kind === 'scan') {
      const page = this.#orderBy && orderedPageOfScan(this.port, this.table, this.#members, this.#orderBy, skip, top)
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
          const page = orderedPageOfAccess(this.port, this.table, members, this.#orderBy, skip, wanted)
          if (page !== null) return page
          this.#members = { kind: 'set', set: this.recordSet() }
          return this.slots(skip, top)
        }
        const page = pageOfAccess(this.port, this.table, members, skip, wanted)
        return page ?? this.#fix().slots(skip, top)
      }
      case 'set':
        if (this.#orderBy === null) {
          const isWhole = members.set.kind === 'sparse' && skip === 0 && wanted === members.set.count
          return isWhole ? members.set.slots : membersOf(members.set, skip, wanted)
        }
        if (wanted >= this.count) return this.#fix().slots(skip, top)
        return (
          walkedPageOfSet(this.port, this.table, members.set, this.#orderBy, skip, wanted) ??
          this.#order(() => this.#pastOf()).slots(skip, top)
        )
      case 'ordered':
        return wanted < this.count ? members.ordering.page(skip, wanted) : this.#fix().slots(skip, top)
      case 'list':
        return members.slots.subarray(skip, skip + wanted)
      case 'concat': {
        // A page of the first alone need not know what the second adds.
        const { first, firstSet } = members
        const isFirst = skip + wanted <= first.count && countOf(firstSet) === first.count
        return isFirst ? first.slots(skip, wanted) : this.#fix().slots(skip, top)
      }
      default:
        return this.#fix().slots(skip, top)
    }
  }

  /** A page in an order, although records changed since; null where all members are better put into order once. */
  #pageOfPast(skip: number, top: number): Int32Array | null {
    const orderBy = this.#orderBy
    if (orderBy === null) return null
    if (isPlan(this.#members)) this.#members = { kind: 'set', set: this.#setOf(this.#members) }
    if (this.#members.kind !== 'set') return null
    // A transaction that has written may be rolled back: nothing is remembered of what it sees.
    const known = this.port.moment.isProvisional ? null : this.#pastPages
    const pages = known ?? new PastPages(this.port, this.table, this.#members.set, orderBy, this.made.globalStamp)
    if (!this.port.moment.isProvisional) this.#pastPages = pages
    return pages.page(skip, top)
  }

  /** Keys of the members that exist, in order. */
  keys(): (string | number)[] {
    this.port.moment.enter()
    return this.keysInList(0, Number.MAX_SAFE_INTEGER) ?? keysOf(this.table, this.livingSlots())
  }
  /** Keys of members `skip` to `skip + top` while they stand in one posting list as they were; else null. */
  keysInList(skip: number, top: number): number[] | null {
    const members = this.#members
    if (members.kind === 'page')
      return members.of.keysInList(members.skip + skip, Math.max(0, Math.min(top, members.top - skip)))
    if (members.kind !== 'index' || this.#orderBy !== null || !this.#isFresh()) return null
    return keysOfList(this.table, members, skip, top)
  }

  /** Record numbers of the members that exist, in order. */
  livingSlots(): Int32Array | readonly number[] {
    return this.livingOf(this.slots(0, this.#members.kind === 'page' ? this.#members.top : this.count))
  }
  /** Those of some members that exist: the very same list where all do. */
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
      // A range in an order is better read by rank.
      if (this.#orderBy === null || members.kind === 'scan') this.#members = { kind: 'set', set }
      return set
    }
    if (members.kind === 'page') return sparseSet(Int32Array.from(this.slots(0, this.count)).sort())
    if (members.kind !== 'list') return members.set
    members.set ??= sparseSet(Int32Array.from(members.slots).sort())
    return members.set
  }

  /** What a plan selected when this was made. */
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

  /** Fixes membership and order as of the making, once and for good. */
  #fix(): this {
    const members = this.#members
    switch (members.kind) {
      case 'all':
      case 'none':
      case 'index':
      case 'scan':
      case 'set': {
        const orderBy = this.#orderBy
        // A set in record order is fixed already: the history need not reach back to it.
        if (members.kind === 'set' && orderBy === null) break
        const past = this.#pastOf()
        const set = members.kind === 'set' ? members.set : this.#setOf(members, past)
        this.#members =
          orderBy === null
            ? { kind: 'set', set }
            : { kind: 'list', slots: sortSlots(this.port.database, this.table, slotsOf(set), orderBy, past), set }
        this.#orderBy = null
        this.#pastPages = null
        break
      }
      case 'ordered':
        this.#members = { kind: 'list', slots: members.ordering.page(0, this.count), set: members.set }
        break
      case 'subset':
      case 'concat':
        this.#members = { kind: 'list', slots: combinedSlots(members), set: members.set }
        break
      default:
        break
    }
    return this
  }

  /** From here on the order is worked out page by page; see `Ordering` for `pastOf`. */
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
    return this.#pastPages === null || this.port.moment.isProvisional ? this.#past() : this.#pastPages.past()
  }

  /** Works out what is not worked out yet: no change list is needed from here on. O(members), and a sort where ordered. */
  settle(): void {
    this.port.moment.enter()
    const members = this.#fix().#members
    if (members.kind === 'page') members.of.settle()
    // The words of what was combined, or it would hold on to both sets.
    else if (members.kind === 'set') settleSet(members.set)
  }
  /**
   * The same members for as long as somebody wants: independent of the history that is kept, and holding nothing but its members, in at
   * most about 8 bytes for each. O(members), and a sort where ordered.
   */
  kept(): Membership {
    this.settle()
    const members = this.#members
    const own: Members =
      members.kind === 'set'
        ? { kind: 'set', set: compactSet(members.set) }
        : { kind: 'list', slots: Int32Array.from(this.slots(0, this.count)), set: null }
    const kept = new Membership(this.port, this.table, own, null, this.made)
    kept.rule = this.rule
    return kept
  }

  #isFresh(): boolean {
    return this.table.version === this.made.version
  }
  #past(): ReadonlyMap<number, PastRecord> {
    return this.port.moment.pastOf(this.table, this.made.globalStamp)
  }
  /** A member that exists: its slot lives and was not given out anew. */
  isDefined(slot: number): boolean {
    if (this.made.removals === this.table.removals) return true
    return this.table.isSameSince(slot, this.made.clock)
  }

  /** Some of these members as of now, in this order, for a reader. */
  narrowed(set: RecordSet, port: SelectionPort): Membership {
    const members = this.#members
    const isInRecordOrder = this.#orderBy === null && (members.kind === 'set' || isPlan(members))
    return new Membership(
      port,
      this.table,
      isInRecordOrder ? { kind: 'set', set } : { kind: 'subset', of: this, set },
      null,
    )
  }
  /** Members in a given order, those removed since included, for a reader. */
  listed(slots: Int32Array, port: SelectionPort): Membership {
    const made = {
      globalStamp: port.moment.globalStamp,
      clock: this.made.clock,
      version: this.table.version,
      removals: -1,
    }
    return new Membership(port, this.table, { kind: 'list', slots, set: null }, null, made)
  }
}
