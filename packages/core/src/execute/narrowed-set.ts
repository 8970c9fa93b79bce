import type { Predicate, RelatedPredicate } from '../filter/predicate.ts'
import type { ToOneAttribute } from '../model/catalog.ts'
import type { SemiJoinPlan } from '../plan/physical-plan.ts'
import type { AttributeIndex } from '../storage/attribute-index.ts'
import { bitsInto, countBits, orBits, setBit, wordsFor } from '../storage/bitset.ts'
import type { PostingLists } from '../storage/posting-lists.ts'
import {
  countOf,
  denseSet,
  EMPTY_SET,
  type RecordSet,
  slotsOf,
  sparseSet,
} from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { ColumnFilter } from './column-filter.ts'
import type { Database } from './database.ts'
import { conjunctionFilter, markLeading, narrowBy, predicateFilter } from './predicate-filter.ts'
import { Steps } from './steps.ts'
import { listedSlots } from './time-slices.ts'

// Record sets as operators of plans produce them: by a scan, by tests of candidates, by a join.

/**
 * Up to so many are stored in a plain array: a typed array of this size takes longer to create than
 * to fill.
 */
const PLAIN = 1024

/** Up to so many are a list, however small the table is. */
const FEW = 32

/** A set of the first `count` entries of a vector, which are distinct. Few are sorted in place. */
function setOf(
  vector: Int32Array,
  count: number,
  isAscending: boolean,
  table: Table,
  database: Database,
): RecordSet {
  if (count === 0) return EMPTY_SET
  const words = wordsFor(table.length)
  if (count > Math.max(FEW, isAscending ? words >> 1 : words >> 2)) {
    const bits = database.allocator.take(words)
    for (let i = 0; i < count; i++) bits[vector[i] >>> 5] |= 1 << (vector[i] & 31)
    return denseSet(bits, count)
  }
  const { sorter } = database.scratch
  if (count > PLAIN) {
    if (!isAscending) sorter.sort(vector, count, table.length)
    return sparseSet(vector.slice(0, count))
  }
  if (!isAscending) return sparseSet(sorter.sorted(vector, count, table.length, 0, count))
  const slots: number[] = new Array(count)
  for (let i = 0; i < count; i++) slots[i] = vector[i]
  return sparseSet(slots)
}

/** What was written into a vector: so many records, ascending or not. */
export interface Collected {
  readonly count: number
  readonly isAscending: boolean
}

/** The set of the distinct records that `collect` writes into a vector with room for `most`. */
export function collectedSet(
  table: Table,
  database: Database,
  most: number,
  collect: (vector: Int32Array) => Collected,
): RecordSet {
  const vector = database.scratch.take(most)
  const { count, isAscending } = collect(vector)
  const set = setOf(vector, count, isAscending, table, database)
  database.scratch.release(vector)
  return set
}

/** A copy: the bits of living records change, and sets do not. */
export function allRecords(table: Table, { allocator }: Database): RecordSet {
  const words = allocator.take(wordsFor(table.length))
  words.set(table.live.subarray(0, words.length))
  return denseSet(words, table.liveCount)
}

/** The records that pass all tests, found by one loop over the table per test. */
export function scanTable(
  tests: readonly Predicate[],
  table: Table,
  database: Database,
): RecordSet {
  const { length } = table
  const { slices, scratch } = database
  if (slices !== null) {
    const filter = conjunctionFilter(database, table, tests)
    const steps = Steps.in(slices, () => ['scan', database, table, tests])
    const start = (): Int32Array => new Int32Array(wordsFor(length))
    const mark = (words: Int32Array, from: number, to: number): void => {
      scratch.withWords(wordsFor(to - from), (found) => {
        filter.mark(from, to, found)
        slices.goOn()
        orBits(words, from, found)
      })
    }
    const words = steps.loop(length, start, mark, 1)
    return setOfWords(words, table, database)
  }
  return scratch.withWords(wordsFor(length), (words) => {
    const filterAt = (at: number): ColumnFilter => predicateFilter(database, table, tests[at])
    const marked = markLeading(database, tests.length, filterAt, 0, length, words)
    if (marked < tests.length) {
      const vector = scratch.take(length)
      const count = bitsInto(words, vector)
      return narrowedSet(tests.slice(marked), table, vector, count, true, database)
    }
    return setOfWords(words, table, database)
  })
}

/** A set of the marked records. Many are copied: the words may be scratch memory. */
function setOfWords(words: Int32Array, table: Table, database: Database): RecordSet {
  const { allocator, scratch } = database
  const limit = Math.max(FEW, words.length >> 1)
  const vector = scratch.take(limit + 32)
  const count = bitsInto(words, vector, 0, limit)
  const few = count > limit ? null : setOf(vector, count, true, table, database)
  scratch.release(vector)
  if (few !== null) return few
  const copy = allocator.take(words.length)
  copy.set(words)
  return denseSet(copy, countBits(words))
}

/** The first `count` records in a pooled vector that pass all tests. Releases the vector. */
export function narrowedSet(
  residual: readonly Predicate[],
  table: Table,
  vector: Int32Array,
  count: number,
  isAscending: boolean,
  database: Database,
): RecordSet {
  // A test is compiled only if a record is left to test.
  for (let i = 0; i < residual.length && count > 0; i++)
    count = narrowBy(database, table, residual[i], vector, count)
  const set = setOf(vector, count, isAscending, table, database)
  database.scratch.release(vector)
  return set
}

/** The records of a set that pass all tests. */
export function narrowedWithin(
  residual: readonly Predicate[],
  table: Table,
  set: RecordSet,
  database: Database,
): RecordSet {
  const { slices, scratch } = database
  if (slices !== null)
    return narrowedSlots(residual, table, listedSlots(slices, set), true, database)
  const vector = scratch.take(countOf(set))
  vector.set(slotsOf(set))
  return narrowedSet(residual, table, vector, countOf(set), true, database)
}

/** The same in a sliced read, which keeps its candidates. */
export function narrowedSlots(
  residual: readonly Predicate[],
  table: Table,
  candidates: Int32Array,
  isAscending: boolean,
  database: Database,
): RecordSet {
  const { length } = candidates
  const filter = conjunctionFilter(database, table, residual)
  const steps = Steps.in(database.slices, () => ['narrow', database, table, residual], candidates)
  const start = (): Found => ({ slots: new Int32Array(length), count: 0 })
  const narrow = (found: Found, from: number, to: number): void => {
    const block = found.slots.subarray(found.count, found.count + to - from)
    block.set(candidates.subarray(from, to))
    const kept = filter.narrow(block, to - from)
    database.slices?.goOn()
    found.count += kept
  }
  const { slots, count } = steps.loop(length, start, narrow, 1)
  // `setOf` sorts in place, and a later time slice may need the unsorted records again.
  return setOf(isAscending ? slots : slots.slice(0, count), count, isAscending, table, database)
}

/** Records found so far: the first `count` of a vector with room for all. */
interface Found {
  readonly slots: Int32Array
  count: number
}

/** How two dataclasses are joined; see `RelatedPredicate`. */
type Join = Pick<RelatedPredicate, 'relation' | 'whenMissing'>

/**
 * The records of the relation's own dataclass with a related record in `inner`. Cost: O(inner +
 * result), and a sort of few.
 */
export function semiJoin(join: Join, inner: RecordSet, database: Database): RecordSet {
  const { relation } = join
  const table = database.tableOf(relation.owner)
  if (relation.kind === 'relatedEntity')
    return collectedSet(table, database, table.liveCount, (vector) => ({
      count: collectForward(join, inner, database, vector),
      isAscending: false,
    }))
  const { slices } = database
  const slots = listedSlots(slices, inner)
  const target = database.tableOf(relation.target)
  const foreignKey = target.columns[relation.inverse.foreignKey.ordinal]
  const start = (): Int32Array => database.allocator.take(wordsFor(table.length))
  const steps = Steps.in(slices, () => ['joined', relation], slots)
  const bits = steps.loop(
    slots.length,
    start,
    (bits, from, to) => {
      for (let i = from; i < to; i++) {
        const key = foreignKey.read(slots[i])
        const slot = key === null ? -1 : table.findKey(key)
        if (slot >= 0) setBit(bits, slot)
      }
    },
    1,
  )
  return denseSet(bits)
}

/** The posting lists that planning found; null if a table has changed since. */
export function listsOfJoin(
  { places, relation }: SemiJoinPlan,
  table: Table,
  database: Database,
): readonly number[] | null {
  if (places === null || places.version !== table.version) return null
  return places.innerVersion === database.tableOf(relation.target).version ? places.lists : null
}

/** The index of a to-one relation, whose foreign key always has posting lists. */
export const joinIndex = ({ relation }: Pick<Join, 'relation'>, table: Table): AttributeIndex =>
  table.indexes[(relation as ToOneAttribute).foreignKey.ordinal] as AttributeIndex

/** Posting lists that are left to copy, and the number of records that are copied. */
interface Filled {
  readonly lists: number[]
  count: number
}

/**
 * Writes the records that refer to one of the inner records into `out`, unordered. Returns their
 * number.
 */
export function collectForward(
  { relation, whenMissing }: Join,
  set: RecordSet,
  database: Database,
  out: Int32Array,
): number {
  const { slices } = database
  const inner = listedSlots(slices, set)
  const target = database.tableOf(relation.target)
  const key = target.columns[target.model.key.ordinal]
  const index = joinIndex({ relation }, database.tableOf(relation.owner))
  const postings = index.postings as PostingLists
  // The vector is scratch memory, so a sliced read finds the lists first.
  const start = (): Filled => ({ lists: [], count: 0 })
  const steps = Steps.in(slices, () => ['referring lists', relation], inner)
  const { lists, count } = steps.loop(
    inner.length,
    start,
    (all, from, to) => {
      for (let i = from; i < to; i++) {
        const list = index.listOfValue(key.read(inner[i]) as string | number)
        if (list === 0 || postings.length(list) === 0) continue
        if (slices === null) all.count = postings.copyInto(list, out, all.count)
        else all.lists.push(list)
      }
    },
    1,
  )
  let filled = count
  for (let i = 0; i < lists.length; i++) filled = postings.copyInto(lists[i], out, filled)
  return whenMissing ? postings.copyInto(0, out, filled) : filled
}
