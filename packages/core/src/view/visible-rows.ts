import type { VisibleRecords } from '../execute/database.ts'
import { predicateFilter } from '../execute/predicate-filter.ts'
import type { TimeSlices } from '../execute/time-slices.ts'
import { readsOf } from '../filter/context.ts'
import type { Predicate } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { Reader } from '../query/reader.ts'
import { contains, correctedSet, type RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'

/**
 * Up to this number, records are tested one by one; for more, finding all visible ones is cheaper.
 */
const MAX_SINGLE_TESTS = 8
/**
 * The largest share of changed records for which testing these is cheaper than finding all visible
 * ones.
 */
const MAX_CHANGED_SHARE = 1 / 8

/**
 * The records that a row filter lets the caller see. They are found once and then corrected by the
 * changes of each commit.
 */
export class VisibleRows implements VisibleRecords {
  readonly #predicate: Predicate
  readonly #reader: Reader
  readonly #table: Table
  /**
   * Other tables that the filter reads. Null if the result cannot be corrected: a computed
   * attribute decides, or relations lead back to the same dataclass, so that one changed record may
   * affect others.
   */
  readonly #others: readonly Table[] | null
  /** The `Reader.state` for which the following fields are valid. */
  #state = -1
  #set: RecordSet | null = null
  #test: ((slot: number) => boolean) | null = null
  /** The read that the test belongs to: a test counts the rows of its own read. */
  #testedIn: TimeSlices | null = null
  #tested = 0
  /** The visible records as of a commit, with the versions that the other tables had then. */
  #found: {
    readonly globalStamp: number
    readonly versions: readonly number[]
    readonly set: RecordSet
  } | null = null

  /** `reader` sees all records. */
  constructor(reader: Reader, dataClass: ClassModel, predicate: Predicate) {
    this.#predicate = predicate
    this.#reader = reader
    this.#table = reader.database.tableOf(dataClass)
    const others = readsOf(predicate)
    const isCorrectable = others !== null && !others.has(dataClass)
    this.#others = isCorrectable ? [...others].map((other) => reader.database.tableOf(other)) : null
  }

  /** The visible records in a state of the store. */
  at(state: number): this {
    if (this.#state === state) return this
    this.#state = state
    this.#set = null
    this.#test = null
    this.#tested = 0
    return this
  }

  has(slot: number): boolean {
    if (!this.#table.isWhole) return this.#testOne()(slot)
    if (this.#set === null) {
      this.#tested++
      if (this.#tested === 1) this.#set = this.#corrected()
      else if (this.#tested > MAX_SINGLE_TESTS) this.#set = this.#findAll()
    }
    return this.#set === null ? this.#testOne()(slot) : contains(this.#set, slot)
  }

  /**
   * Cost: O(changes since the last call) and a copy of the set if one of them matters; otherwise
   * that of the filter.
   */
  set(): RecordSet {
    this.#set ??= this.#corrected() ?? this.#findAll()
    return this.#set
  }

  #findAll(): RecordSet {
    return this.#keep(this.#reader.database.select(this.#table.model, this.#predicate))
  }

  /** Null if there is no set to correct, or if running the filter is cheaper. */
  #corrected(): RecordSet | null {
    const found = this.#found
    if (
      found === null ||
      this.#reader.moment.isProvisional ||
      found.versions.some((version, i) => this.#others?.[i].version !== version)
    )
      return null
    const changed = this.#reader.moment.changedSlots(this.#table, found.globalStamp)
    if (changed === null || changed.length > this.#table.length * MAX_CHANGED_SHARE) return null
    const test = this.#testOne()
    const { allocator } = this.#reader.database
    return this.#keep(
      correctedSet(found.set, changed, (slot) => this.#table.isLive(slot) && test(slot), allocator),
    )
  }

  /**
   * Stores the set, except in a transaction that has written: a rollback may undo what the set
   * shows.
   */
  #keep(set: RecordSet): RecordSet {
    if (this.#others !== null && this.#table.isWhole && !this.#reader.moment.isProvisional)
      this.#found = {
        globalStamp: this.#reader.moment.globalStamp,
        versions: this.#others.map(({ version }) => version),
        set,
      }
    return set
  }

  #testOne(): (slot: number) => boolean {
    const { database } = this.#reader
    if (this.#test === null || this.#testedIn !== database.slices) {
      this.#test = predicateFilter(database, this.#table, this.#predicate).test
      this.#testedIn = database.slices
    }
    return this.#test
  }
}
