import type { RelatedPredicate } from '../filter/predicate.ts'
import { relatedTestsOneByOne } from '../plan/fast-paths.ts'
import { contains, countOf, type RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { ColumnFilter } from './column-filter.ts'
import type { Database } from './database.ts'

/** How a predicate becomes a filter: `predicateFilter`, which makes inner queries itself. */
type MakeFilter = (database: Database, table: Table, predicate: RelatedPredicate['part']) => ColumnFilter

/** What must hold for related records: of a few they are tested one by one, for more the inner query is run, once. */
export class InnerQuery {
  readonly #database: Database
  readonly #target: Table
  readonly #predicate: RelatedPredicate
  readonly #makeFilter: MakeFilter
  /** Records that are still tested one by one. */
  #left: number
  #filter: ColumnFilter | null = null
  #set: RecordSet | null = null

  constructor(database: Database, target: Table, predicate: RelatedPredicate, makeFilter: MakeFilter) {
    this.#database = database
    this.#target = target
    this.#predicate = predicate
    this.#makeFilter = makeFilter
    this.#left = relatedTestsOneByOne(target.liveCount)
  }

  has(slot: number): boolean {
    if (this.#set === null && this.#left > 0) {
      this.#left--
      this.#filter ??= this.#makeFilter(this.#database, this.#target, this.#predicate.part)
      return this.#filter.test(slot)
    }
    this.#set ??= this.#database.select(this.#predicate.relation.target, this.#predicate.part)
    return contains(this.#set, slot)
  }

  /** True when it is known that none satisfies it. */
  get isEmpty(): boolean {
    return this.#set !== null && countOf(this.#set) === 0
  }
}
