import type { IndexAccess, IndexPlan } from '../plan/physical-plan.ts'
import type { PostingLists } from '../storage/posting-lists.ts'
import { countOf, EMPTY_SET, slotsOf } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { Operators } from './database.ts'
import { allRecords, narrowedSet, narrowedSlots, scanTable, setOf } from './narrowed-set.ts'
import { listsOf, pointAccess } from './point-access.ts'
import { runPlan } from './run-plan.ts'
import { listedSlots } from './time-slices.ts'

/** Scans, look-ups of single values, and tests of what these find. */
export const SCAN_OPERATORS = {
  none: () => EMPTY_SET,
  all: (_plan, table, database) => allRecords(table, database),
  scan: ({ residual }, table, database) => scanTable(residual, table, database),
  index(plan, table, database) {
    const { places } = plan
    const isCurrent = places.version === table.version
    const now = isCurrent ? places : pointAccess(table, plan.attribute, plan.ranges)
    const vector = database.scratch.take((now as IndexAccess).rows)
    const { count, isAscending } = collectPlaces(table, plan, now as IndexAccess, vector)
    const set = setOf(vector, count, isAscending, table, database)
    database.scratch.release(vector)
    return set
  },
  filter({ input, residual }, table, database, traced) {
    const set = runPlan(input, database, traced)
    if (database.slices !== null)
      return narrowedSlots(residual, table, listedSlots(database.slices, set), true, database)
    const vector = database.scratch.take(countOf(set))
    vector.set(slotsOf(set))
    return narrowedSet(residual, table, vector, countOf(set), true, database)
  },
} as const satisfies Operators

/** Writes the records and the posting lists of an access into `out`, which has room for them. */
export function collectPlaces(
  table: Table,
  { attribute }: IndexPlan,
  places: IndexAccess,
  out: Int32Array,
): { count: number; isAscending: boolean } {
  let count = 0
  if (places.kind === 'slots') {
    for (let i = 0; i < places.many.length; i++) out[count++] = places.many[i]
    return { count, isAscending: count < 2 || places.access === 'words' }
  }
  const lists = listsOf(places)
  const postings = table.indexes[attribute.ordinal]?.postings as PostingLists
  for (let i = 0; i < lists.length; i++) count = postings.copyInto(lists[i], out, count)
  return { count, isAscending: lists.length === 1 || count < 2 }
}
