import type { Predicate } from '../filter/predicate.ts'
import { wordsFor } from '../storage/bitset.ts'
import { denseSet, EMPTY_SET, type RecordSet, sparseSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { Database } from './database.ts'
import { conjunctionFilter, narrowBy, predicateFilter } from './predicate-filter.ts'
import { Steps } from './steps.ts'

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
