import type { VisibleRecords } from '../execute/database.ts'
import { predicateFilter } from '../execute/predicate-filter.ts'
import type { Turns } from '../execute/turns.ts'
import type { Predicate } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { Reader } from '../read/reader.ts'
import { contains, correctedSet, type RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'

/** As many records are tested one by one; for more it is cheaper to find them all. */
const FEW = 8
/** With more changes than this share of all records, finding them all is cheaper than testing those. */
const MANY_CHANGES = 1 / 8

/** The records that a row filter lets a reader see: found once, then corrected by what commits have changed. */
export class VisibleRows implements VisibleRecords {
  readonly #predicate: Predicate
  readonly #reader: Reader
  readonly #table: Table
  /**
   * Other tables that the filter reads. Null where what is found cannot be corrected: code decides, or relations lead back to the same
   * dataclass, where one that changes may concern others.
   */
  readonly #others: readonly Table[] | null
  /** `Reader.state` that what follows holds of. */
  #state = -1
  #set: RecordSet | null = null
  #test: ((slot: number) => boolean) | null = null
  /** The read that the test was made in: it ends that one's turns. */
  #testedIn: Turns | null = null
  #tested = 0
  /** What was found as of a commit, with the versions of the other tables then. */
  #found: { readonly globalStamp: number; readonly versions: readonly number[]; readonly set: RecordSet } | null = null

  /** `reader` is one that sees everything. */
  constructor(reader: Reader, dataClass: ClassModel, predicate: Predicate) {
    this.#predicate = predicate
    this.#reader = reader
    this.#table = reader.database.tableOf(dataClass)
    const others = new Set<ClassModel>()
    const isCorrectable = addRelated(predicate, others) && !others.has(dataClass)
    this.#others = isCorrectable ? [...others].map((other) => reader.database.tableOf(other)) : null
  }

  /** These records, as they are in a state of the store. */
  at(state: number): this {
    if (this.#state === state) return this
    this.#state = state
    this.#set = null
    this.#test = null
    this.#tested = 0
    return this
  }

  has(slot: number): boolean {
    if (this.#set === null) {
      this.#tested++
      if (this.#tested === 1) this.#set = this.#corrected()
      else if (this.#tested > FEW) this.#set = this.#findAll()
    }
    return this.#set === null ? this.#testOne()(slot) : contains(this.#set, slot)
  }

  /** Cost O(changes since the last call), and a copy of the set if one of them counts; else that of the filter. */
  set(): RecordSet {
    this.#set ??= this.#corrected() ?? this.#findAll()
    return this.#set
  }

  #findAll(): RecordSet {
    return this.#keep(this.#reader.database.select(this.#table.model, this.#predicate))
  }

  /** Null where there is nothing to correct, or that would not be cheaper. */
  #corrected(): RecordSet | null {
    const found = this.#found
    if (found === null || this.#reader.moment.isProvisional || !found.versions.every(this.#isVersion, this)) return null
    const changed = this.#reader.moment.changedSlots(this.#table, found.globalStamp)
    if (changed === null || changed.length > this.#table.length * MANY_CHANGES) return null
    const test = this.#testOne()
    const { allocator } = this.#reader.database
    return this.#keep(correctedSet(found.set, changed, (slot) => this.#table.isLive(slot) && test(slot), allocator))
  }

  /** What a transaction sees that has written may be rolled back: of that nothing is kept. */
  #keep(set: RecordSet): RecordSet {
    if (this.#others !== null && !this.#reader.moment.isProvisional)
      this.#found = {
        globalStamp: this.#reader.moment.globalStamp,
        versions: this.#others.map(({ version }) => version),
        set,
      }
    return set
  }

  #isVersion(version: number, i: number): boolean {
    return this.#others?.[i].version === version
  }

  #testOne(): (slot: number) => boolean {
    const { database } = this.#reader
    if (this.#test === null || this.#testedIn !== database.turns) {
      this.#test = predicateFilter(database, this.#table, this.#predicate).test
      this.#testedIn = database.turns
    }
    return this.#test
  }
}

/** Adds the dataclasses that the relations of a filter lead to; false where code decides, which may read anything. */
function addRelated(predicate: Predicate, others: Set<ClassModel>): boolean {
  switch (predicate.kind) {
    case 'computed':
      return false
    case 'related':
      others.add(predicate.relation.target)
      return addRelated(predicate.part, others)
    case 'not':
      return addRelated(predicate.part, others)
    case 'and':
    case 'or':
      return predicate.parts.every((part) => addRelated(part, others))
    default:
      return true
  }
}
