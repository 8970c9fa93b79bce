import { assertNever } from '../errors.ts'
import { readsOf } from '../filter/context.ts'
import type {
  ComparePredicate,
  ComputedPredicate,
  Predicate,
  RelatedPredicate,
  Scalar,
} from '../filter/predicate.ts'
import { relatedTestsOneByOne } from '../plan/fast-paths.ts'
import {
  bitsInto,
  combineWords,
  countBits,
  fillBits,
  setBit,
  wordFrom,
  wordsFor,
} from '../storage/bitset.ts'
import { contains, countOf, type RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import { Refusal } from '../value/check-options.ts'
import { coerceInput } from '../value/coerce.ts'
import { textKey } from '../value/compare.ts'
import type { StoredValue } from '../value/types.ts'
import {
  type ColumnFilter,
  columnFilter,
  filterFromCostlyTest,
  filterFromTest,
  narrowPlainly,
} from './column-filter.ts'
import type { Database } from './database.ts'
import { compileJsonMatch } from './record-test.ts'
import { compileTest } from './test-value.ts'

/**
 * The condition on related records. The first few are tested one by one; for more, the inner query
 * runs once.
 */
class InnerQuery {
  readonly #database: Database
  readonly #target: Table
  readonly #predicate: RelatedPredicate
  /** The number of records that are still tested one by one. */
  #left: number
  #filter: ColumnFilter | null = null
  #set: RecordSet | null = null

  constructor(database: Database, target: Table, predicate: RelatedPredicate) {
    this.#database = database
    this.#target = target
    this.#predicate = predicate
    // Where only some records are known, those that follow the relation are all that is needed.
    this.#left = target.isWhole ? relatedTestsOneByOne(target.liveCount) : Number.POSITIVE_INFINITY
  }

  has(slot: number): boolean {
    if (this.#set === null && this.#left > 0) {
      this.#left--
      this.#filter ??= predicateFilter(this.#database, this.#target, this.#predicate.part)
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

/**
 * A predicate as loops over one table. Inner queries of relations run here, at most once, whatever
 * the number of records tested.
 */
export function predicateFilter(
  database: Database,
  table: Table,
  predicate: Predicate,
): ColumnFilter {
  switch (predicate.kind) {
    case 'constant':
      return filterFromTest(predicate.value ? (slot) => table.isLive(slot) : () => false)
    case 'compare':
      return compareFilter(database, table, predicate)
    case 'property': {
      const column = table.columns[predicate.attribute.ordinal]
      const match = compileJsonMatch(
        predicate.match,
        predicate.attribute.collation,
        database.slices,
      )
      return filterFromCostlyTest((slot) => table.isLive(slot) && match(column.read(slot)))
    }
    case 'computed':
      return computedFilter(database, table, predicate)
    case 'related':
      return relatedFilter(database, table, predicate)
    case 'not':
      return negation(database, table, predicateFilter(database, table, predicate.part))
    case 'and':
      return conjunctionFilter(database, table, predicate.parts)
    case 'or':
      return disjunction(database, table, predicate.parts)
    default:
      return assertNever(predicate)
  }
}

/** A sliced read keeps the filter, which remembers the tested words of a coded column. */
function compareFilter(
  { slices }: Database,
  table: Table,
  { attribute, test }: ComparePredicate,
): ColumnFilter {
  if (slices === null) return columnFilter(table, attribute.ordinal, test, null)
  return slices.once(['test', attribute, test], () =>
    columnFilter(table, attribute.ordinal, test, slices),
  )
}

/**
 * Keeps those of the first `count` records in `slots` that satisfy a predicate, in place; returns
 * how many are left.
 */
export function narrowBy(
  database: Database,
  table: Table,
  predicate: Predicate,
  slots: Int32Array,
  count: number,
): number {
  const kept =
    predicate.kind === 'compare'
      ? narrowPlainly(table, predicate.attribute.ordinal, predicate.test, slots, count)
      : NOT_PLAIN
  return kept === NOT_PLAIN
    ? predicateFilter(database, table, predicate).narrow(slots, count)
    : kept
}

const NOT_PLAIN = -1

/** All of several predicates, at least one, as one filter. */
export function conjunctionFilter(
  database: Database,
  table: Table,
  parts: readonly Predicate[],
): ColumnFilter {
  const filters = parts.map((part) => predicateFilter(database, table, part))
  if (filters.length === 1) return filters[0]
  return {
    test: (slot) => filters.every((filter) => filter.test(slot)),
    mark(from, to, words) {
      database.scratch.withWords(wordsFor(to - from), (found) => {
        let marked = 0
        if (filters[0].isQuick === true)
          marked = markLeading(database, filters.length, (at) => filters[at], from, to, found)
        else fillBits(found, to - from)
        if (marked === filters.length) return void combineWords('or', words, found, words)
        combineWords('except', found, words, found)
        const slots = database.scratch.take(to - from)
        let count = bitsInto(found, slots, from)
        for (const filter of filters.slice(marked)) count = filter.narrow(slots, count)
        for (let i = 0; i < count; i++) setBit(words, slots[i] - from)
        database.scratch.release(slots)
      })
    },
    narrow(slots, count) {
      for (const filter of filters) count = filter.narrow(slots, count)
      return count
    },
  }
}

/**
 * Sets the bits of the records in [`from`, `to`) that satisfy the first of `count` filters, at
 * least one; returns how many these are. While more than one record in eight is left, a whole loop
 * over the next column takes less time than tests of what is left. `found` begins as zeros.
 */
export function markLeading(
  { scratch }: Database,
  count: number,
  filterAt: (at: number) => ColumnFilter,
  from: number,
  to: number,
  found: Int32Array,
): number {
  filterAt(0).mark(from, to, found)
  let at = 1
  for (; at < count && countBits(found) > (to - from) >>> 3; at++) {
    const next = filterAt(at)
    if (next.isQuick !== true) return at
    scratch.withWords(found.length, (words) => {
      next.mark(from, to, words)
      combineWords('and', found, words, found)
    })
  }
  return at
}

/**
 * A scan runs each part's own loop; few records are tested one by one. Quick loops come first and
 * getters last, so that a getter does not run for a record that a comparison has found.
 */
function disjunction(database: Database, table: Table, parts: readonly Predicate[]): ColumnFilter {
  const ranked = parts.map((part) => {
    const filter = predicateFilter(database, table, part)
    return { filter, rank: filter.isQuick === true ? 0 : readsOf(part) === null ? 2 : 1 }
  })
  const filters = ranked.sort((a, b) => a.rank - b.rank).map(({ filter }) => filter)
  const byTest = filterFromCostlyTest((slot) => filters.some((filter) => filter.test(slot)))
  return {
    test: byTest.test,
    narrow: byTest.narrow,
    mark(from, to, words) {
      if (to - from < 1024) byTest.mark(from, to, words)
      else for (const filter of filters) filter.mark(from, to, words)
    },
  }
}

/** The same for what a filter leaves. */
function negation(database: Database, table: Table, inner: ColumnFilter): ColumnFilter {
  const byTest = filterFromCostlyTest((slot) => table.isLive(slot) && !inner.test(slot))
  return {
    test: byTest.test,
    narrow: byTest.narrow,
    mark(from, to, words) {
      if (to - from < 1024) return byTest.mark(from, to, words)
      database.scratch.withWords(wordsFor(to - from), (found) => {
        // Records that are marked already are not tested.
        found.set(words)
        inner.mark(from, to, found)
        for (let at = 0; at < found.length; at++) {
          const rest = to - from - (at << 5)
          const inside = rest >= 32 ? -1 : (1 << rest) - 1
          words[at] |= wordFrom(table.live, from + (at << 5)) & ~found[at] & inside
        }
      })
    },
  }
}

/** Computed values are worked out per entity; a getter that throws fails the query. */
function computedFilter(
  database: Database,
  table: Table,
  predicate: ComputedPredicate,
): ColumnFilter {
  const { onNull, onValue } = compileTest(predicate.test, database.slices)
  const { attribute } = predicate
  const source = predicate.seesEverything === true ? database.whole : database
  return filterFromCostlyTest((slot) => {
    if (!table.isLive(slot)) return false
    const value = storedForm(
      attribute,
      (source.entityAt(table, slot) as Record<string, unknown>)[attribute.name],
    )
    if (value === null) return onNull
    if (typeof value === 'string') return onValue(keyOf(attribute, value), value)
    // Objects and media are compared with null only.
    return onValue(typeof value === 'object' ? true : value)
  })
}

/**
 * The result of a computed attribute as comparisons see it: the stored form, texts as comparison
 * keys. Null if the result does not have the attribute's type. Objects and media are true: they are
 * counted, and no order takes them.
 */
export function comparableOf(
  attribute: ComputedPredicate['attribute'],
  computed: unknown,
): Scalar | null {
  const stored = storedForm(attribute, computed)
  if (typeof stored === 'string') return keyOf(attribute, stored)
  return typeof stored === 'object' && stored !== null ? true : stored
}

/** The result of a computed attribute as a column would store it. */
function storedForm(
  { type, dateOnly }: ComputedPredicate['attribute'],
  computed: unknown,
): StoredValue {
  if (computed === null || computed === undefined) return null
  const stored = coerceInput(type, dateOnly, computed)
  return stored instanceof Refusal ? null : stored
}

/** As the value of the filter is: see `comparableTo` in draft-comparison.ts. */
const keyOf = ({ type }: ComputedPredicate['attribute'], text: string): string =>
  textKey(text, type === 'uuid' ? 'exact' : 'folded')

function relatedFilter(
  database: Database,
  table: Table,
  predicate: RelatedPredicate,
): ColumnFilter {
  const { relation, whenMissing } = predicate
  const target = database.tableOf(relation.target)
  const inner = new InnerQuery(database, target, predicate)
  if (relation.kind === 'relatedEntity') {
    const foreignKey = table.columns[relation.foreignKey.ordinal]
    return filterFromCostlyTest((slot) => {
      const key = foreignKey.read(slot)
      const related = key === null ? -1 : target.findKey(key)
      if (related < 0) return whenMissing && table.isLive(slot)
      return inner.has(related)
    })
  }
  const key = table.columns[table.model.key.ordinal]
  const index = target.indexes[relation.inverse.foreignKey.ordinal]
  return filterFromCostlyTest((slot) => {
    if (!table.isLive(slot) || index === null || index.postings === null) return false
    const value = key.read(slot) as string | number
    target.needReferrers(relation.inverse.foreignKey.ordinal, value)
    const list = index.listOfValue(value)
    if (list === 0 || inner.isEmpty) return false
    const { data } = index.postings
    const start = index.postings.start(list)
    const end = start + index.postings.length(list)
    for (let i = start; i < end; i++) if (inner.has(data[i])) return true
    return false
  })
}
