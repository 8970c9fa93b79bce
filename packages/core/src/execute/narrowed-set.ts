import type { Predicate, RelatedPredicate } from '../filter/predicate.ts'
import type { ToOneAttribute } from '../model/catalog.ts'
import type { SemiJoinPlan } from '../plan/physical-plan.ts'
import type { AttributeIndex } from '../storage/attribute-index.ts'
import { setBit, wordsFor } from '../storage/bitset.ts'
import type { PostingLists } from '../storage/posting-lists.ts'
import { denseSet, EMPTY_SET, type RecordSet, sparseSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { Database } from './database.ts'
import { conjunctionFilter, narrowBy, predicateFilter } from './predicate-filter.ts'
import { Steps } from './steps.ts'
import { listedSlots } from './time-slices.ts'

// Record sets as operators of plans produce them: by a scan, by tests of candidates, by a join.

/**
 * Up to so many are stored in a plain array: a typed array of this size takes longer to create than
 * to fill.
 */
const PLAIN = 1024

/** A set of the first `count` entries of a vector, which are distinct. Few are sorted in place. */
export function setOf(
  vector: Int32Array,
  count: number,
  isAscending: boolean,
  table: Table,
  database: Database,
): RecordSet {
  if (count === 0) return EMPTY_SET
  const words = wordsFor(table.length)
  if (count > 32 && count > (isAscending ? words >> 1 : words >> 2)) {
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
  if (database.slices !== null) {
    const filter = conjunctionFilter(database, table, tests)
    const steps = Steps.in(database.slices, () => ['scan', database, table, tests])
    const start = (): Found => ({ slots: new Int32Array(table.length), count: 0 })
    const scan = (found: Found, from: number, to: number): void => {
      found.count += filter.scan(from, to, found.slots.subarray(found.count))
    }
    const { slots, count } = steps.loop(table.length, start, scan, 1)
    return setOf(slots, count, true, table, database)
  }
  const vector = database.scratch.take(table.length)
  let count = predicateFilter(database, table, tests[0]).scan(0, table.length, vector)
  for (let i = 1; i < tests.length && count > 0; i++)
    count = narrowBy(database, table, tests[i], vector, count)
  const set = setOf(vector, count, true, table, database)
  database.scratch.release(vector)
  return set
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
    found.count += filter.narrow(block, to - from)
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
  if (relation.kind === 'relatedEntity') {
    const vector = database.scratch.take(table.liveCount)
    const set = setOf(vector, collectForward(join, inner, database, vector), false, table, database)
    database.scratch.release(vector)
    return set
  }
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
