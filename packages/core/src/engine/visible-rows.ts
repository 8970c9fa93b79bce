import type { Database, VisibleRecords } from '../execute/database.ts'
import { predicateFilter } from '../execute/predicate-filter.ts'
import type { Turns } from '../execute/turns.ts'
import type { Predicate } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import { contains, type RecordSet } from '../storage/record-set.ts'

/** As many records are tested one by one; for more it is cheaper to find them all. */
const FEW = 8

/** The records that a row filter lets a reader see, for as long as nothing changes. */
export class VisibleRows implements VisibleRecords {
  readonly #database: Database
  readonly #dataClass: ClassModel
  readonly #predicate: Predicate
  #set: RecordSet | null = null
  #test: ((slot: number) => boolean) | null = null
  /** The read that the test was made in: it ends that one's turns. */
  #testedIn: Turns | null = null
  #tested = 0

  /** `database` is one that sees everything. */
  constructor(database: Database, dataClass: ClassModel, predicate: Predicate) {
    this.#database = database
    this.#dataClass = dataClass
    this.#predicate = predicate
  }

  has(slot: number): boolean {
    if (this.#set === null && ++this.#tested > FEW) this.set()
    if (this.#set !== null) return contains(this.#set, slot)
    const { turns } = this.#database
    if (this.#test === null || this.#testedIn !== turns) {
      this.#test = predicateFilter(this.#database, this.#database.tableOf(this.#dataClass), this.#predicate).test
      this.#testedIn = turns
    }
    return this.#test(slot)
  }

  set(): RecordSet {
    this.#set ??= this.#database.select(this.#dataClass, this.#predicate)
    return this.#set
  }
}
