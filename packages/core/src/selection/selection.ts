import { type Computed, computeAggregates, computeDistinct, countBoxed } from '../aggregate/aggregate.ts'
import { distinctValues } from '../aggregate/distinct.ts'
import { EntiaError } from '../errors.ts'
import { isTestCheaper, selectWithin } from '../execute/run-plan.ts'
import type { ConditionNode, Explain } from '../model/explain-types.ts'
import type { QueryOptions } from '../model/selection-types.ts'
import type { TextForm } from '../model/text-form.ts'
import { residualCost } from '../plan/cost.ts'
import { contains, difference, intersection, intersects, type RecordSet, union } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import {
  conditionOfSelection,
  explainSelection,
  OrderedProvenance,
  type Provenance,
  partOf,
} from './explain-selection.ts'
import { endOfIndex } from './index-ends.ts'
import { liveSource } from './live-source.ts'
import { Membership } from './membership.ts'
import type { SelectionPort } from './selection-port.ts'
import { visibleMembers } from './visible-members.ts'
import { wholeNumber } from './whole-number.ts'

/**
 * Entities of one dataclass in an order. Membership and order are those of the making; values are read when asked for. A member
 * removed since stays counted and is skipped by everything that reads. Immutable: every operation gives a new selection.
 */
export class Selection {
  readonly #members: Membership
  readonly #port: SelectionPort
  readonly #table: Table
  readonly #provenance: Provenance | null
  /** Undefined: as its provenance says. */
  readonly #isSorted: boolean | undefined

  /** `port` is the reader's that it is for: whatever is made of it keeps to what that one may see. */
  constructor(members: Membership, provenance: Provenance | null, port: SelectionPort, isSorted?: boolean) {
    this.#members = members
    this.#port = port
    this.#table = members.table
    this.#provenance = provenance
    this.#isSorted = isSorted
  }

  get dataClass(): object {
    return this.#port.publicTable(this.#table.model)
  }

  /** Members, removed ones included. O(1), or O(members / 32) the first time. */
  get count(): number {
    return this.#members.count
  }

  /** True when it was asked for in an order. */
  get isSorted(): boolean {
    return this.#isSorted ?? (this.#provenance?.orderBy ?? []).length > 0
  }

  first(): object | undefined {
    const members = this.#members
    // Nearly always the first one: further ones are looked at where it is gone.
    for (let at = 0, step = 1; ; at += step, step = 64) {
      const slots = members.slots(at, step)
      for (let i = 0; i < slots.length; i++) if (members.isDefined(slots[i])) return this.#entity(slots[i])
      if (slots.length < step) return undefined
    }
  }
  toArray(): object[] {
    const slots = this.#members.livingSlots()
    const out: object[] = new Array(slots.length)
    for (let i = 0; i < out.length; i++) out[i] = this.#entity(slots[i])
    return out
  }
  *[Symbol.iterator](): IterableIterator<object> {
    // Members are listed before the first is handed out: what the loop's body writes does not change what it visits.
    for (const slot of this.#members.slots(0, this.count)) if (this.#members.isDefined(slot)) yield this.#entity(slot)
  }
  /** Every member in its place; undefined for one removed since. */
  members(): (object | undefined)[] {
    return Array.from(this.#members.slots(0, this.count), (slot) =>
      this.#members.isDefined(slot) ? this.#entity(slot) : undefined,
    )
  }
  keys(): (string | number)[] {
    return this.#members.keys()
  }
  has(key: unknown): boolean {
    this.#port.enter()
    const stored = this.#port.storedKey(this.#table.model, key)
    const slot = stored === null ? -1 : this.#table.findKey(stored)
    return slot >= 0 && this.#members.isDefined(slot) && contains(this.#members.recordSet(), slot)
  }

  /** At most `top` members after the first `skip`. */
  page(skip: number, top: number): Selection {
    const from = wholeNumber('skip', skip)
    const limit = wholeNumber('top', top)
    const { table, made } = this.#members
    const page = { kind: 'page', of: this.#members, skip: from, top: limit } as const
    const provenance = this.#isPart ? partOf(this.#provenance) : this.#provenance
    return this.#of(new Membership(this.#port, table, page, null, made), provenance)
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
    const provenance = this.#provenance === null ? null : new OrderedProvenance(this.#provenance, orderBy, this.#isPart)
    const fresh = this.#members.inOrder(orderBy, this.#port)
    if (fresh !== null) return this.#of(fresh, provenance)
    const set = this.#members.recordSet()
    const living = this.#members.livingSet()
    const ordered = new Membership(this.#port, this.#table, { kind: 'set', set: living }, orderBy)
    if (living === set) return this.#of(ordered, provenance)
    // Members that are undefined already come last, in the order they had.
    const undefinedOnes = Int32Array.from(this.#members.slots(0, this.count)).filter((slot) => !contains(living, slot))
    const slots = Int32Array.from([...ordered.slots(0, ordered.count), ...undefinedOnes])
    return this.#of(this.#members.listed(slots, this.#port), provenance)
  }
  /** The members that satisfy a filter, in this order unless the filter ends with its own. */
  query(filter: string, params?: unknown, options?: QueryOptions): Selection {
    this.#port.enter()
    const bound = this.#port.bindFilter(this.#table.model, filter, params, options)
    const best = this.#port.planOf(this.#table.model, bound.predicate)
    const { dataClass, text, predicate, asked, orderBy } = bound
    const living = this.#members.livingSet()
    const isTested = isTestCheaper(living, residualCost(predicate, this.#port.statistics), best)
    const ran = { plan: isTested ? null : best, globalStamp: this.#port.globalStamp }
    const set = selectWithin(living, ran.plan, dataClass, predicate, this.#port.database)
    const outer = this.#provenance
    const provenance = { dataClass, text, predicate, asked, orderBy, within: set, outer, isPart: this.#isPart, ran }
    if (orderBy === null) return this.#of(this.#members.narrowed(set, this.#port), provenance)
    return this.#of(new Membership(this.#port, this.#table, { kind: 'set', set }, orderBy), provenance)
  }

  and(other: Selection): Selection {
    this.#mustMatch(other)
    const { allocator } = this.#port.database
    return this.#narrowed(intersection(this.#members.livingSet(), other.#members.livingSet(), allocator))
  }
  except(other: Selection): Selection {
    this.#mustMatch(other)
    const { allocator } = this.#port.database
    return this.#narrowed(difference(this.#members.livingSet(), other.#members.livingSet(), allocator))
  }
  or(other: Selection): Selection {
    this.#mustMatch(other)
    const second = other.#port === this.#port ? other.#members : visibleMembers(other.#members, this.#port)
    const firstSet = this.#members.livingSet()
    const secondSet = second.livingSet()
    const set = union(firstSet, secondSet, this.#port.database.allocator)
    const members = { kind: 'concat', set, first: this.#members, firstSet, second, secondSet } as const
    return this.#of(new Membership(this.#port, this.#table, members, null), null)
  }
  intersects(other: Selection): boolean {
    this.#mustMatch(other)
    return intersects(this.#members.livingSet(), other.#members.livingSet())
  }
  /** Without the members removed since. */
  clean(): Selection {
    this.#port.enter()
    return this.#narrowed(this.#members.livingSet())
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
    return endOfIndex(this.#port, this.#members, attribute, 'min') ?? this.compute(attribute).min
  }
  max(attribute: string): unknown {
    return endOfIndex(this.#port, this.#members, attribute, 'max') ?? this.compute(attribute).max
  }
  countOf(attribute: string): number {
    const path = this.#port.resolvePath(this.#table.model, attribute)
    return countBoxed(this.#table, path, () => this.#members.livingSet()) ?? this.compute(attribute).count
  }
  compute(attribute: string, { distinct = false }: { readonly distinct?: boolean } = {}): Computed {
    this.#port.enter()
    const compute = distinct ? computeDistinct : computeAggregates
    const path = this.#port.resolvePath(this.#table.model, attribute)
    return compute(this.#port.database, this.#table, path, this.#members.setOrAll())
  }
  distinct(path: string): unknown[] {
    this.#port.enter()
    const resolved = this.#port.resolvePath(this.#table.model, path)
    return distinctValues(this.#port.database, this.#table, resolved, this.#members.setOrAll())
  }

  /** Plain objects with what the paths name. */
  select(paths: string): Record<string, unknown>[] {
    this.#port.enter()
    const projection = this.#port.projection(this.#table.model, paths)
    const out: Record<string, unknown>[] = []
    const slots = this.#members.livingSlots()
    for (let i = 0; i < slots.length; i++) out.push(projection.object(slots[i]))
    return out
  }
  /** JSON text of an array of what the paths name (all values of the dataclass without). */
  json(paths = ''): string {
    this.#port.enter()
    const { texts } = this.#port.projection(this.#table.model, paths)
    const written = texts.of(this.#members.livingSlots())
    // Not joined: the reader of the text makes one piece of it.
    let out = '['
    for (let i = 0; i < written.length; i++) out += i === 0 ? written[0] : `,${written[i]}`
    return `${out}]`
  }

  /** Every member in its place as text; undefined for one removed since. */
  texts(form: TextForm): (string | undefined)[] {
    this.#port.enter()
    const texts = this.#port.textForm(this.#table.model, form)
    const slots = this.#members.slots(0, this.count)
    const living = this.#members.livingOf(slots)
    const written = texts.of(living)
    if (living.length === slots.length) return written
    let at = 0
    return Array.from(slots, (slot) => (this.#members.isDefined(slot) ? written[at++] : undefined))
  }

  /** The same members for another reader: without those hidden from that one, and keeping to what it may see. */
  seenThrough(port: SelectionPort): Selection {
    port.enter()
    return new Selection(visibleMembers(this.#members, port), null, port, this.isSorted)
  }
  /** Makes it independent of the history that is kept: for selections that stay. O(count), and a sort where ordered. */
  settle(): this {
    this.#members.settle()
    return this
  }
  /** The same members to stay: it holds on to no reader's view, no history and nothing that it was made of. See `Membership.kept`. */
  kept(): Selection {
    return new Selection(this.#members.kept(), null, this.#port.whole, this.isSorted)
  }
  get table(): Table {
    return this.#table
  }

  /** Removes the living members in one transaction; returns how many. */
  remove(): number {
    this.#port.enter()
    return this.#port.removeAll(this.#table, this.keys())
  }
  live(listener: unknown, options?: unknown): object {
    this.#port.enter()
    return this.#port.live(liveSource(this.#table.model, this.#provenance, this.#members.pageWindow), listener, options)
  }
  call(name: string, ...args: unknown[]): unknown {
    return this.#port.call(this, this.#table.model, name, args)
  }
  condition(): ConditionNode | null {
    this.#port.enter()
    return conditionOfSelection(this.#port, this.#provenance)
  }
  explain(): Explain {
    this.#port.enter()
    return explainSelection(this.#port, this.#table, this.#provenance, this.#members.pageWindow, this.count)
  }

  /** What Node prints for a selection: it is no array, and says so. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `Selection of ${this.#table.model.name} (${this.count})`
  }

  /** True for a page, and for what was made of one. */
  get #isPart(): boolean {
    return this.#members.pageWindow !== null || this.#provenance?.isPart === true
  }
  #entity(slot: number): object {
    return this.#port.database.entityAt(this.#table, slot)
  }
  /** A selection of some of these members, made now, in this order. */
  #narrowed(set: RecordSet): Selection {
    return this.#of(this.#members.narrowed(set, this.#port), null)
  }
  #of(members: Membership, provenance: Provenance | null): Selection {
    return new Selection(members, provenance, this.#port)
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
