import type { Predicate } from '../filter/predicate.ts'
import type { RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import { setOf } from './collected-set.ts'
import type { Database } from './database.ts'
import { narrowBy, predicateFilter } from './predicate-filter.ts'
import { narrowSliced, scanSliced } from './sliced-filter.ts'
import type { TimeSlices } from './time-slices.ts'

/** The records that pass all tests, found by one loop over the table per test. */
export function scanTable(
  tests: readonly Predicate[],
  table: Table,
  database: Database,
): RecordSet {
  if (database.slices !== null) {
    const found = scanSliced(database.slices, database, table, tests)
    return setOf(found.slots, found.count, true, table, database)
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

/** The same in a sliced read, whose candidates are kept. */
export function narrowedSlots(
  residual: readonly Predicate[],
  table: Table,
  candidates: Int32Array,
  isAscending: boolean,
  database: Database,
): RecordSet {
  const found = narrowSliced(database.slices as TimeSlices, database, table, residual, candidates)
  // `setOf` sorts in place, and a later time slice may need the unsorted records again.
  const slots = isAscending ? found.slots : found.slots.slice(0, found.count)
  return setOf(slots, found.count, isAscending, table, database)
}
