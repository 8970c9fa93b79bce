import type { RelatedPredicate } from '../filter/predicate.ts'
import { relatedTestsOneByOne } from '../plan/fast-paths.ts'
import { contains, countOf, type RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { ColumnFilter } from './column-filter.ts'
import type { Database } from './database.ts'

/** Makes a filter of a predicate: `predicateFilter`, which itself makes inner queries. */
type MakeFilter = (
  database: Database,
  table: Table,
  predicate: RelatedPredicate['part'],
) => ColumnFilter

/**
 * The condition on related records. The first few are tested one by one; for more, the inner query
 * runs once.
 */
export class InnerQuery {
  readonly #database: Database
  readonly #target: Table
  readonly #predicate: RelatedPredicate
  readonly #makeFilter: MakeFilter
  /** The number of records that are still tested one by one. */
  #left: number
  #filter: ColumnFilter | null = null
  #set: RecordSet | null = null

  constructor(
    database: Database,
    target: Table,
    predicate: RelatedPredicate,
    makeFilter: MakeFilter,
  ) {
    this.#database = database
    this.#target = target
    this.#predicate = predicate
    this.#makeFilter = makeFilter
    // Where only some records are known, those that follow the relation are all that is needed.
    this.#left = target.isWhole ? relatedTestsOneByOne(target.liveCount) : Number.POSITIVE_INFINITY
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

  /** True if the inner query has run and found nothing. */
  get isEmpty(): boolean {
    return this.#set !== null && countOf(this.#set) === 0
  }
}
