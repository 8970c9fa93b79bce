import {
  both,
  type ClassModel,
  type Database,
  type DeferredSet,
  EVERYTHING,
  type Matching,
  type OrderBy,
  type Predicate,
  type SparseSet,
  sparseSet,
} from '@entia/core/internal'
import type { Knowledge } from './knowledge.ts'
import type { Window } from './missing.ts'
import type { RunMoment, WorkingTable } from './working-table.ts'

/** Finds records, or notes that they must be found. */
interface Finder extends Matching {
  find(dataClass: ClassModel, predicate: Predicate, database: Database): SparseSet
  /** Records of a window; null where all records must be found, or are better found. */
  page(
    dataClass: ClassModel,
    predicate: Predicate,
    window: Window,
    database: Database,
  ): Int32Array | null
  /** Makes the run void. */
  lack(dataClass: ClassModel, predicate: Predicate): never
}

/**
 * Filters of one selection that are asked of the database one by one. Code that makes more probably
 * makes many: then its members are loaded and tested.
 */
const MAX_NARROWED = 4

/**
 * The records that a predicate selects at one moment of a run, found when they are needed: a filter
 * of them is asked of the database together with the predicate. After a write they would be others.
 * Then the run is void, and the next one finds them at once. All records of a dataclass can be told
 * apart from those that the run inserts later.
 */
export class DeferredMembers implements DeferredSet {
  readonly kind = 'set'
  readonly #matching: Finder
  readonly #knowledge: Knowledge
  readonly #table: WorkingTable
  readonly #predicate: Predicate
  readonly #database: Database
  readonly #moment: RunMoment
  /** `Knowledge.writes` of the moment. */
  readonly #writes: number
  #narrowed = 0
  #found: SparseSet | null = null

  constructor(
    matching: Finder,
    knowledge: Knowledge,
    table: WorkingTable,
    predicate: Predicate,
    database: Database,
  ) {
    this.#matching = matching
    this.#knowledge = knowledge
    this.#table = table
    this.#predicate = predicate
    this.#database = database
    this.#moment = table.moment
    this.#writes = knowledge.writes
  }

  get condition(): Predicate | null {
    return this.#found === null && this.#isCurrent ? this.#predicate : null
  }
  get set(): SparseSet {
    if (this.#found !== null) return this.#found
    if (!this.#isAll) this.mustBeCurrent()
    const found = this.#matching.find(this.#dataClass, this.#predicate, this.#database)
    this.#found = this.#isCurrent ? found : this.#asOfMoment(found.slots)
    return this.#found
  }
  narrow(predicate: Predicate): DeferredSet | null {
    if (this.#found !== null) return null
    if (this.#isCurrent && !this.#isAll && ++this.#narrowed > MAX_NARROWED) return null
    const members = (asked: Predicate): DeferredSet =>
      this.#matching.members(this.#dataClass, asked, this.#database)
    if (this.#isCurrent) return members(both([this.#predicate, predicate]))
    if (!this.#isAll) return null
    const { end } = this.#moment
    const { slots } = this.#matching.find(this.#dataClass, predicate, this.#database)
    return foundMembers(sparseSet(Int32Array.from(slots).filter((slot) => slot < end)))
  }
  page(orderBy: OrderBy | null, skip: number, top: number): Int32Array | null {
    if (this.condition === null) return null
    const window = { orderBy, skip, top }
    return this.#matching.page(this.#dataClass, this.#predicate, window, this.#database)
  }
  mustBeCurrent(): void {
    if (!this.#isCurrent) this.#matching.lack(this.#dataClass, this.#predicate)
  }

  get #dataClass(): ClassModel {
    return this.#table.model
  }
  get #isAll(): boolean {
    return this.#predicate === EVERYTHING
  }
  get #isCurrent(): boolean {
    return this.#knowledge.writes === this.#writes
  }
  /** All records of the moment: without those inserted since, and with those removed since. */
  #asOfMoment(slots: SparseSet['slots']): SparseSet {
    const { end } = this.#moment
    const all = [...slots, ...this.#table.removedSince(this.#moment)]
    return sparseSet(Int32Array.from(all.filter((slot) => slot < end)).sort())
  }
}

/** Records that are found already. */
const foundMembers = (set: SparseSet): DeferredSet => ({
  kind: 'set',
  condition: null,
  set,
  narrow: () => null,
  page: () => null,
  mustBeCurrent() {},
})
