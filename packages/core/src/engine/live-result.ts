import { type ReadValue, type RecordTest, recordTest } from '../execute/record-test.ts'
import { sortSlots } from '../execute/sort.ts'
import type { OrderBy } from '../filter/predicate.ts'
import { type Reads, readsOf } from '../filter/reads-of.ts'
import type { LiveWork } from '../model/live-types.ts'
import { isSingleAccess } from '../plan/physical-plan.ts'
import { orderedPageOfAccess, orderedPageOfSet } from '../selection/access-members.ts'
import { keysOf } from '../selection/member-keys.ts'
import type { LiveSource, SelectionPort } from '../selection/selection-port.ts'
import { bitsInto, clearBit, countBits, hasBit, setBit, wordsFor } from '../storage/bitset.ts'
import type { PastRecord } from '../storage/history.ts'
import { slotsOf } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { StoredValue } from '../value/types.ts'
import { candidates, type ResultChange, type TableChange, type Touched, touchedOf } from './live-change.ts'
import { type Anchor, anchorOf } from './live-dispatch.ts'

type Key = string | number

/**
 * The result of a live query, kept as the set of its records. Where the query asks for stored values of the record alone, each commit's
 * changed records are judged, and no others looked at; else it is run again and compared.
 */
export class LiveResult {
  readonly table: Table
  readonly #port: SelectionPort
  readonly #source: LiveSource
  readonly #undisturbed: <R>(body: () => R) => R
  /** Null where the query asks for more than stored values of the record. */
  readonly #test: RecordTest | null
  readonly plan: 'incremental' | 'recompute'
  /** True for a page that only records which satisfy `#test`, before or after, can change. */
  readonly #isOwnPage: boolean
  /** What a record must have for a commit to concern this; null where others than such records can change the result. */
  readonly anchor: Anchor | null
  /** Null: anything may be read. */
  readonly #reads: Reads | null
  #members = new Int32Array(0)
  /** Keys of a page. */
  #order: readonly Key[] = []
  #judged = 0
  #runs = 0

  constructor(port: SelectionPort, source: LiveSource, undisturbed: <R>(body: () => R) => R) {
    const { dataClass, predicate, orderBy, page } = source
    this.table = port.database.tableOf(dataClass)
    this.#port = port
    this.#source = source
    this.#undisturbed = undisturbed
    this.#test = recordTest(predicate)
    this.plan = page === null && this.#test !== null ? 'incremental' : 'recompute'
    this.#isOwnPage = page !== null && this.#test !== null && (orderBy ?? []).every(isOwnColumn)
    this.anchor = this.plan === 'incremental' || this.#isOwnPage ? anchorOf(predicate) : null
    const pageOrder = page === null ? null : orderBy
    // What an order leads to may depend on what can be seen, which may depend on anything.
    const isOpen = port.restrictsRows && pageOrder?.some(({ steps }) => steps.length > 0) === true
    this.#reads = isOpen ? null : readsOf(dataClass, predicate, pageOrder)
  }

  get work(): LiveWork {
    return { judged: this.#judged, runs: this.#runs }
  }
  get globalStamp(): number {
    return this.#port.globalStamp
  }

  /** True when a change of a table may change which records the result has, or their order. Cost: O(touched). */
  isMovedBy(table: Table, { touched, past }: TableChange): boolean {
    if (this.#reads === null) return true
    const columns = this.#reads.get(table.model)
    if (columns === undefined) return false
    for (const slot of touched.keys()) {
      const before = past?.get(slot)
      // Records that came or went may be related ones.
      if (before?.existed !== true || !table.isLive(slot) || table.births[slot] !== before.birth) return true
      for (const ordinal of before.values.keys()) if (columns.has(ordinal)) return true
    }
    return false
  }

  /** Runs the query; its records in order. What it finds is the result of now. */
  run(): Int32Array {
    return this.#undisturbed(() => {
      const slots = this.#find()
      this.#members = this.#wordsOf(slots)
      this.#order = this.#keysOfPage(slots)
      return slots
    })
  }

  /**
   * What a commit made of the result; null where nothing. `isMoved` false: at most values of members are others, in this table alone.
   * Cost: O(touched), or that of the query.
   */
  judge(touched: Touched, past: ReadonlyMap<number, PastRecord> | null, isMoved: boolean): ResultChange | null {
    const test = this.#test
    return this.#undisturbed(() => {
      if (test !== null && this.plan === 'incremental') return this.#look(touched, test)
      let isSame = !isMoved
      if (!isSame && test !== null && this.#isOwnPage && past !== null)
        isSame = !this.isMovedBy(this.table, { touched, past }) || this.#isPageKept(touched, past, test)
      if (!isSame) return this.#runAgain(touched)
      const members = [...touched.keys()].filter((slot) => hasBit(this.#members, slot))
      return members.length === 0 ? null : this.#told(members, touched, (slot) => hasBit(this.#members, slot), null)
    })
  }

  /**
   * True where a page of own columns certainly has the same records in the same order: no touched record stood on it, and none that the query
   * selected or selects belongs there, or before it.
   */
  #isPageKept(touched: Touched, past: ReadonlyMap<number, PastRecord>, test: RecordTest): boolean {
    const { table } = this
    const { page, orderBy } = this.#source
    this.#judged += touched.size
    const last = this.#order.length === page?.top ? table.findKey(this.#order[this.#order.length - 1]) : -1
    for (const slot of touched.keys()) {
      if (hasBit(this.#members, slot)) return false
      const before = past.get(slot)
      const was = before?.existed === true && test(this.#readerOf(slot, before))
      const is = table.isLive(slot) && test((ordinal) => table.read(slot, ordinal))
      if (!was && !is) continue
      // One that is not on the first page, though it is full, stood behind its end.
      if (page?.skip !== 0 || last < 0 || orderBy === null) return false
      if (is && sortSlots(this.#port.database, table, Int32Array.of(slot, last), orderBy)[0] === slot) return false
    }
    return true
  }

  /** Reads a record as it was. */
  #readerOf(slot: number, { values }: PastRecord): ReadValue {
    return (ordinal) => (values.has(ordinal) ? (values.get(ordinal) as StoredValue) : this.table.read(slot, ordinal))
  }

  /** What happened to an incremental result since a global stamp; null where nothing. Throws `historyTrimmed`. */
  since(globalStamp: number): ResultChange | null {
    const test = this.#test
    if (test === null || this.plan === 'recompute') return null
    const past = this.#port.pastOf(this.table, globalStamp)
    const members = this.#members.slice()
    for (const [slot, record] of past) this.#put(slot, record.existed && test(this.#readerOf(slot, record)))
    const before = this.#members
    this.#members = members
    const touched = touchedOf(this.table, past)
    return this.#told(touched.keys(), touched, (slot) => hasBit(before, slot), null)
  }

  entitiesAt(slots: Int32Array): object[] {
    return Array.from(slots, (slot) => this.#port.database.entityAt(this.table, slot))
  }

  /** Keys of the records in the result, by slot. */
  keys(): Map<number, Key | null> {
    const slots = this.#slots()
    const keys = keysOf(this.table, slots)
    return new Map(keys.map((key, at) => [slots[at], key]))
  }

  #find(): Int32Array {
    const { database } = this.#port
    const { dataClass, predicate, orderBy, page } = this.#source
    if (page !== null && orderBy !== null) return this.#findPage(orderBy, page)
    const slots = slotsOf(database.select(dataClass, predicate))
    if (page !== null) return slots.slice(page.skip, page.skip + page.top)
    return orderBy === null ? slots : sortSlots(database, this.table, slots, orderBy)
  }

  /** Read off the index where a page of a selection would be. */
  #findPage(orderBy: OrderBy, { skip, top }: NonNullable<LiveSource['page']>): Int32Array {
    const { dataClass, predicate } = this.#source
    const plan = this.#port.planOf(dataClass, predicate)
    if (isSingleAccess(plan)) {
      const wanted = Math.max(0, Math.min(top, plan.rows - skip))
      const found = wanted === 0 ? null : orderedPageOfAccess(this.#port, this.table, plan, orderBy, skip, wanted)
      if (found !== null) return found
    }
    const set = this.#port.database.select(dataClass, predicate)
    return orderedPageOfSet(this.#port, this.table, set, orderBy, skip, top)
  }

  #look(touched: Touched, test: RecordTest): ResultChange | null {
    const { table } = this
    const before = this.#members
    if (touched.size === 0) return null
    this.#judged += touched.size
    /** Of the records that were members, or are. */
    let was: Map<number, boolean> | null = null
    for (const slot of touched.keys()) {
      const wasMember = hasBit(before, slot)
      const isMember = table.isLive(slot) && test((ordinal) => table.read(slot, ordinal))
      if (!wasMember && !isMember) continue
      was ??= new Map()
      was.set(slot, wasMember)
      this.#put(slot, isMember)
    }
    if (was === null) return null
    try {
      return this.#told(was.keys(), touched, (slot) => was.get(slot) === true, null)
    } catch (error) {
      for (const [slot, wasMember] of was) this.#put(slot, wasMember)
      throw error
    }
  }

  #runAgain(touched: Touched): ResultChange | null {
    this.#runs++
    const before = this.#members
    const orderBefore = this.#order
    const found = this.#find()
    this.#members = this.#wordsOf(found)
    this.#order = this.#keysOfPage(found)
    const isSame =
      orderBefore.length === this.#order.length && orderBefore.every((key, place) => key === this.#order[place])
    try {
      const slots = candidates(before, this.#members, touched)
      return this.#told(slots, touched, (slot) => hasBit(before, slot), isSame ? null : this.#order)
    } catch (error) {
      this.#members = before
      this.#order = orderBefore
      throw error
    }
  }

  /** Of some records, those of before and now being touched ones, which of them entered, changed or left; a key that did both entered and left is one that changed. */
  #told(
    slots: Iterable<number>,
    touched: Touched,
    wasMember: (slot: number) => boolean,
    order: readonly Key[] | null,
  ): ResultChange | null {
    const { ordinal } = this.table.model.key
    const entered = new Map<Key, number>()
    const changed: number[] = []
    const left = new Set<Key>()
    for (const slot of slots) {
      const was = wasMember(slot)
      const is = hasBit(this.#members, slot)
      if (!was && !is) continue
      const now = this.table.isLive(slot) ? (this.table.read(slot, ordinal) as Key) : null
      const then = touched.has(slot) ? (touched.get(slot) as Key | null) : now
      if (was && is && then === now) {
        changed.push(slot)
        continue
      }
      if (was) left.add(then as Key)
      if (is) entered.set(now as Key, slot)
    }
    for (const [key, slot] of entered) {
      if (!left.delete(key)) continue
      entered.delete(key)
      changed.push(slot)
    }
    if (entered.size + changed.length + left.size === 0 && order === null) return null
    return { entered: this.#inOrder([...entered.values()]), changed: this.#inOrder(changed), left: [...left], order }
  }

  #inOrder(slots: readonly number[]): Int32Array {
    const { orderBy } = this.#source
    const ascending = Int32Array.from(slots).sort()
    return orderBy === null || slots.length < 2
      ? ascending
      : sortSlots(this.#port.database, this.table, ascending, orderBy)
  }

  #keysOfPage(slots: Int32Array): readonly Key[] {
    return this.#source.page === null ? [] : keysOf(this.table, slots)
  }
  #wordsOf(slots: Int32Array): Int32Array<ArrayBuffer> {
    const words = new Int32Array(wordsFor(this.table.length))
    for (let i = 0; i < slots.length; i++) setBit(words, slots[i])
    return words
  }
  #slots(): Int32Array {
    const slots = new Int32Array(countBits(this.#members))
    bitsInto(this.#members, slots)
    return slots
  }
  #put(slot: number, isMember: boolean): void {
    if (!isMember) {
      if (hasBit(this.#members, slot)) clearBit(this.#members, slot)
      return
    }
    if (wordsFor(slot + 1) > this.#members.length) {
      const longer = new Int32Array(Math.max(wordsFor(slot + 1), this.#members.length + (this.#members.length >> 2)))
      longer.set(this.#members)
      this.#members = longer
    }
    setBit(this.#members, slot)
  }
}

const isOwnColumn = ({ steps, attribute }: OrderBy[number]): boolean =>
  steps.length === 0 && attribute.kind === 'storage'
