import { EntiaError } from '../errors.ts'
import type { OrderBy } from '../filter/predicate.ts'
import type { Explain } from '../model/explain-types.ts'
import type { PastRecord } from '../storage/history.ts'
import {
  contains,
  difference,
  EMPTY_SET,
  intersection,
  intersects,
  membersOf,
  type RecordSet,
  slotsOf,
  sparseSet,
  union,
} from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import { membersAsOf, orderedPageOfAccess, orderedPageOfSet, pageOfAccess, sortedAsOf } from './access-members.ts'
import { type Computed, computeAggregates } from './aggregate.ts'
import { distinctValues } from './distinct.ts'
import { explainSelection, type Provenance } from './explain-selection.ts'
import { countMembers, type Members } from './members.ts'
import type { SelectionPort } from './selection-port.ts'

/** When a selection's membership and order were fixed. */
interface Making {
  readonly globalStamp: number
  /** Records born later are not members, though they may use a member's slot. */
  readonly clock: number
  readonly version: number
  /** -1 when members may have been undefined already. */
  readonly removals: number
}

/**
 * Entities of one dataclass in an order. Membership and order are those of the making; values are read when asked for. A member
 * removed since stays counted and is skipped by everything that reads. Immutable: every operation gives a new selection.
 */
export class Selection {
  readonly #port: SelectionPort
  readonly #table: Table
  readonly #made: Making
  #members: Members
  /** Not null: the members of `access` or `set` are in this order, worked out when first needed. */
  #orderBy: OrderBy | null
  readonly #provenance: Provenance | null

  constructor(
    port: SelectionPort,
    table: Table,
    members: Members,
    orderBy: OrderBy | null,
    provenance: Provenance | null,
    made?: Making,
  ) {
    this.#port = port
    this.#table = table
    this.#members = members
    this.#orderBy = orderBy
    this.#provenance = provenance
    this.#made = made ?? {
      globalStamp: port.globalStamp,
      clock: port.allocationClock,
      version: table.version,
      removals: table.removals,
    }
    // An order that depends on other tables, or on code, and anything a rollback may undo, is fixed at once.
    if (orderBy !== null && (port.isProvisional || !orderBy.every(isOwnColumn))) this.#fix()
    else if (members.kind === 'access' && port.isProvisional) this.#fix()
  }

  get dataClass(): object {
    return this.#port.publicTable(this.#table.model)
  }

  /** Members, removed ones included. O(1), or O(members / 32) the first time. */
  get count(): number {
    return countMembers(this.#members)
  }

  first(): object | undefined {
    for (let at = 0; at < this.count; at += 64) {
      for (const slot of this.slots(at, 64)) if (this.#isDefined(slot)) return this.#entity(slot)
    }
    return undefined
  }
  toArray(): object[] {
    const slots = this.slots(0, this.count)
    const out: object[] = []
    for (let i = 0; i < slots.length; i++) if (this.#isDefined(slots[i])) out.push(this.#entity(slots[i]))
    return out
  }
  *[Symbol.iterator](): IterableIterator<object> {
    // Members are listed before the first is handed out: what the loop's body writes does not change what it visits.
    for (const slot of this.slots(0, this.count)) if (this.#isDefined(slot)) yield this.#entity(slot)
  }
  /** Every member in its place; undefined for one removed since. */
  members(): (object | undefined)[] {
    return Array.from(this.slots(0, this.count), (slot) => (this.#isDefined(slot) ? this.#entity(slot) : undefined))
  }
  keys(): (string | number)[] {
    const key = this.#table.columns[this.#table.model.key.ordinal]
    const slots = this.slots(0, this.count)
    const out: (string | number)[] = []
    for (let i = 0; i < slots.length; i++)
      if (this.#isDefined(slots[i])) out.push(key.read(slots[i]) as string | number)
    return out
  }
  has(key: unknown): boolean {
    this.#port.enter()
    const stored = this.#port.storedKey(this.#table.model, key)
    const slot = stored === null ? -1 : this.#table.findKey(stored)
    return slot >= 0 && this.#isDefined(slot) && contains(this.recordSet(), slot)
  }

  /** At most `top` members after the first `skip`. */
  page(skip: number, top: number): Selection {
    const from = wholeNumber('skip', skip)
    const limit = wholeNumber('top', top)
    return new Selection(
      this.#port,
      this.#table,
      { kind: 'page', of: this, skip: from, top: limit },
      null,
      this.#provenance,
      this.#made,
    )
  }
  /** From `start` up to, not including, `end`; negative numbers count from the end, as in arrays. */
  slice(start = 0, end = this.count): Selection {
    const { count } = this
    const from = start < 0 ? Math.max(0, count + start) : Math.min(start, count)
    const to = end < 0 ? Math.max(0, count + end) : Math.min(end, count)
    return this.page(from, Math.max(0, to - from))
  }
  orderBy(text: string): Selection {
    this.#port.enter()
    const orderBy = this.#port.bindOrderBy(this.#table.model, text)
    if (orderBy.length === 0) return this
    const provenance = this.#provenance === null ? null : { ...this.#provenance, orderBy }
    const members = this.#members
    if (members.kind === 'access' && this.#isFresh())
      return new Selection(this.#port, this.#table, members, orderBy, provenance)
    const set = this.recordSet()
    const living = this.livingSet()
    const ordered = new Selection(this.#port, this.#table, { kind: 'set', set: living }, orderBy, provenance)
    if (living === set) return ordered
    // Members that are undefined already come last, in the order they had.
    const slots = [
      ...ordered.slots(0, ordered.count),
      ...Array.from(this.slots(0, this.count)).filter((slot) => !contains(living, slot)),
    ]
    const made = {
      globalStamp: this.#port.globalStamp,
      clock: this.#made.clock,
      version: this.#table.version,
      removals: -1,
    }
    return new Selection(
      this.#port,
      this.#table,
      { kind: 'list', slots: Int32Array.from(slots), set: null },
      null,
      provenance,
      made,
    )
  }
  /** The members that satisfy a filter, in this order unless the filter ends with its own. */
  query(filter: string, params?: unknown): Selection {
    this.#port.enter()
    const bound = this.#port.bindFilter(this.#table.model, filter, params)
    const found = this.#port.database.select(this.#table.model, bound.predicate)
    const set = intersection(this.livingSet(), found, this.#port.database.allocator)
    if (bound.orderBy !== null) return new Selection(this.#port, this.#table, { kind: 'set', set }, bound.orderBy, null)
    return this.#narrowed(set)
  }

  and(other: Selection): Selection {
    this.#mustMatch(other)
    return this.#narrowed(intersection(this.livingSet(), other.livingSet(), this.#port.database.allocator))
  }
  except(other: Selection): Selection {
    this.#mustMatch(other)
    return this.#narrowed(difference(this.livingSet(), other.livingSet(), this.#port.database.allocator))
  }
  or(other: Selection): Selection {
    this.#mustMatch(other)
    const firstSet = this.livingSet()
    const secondSet = other.livingSet()
    const set = union(firstSet, secondSet, this.#port.database.allocator)
    return new Selection(
      this.#port,
      this.#table,
      { kind: 'concat', set, first: this, firstSet, second: other, secondSet },
      null,
      null,
    )
  }
  intersects(other: Selection): boolean {
    this.#mustMatch(other)
    return intersects(this.livingSet(), other.livingSet())
  }
  /** Without the members removed since. */
  clean(): Selection {
    this.#port.enter()
    return this.#narrowed(this.livingSet())
  }

  sum(attribute: string): number {
    const { sum } = this.compute(attribute)
    if (sum === null) throw this.#notNumeric(attribute, 'a sum')
    return sum
  }
  average(attribute: string): number | null {
    const { sum, average } = this.compute(attribute)
    if (sum === null) throw this.#notNumeric(attribute, 'an average')
    return average
  }
  min(attribute: string): unknown {
    return this.compute(attribute).min
  }
  max(attribute: string): unknown {
    return this.compute(attribute).max
  }
  countOf(attribute: string): number {
    const path = this.#port.resolvePath(this.#table.model, attribute)
    if (path.steps.length === 0 && path.properties.length === 0 && path.attribute.kind === 'storage') {
      const column = this.#table.columns[path.attribute.ordinal]
      if (column.layout === 'boxed')
        return slotsOf(this.livingSet()).reduce((n, slot) => (column.read(slot) === null ? n : n + 1), 0)
    }
    return this.compute(attribute).count
  }
  compute(attribute: string): Computed {
    this.#port.enter()
    return computeAggregates(
      this.#port.database,
      this.#table,
      this.#port.resolvePath(this.#table.model, attribute),
      this.#setOrAll(),
    )
  }
  distinct(path: string): unknown[] {
    this.#port.enter()
    return distinctValues(
      this.#port.database,
      this.#table,
      this.#port.resolvePath(this.#table.model, path),
      this.#setOrAll(),
    )
  }

  /** Plain objects with what the paths name. */
  select(paths: string): Record<string, unknown>[] {
    this.#port.enter()
    const projection = this.#port.projection(this.#table.model, paths)
    const out: Record<string, unknown>[] = []
    for (const slot of this.slots(0, this.count)) if (this.#isDefined(slot)) out.push(projection.object(slot))
    return out
  }
  /** JSON text of an array of what the paths name (all values of the dataclass without). */
  json(paths = ''): string {
    this.#port.enter()
    const projection = this.#port.projection(this.#table.model, paths)
    let out = '['
    for (const slot of this.slots(0, this.count)) {
      if (this.#isDefined(slot)) out += out.length === 1 ? projection.text(slot) : `,${projection.text(slot)}`
    }
    return `${out}]`
  }

  /** Removes the living members in one transaction; returns how many. */
  remove(): number {
    this.#port.enter()
    return this.#port.removeAll(this.#table, this.keys())
  }
  call(name: string, ...args: unknown[]): unknown {
    return this.#port.call(this, this.#table.model, name, args)
  }
  explain(): Explain {
    this.#port.enter()
    return explainSelection(this.#port, this.#table, this.#provenance, this.#pageWindow())
  }

  /** Record numbers `skip` to `skip + top` in order, those of removed members included. For the rooms of core. */
  slots(skip: number, top: number): Int32Array | number[] {
    this.#port.enter()
    if (this.#members.kind === 'access' || this.#orderBy !== null) {
      if (!this.#isFresh()) this.#fix()
    }
    const members = this.#members
    const wanted = Math.max(0, Math.min(top, this.count - skip))
    switch (members.kind) {
      case 'access': {
        if (this.#orderBy !== null) {
          if (wanted >= this.count) return this.#fix().slots(skip, top)
          const page = orderedPageOfAccess(this.#port, this.#table, members.plan, this.#orderBy, skip, wanted)
          if (page !== null) return page
          this.#members = {
            kind: 'set',
            set: membersAsOf(this.#port, this.#table, members.plan, members.predicate, null),
          }
          return this.slots(skip, top)
        }
        const page = pageOfAccess(this.#port, this.#table, members.plan, skip, wanted)
        return page ?? this.#fix().slots(skip, top)
      }
      case 'set':
        if (this.#orderBy === null) return membersOf(members.set, skip, wanted)
        if (wanted >= this.count) return this.#fix().slots(skip, top)
        return orderedPageOfSet(this.#port, this.#table, members.set, this.#orderBy, skip, wanted)
      case 'list':
        return members.slots.subarray(skip, skip + wanted)
      case 'page':
        return members.of.slots(members.skip + skip, wanted)
      case 'subset':
      case 'concat':
        return this.#fix().slots(skip, top)
    }
  }

  /** Members as a set, removed ones included. */
  recordSet(): RecordSet {
    if (this.#members.kind === 'access') {
      const past = this.#isFresh() ? null : this.#past()
      const set = membersAsOf(this.#port, this.#table, this.#members.plan, this.#members.predicate, past)
      if (this.#orderBy === null) this.#members = { kind: 'set', set }
      return set
    }
    const members = this.#members
    if (members.kind === 'page') return sparseSet(Int32Array.from(this.slots(0, this.count)).sort())
    if (members.kind !== 'list') return members.set
    members.set ??= sparseSet(Int32Array.from(members.slots).sort())
    return members.set
  }

  /** Members that exist, as a set. */
  livingSet(): RecordSet {
    this.#port.enter()
    const set = this.recordSet()
    if (this.#made.removals === this.#table.removals) return set
    const slots = slotsOf(set)
    const living = slots.filter((slot) => this.#isDefined(slot))
    return living.length === slots.length ? set : living.length === 0 ? EMPTY_SET : sparseSet(living)
  }

  /** The living members, or null when these are all records there are. */
  #setOrAll(): RecordSet | null {
    return this.#members.kind === 'access' && this.#members.plan.kind === 'all' && this.#isFresh()
      ? null
      : this.livingSet()
  }

  /** Fixes membership and order as of the making, once and for good. */
  #fix(): this {
    const members = this.#members
    switch (members.kind) {
      case 'access':
      case 'set': {
        const past = this.#isFresh() ? null : this.#past()
        const set =
          members.kind === 'set'
            ? members.set
            : membersAsOf(this.#port, this.#table, members.plan, members.predicate, past)
        this.#members =
          this.#orderBy === null
            ? { kind: 'set', set }
            : { kind: 'list', slots: sortedAsOf(this.#port, this.#table, set, this.#orderBy, past), set }
        this.#orderBy = null
        break
      }
      case 'subset': {
        const slots = Int32Array.from(members.of.slots(0, members.of.count)).filter((slot) =>
          contains(members.set, slot),
        )
        this.#members = { kind: 'list', slots, set: members.set }
        break
      }
      case 'concat': {
        const { first, firstSet, second, secondSet } = members
        const slots = [
          ...Int32Array.from(first.slots(0, first.count)).filter((slot) => contains(firstSet, slot)),
          ...Int32Array.from(second.slots(0, second.count)).filter(
            (slot) => contains(secondSet, slot) && !contains(firstSet, slot),
          ),
        ]
        this.#members = { kind: 'list', slots: Int32Array.from(slots), set: members.set }
        break
      }
      default:
        break
    }
    return this
  }

  #isFresh(): boolean {
    return this.#table.version === this.#made.version
  }
  #past(): ReadonlyMap<number, PastRecord> {
    return this.#port.pastOf(this.#table, this.#made.globalStamp)
  }
  /** A member that exists: its slot lives and was not given out anew. */
  #isDefined(slot: number): boolean {
    if (this.#made.removals === this.#table.removals) return true
    return this.#table.isLive(slot) && this.#table.births[slot] <= this.#made.clock
  }
  #entity(slot: number): object {
    return this.#port.database.entityAt(this.#table, slot)
  }

  /** A selection of some of these members, made now, in this order. */
  #narrowed(set: RecordSet): Selection {
    const isInRecordOrder = this.#orderBy === null && (this.#members.kind === 'access' || this.#members.kind === 'set')
    const members: Members = isInRecordOrder ? { kind: 'set', set } : { kind: 'subset', of: this, set }
    return new Selection(this.#port, this.#table, members, null, null)
  }

  #pageWindow(): { skip: number; top: number } | null {
    return this.#members.kind === 'page' ? { skip: this.#members.skip, top: this.#members.top } : null
  }

  #mustMatch(other: Selection): void {
    this.#port.enter()
    if (other instanceof Selection && other.#table === this.#table) return
    const right = other instanceof Selection ? other.#table.model.name : typeof other
    throw new EntiaError('selectionMismatch', { left: this.#table.model.name, right })
  }
  #notNumeric(attribute: string, use: string): EntiaError {
    return new EntiaError('attributeNotApplicable', {
      dataClass: this.#table.model.name,
      attribute,
      use,
      remedy: 'Name a number or duration attribute.',
    })
  }
}

/** Orders that depend on the dataclass's own columns only can be worked out later, from what those columns held. */
const isOwnColumn = ({ steps, attribute }: OrderBy[number]): boolean =>
  steps.length === 0 && attribute.kind === 'storage'

function wholeNumber(argument: string, value: number): number {
  if (Number.isInteger(value) && value >= 0) return value
  if (value === Number.POSITIVE_INFINITY) return Number.MAX_SAFE_INTEGER
  throw new EntiaError('argumentInvalid', { argument, expected: 'a whole number from 0', found: String(value) })
}
