import { invariant } from '../errors.ts'
import type { Predicate } from '../filter/predicate.ts'
import { COLLECT_COST, SCAN_COST } from '../plan/cost.ts'
import { isDisjointJoin, isReadDirectly } from '../plan/fast-paths.ts'
import type { IndexPlan, PhysicalPlan, SemiJoinPlan } from '../plan/physical-plan.ts'
import type { AttributeIndex, OrderedEntries } from '../storage/attribute-index.ts'
import type { PostingLists } from '../storage/posting-lists.ts'
import {
  countOf,
  difference,
  EMPTY_SET,
  intersection,
  type RecordSet,
  union,
} from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { Database, Operators } from './database.ts'
import { placesOf, windowsOf } from './index-access.ts'
import {
  allRecords,
  type Collected,
  collectedSet,
  collectForward,
  joinIndex,
  listsOfJoin,
  narrowedSet,
  narrowedSlots,
  scanTable,
  semiJoin,
} from './narrowed-set.ts'
import { collectPlaces, runPlan, SCAN_OPERATORS } from './run-plan.ts'

/** Every kind of plan, with all kinds of index accesses. */
export const INDEX_OPERATORS = {
  ...SCAN_OPERATORS,
  index(plan, table, database) {
    if (isScannedInSlices(plan, table, database))
      return scanTable([plan.predicate], table, database)
    return collectedSet(table, database, plan.rows, (vector) => collectIndex(plan, table, vector))
  },
  semiJoin: (plan, _table, database, traced) =>
    semiJoin(plan, runPlan(plan.inner, database, traced), database),
  intersect(plan, _table, database, traced) {
    let set: RecordSet | null = null
    for (const input of plan.inputs) {
      // After an empty input, the others are not run.
      if (set !== null && countOf(set) === 0) return set
      const next = runPlan(input, database, traced)
      set = set === null ? next : intersection(set, next, database.allocator)
    }
    return set ?? EMPTY_SET
  },
  union: (plan, _table, database, traced) =>
    plan.inputs.reduce<RecordSet>(
      (set, input) => union(set, runPlan(input, database, traced), database.allocator),
      EMPTY_SET,
    ),
  complement: (plan, table, database, traced) =>
    difference(
      allRecords(table, database),
      runPlan(plan.input, database, traced),
      database.allocator,
    ),
  filter(plan, table, database, traced) {
    const { input, residual } = plan
    return traced === undefined && isReadDirectly(input)
      ? filterDirectly(input, residual, table, database)
      : SCAN_OPERATORS.filter(plan, table, database, traced)
  },
} as const satisfies Operators

/**
 * A sliced read scans for a wide range: a scan can stop between records, listing the entries of an
 * index cannot. The records of words are listed already.
 */
const isScannedInSlices = (
  { access, rows }: IndexPlan,
  { length }: Table,
  { slices }: Database,
): boolean => slices !== null && access !== 'words' && rows * COLLECT_COST > length * SCAN_COST

/** Tests records straight from posting lists or blocks: only those that pass are sorted. */
function filterDirectly(
  input: PhysicalPlan,
  residual: readonly Predicate[],
  table: Table,
  database: Database,
): RecordSet {
  const { slices } = database
  if (slices !== null) {
    const { candidates, isAscending } = slices.once(
      ['candidates', database, input.kind === 'index' ? input.predicate : input],
      () => {
        const { vector, count, isAscending } = collectDirectly(input, table, database)
        const candidates = vector.slice(0, count)
        database.scratch.release(vector)
        return { candidates, isAscending }
      },
    )
    return narrowedSlots(residual, table, candidates, isAscending, database)
  }
  const { vector, count, isAscending } = collectDirectly(input, table, database)
  return narrowedSet(residual, table, vector, count, isAscending, database)
}

/** The records of posting lists or blocks, in a pooled vector. */
function collectDirectly(
  input: PhysicalPlan,
  table: Table,
  database: Database,
): Collected & { readonly vector: Int32Array } {
  const lists = isDisjointJoin(input) ? listsOfJoin(input, table, database) : null
  const inner =
    lists === null && isDisjointJoin(input)
      ? runPlan((input as SemiJoinPlan).inner, database)
      : null
  const isCounted = input.kind === 'index' || lists !== null
  const vector = database.scratch.take(isCounted ? input.rows : table.liveCount)
  let isAscending = false
  let count = 0
  if (lists !== null) {
    const { postings } = joinIndex(input as SemiJoinPlan, table)
    for (let i = 0; i < lists.length; i++)
      count = (postings as PostingLists).copyInto(lists[i], vector, count)
  } else if (inner !== null) count = collectForward(input as SemiJoinPlan, inner, database, vector)
  else ({ count, isAscending } = collectIndex(input as IndexPlan, table, vector))
  return { vector, count, isAscending }
}

/**
 * Writes the records of one index access into `out` (room for `plan.rows`, or more when data moved
 * since planning).
 */
function collectIndex(plan: IndexPlan, table: Table, out: Int32Array): Collected {
  const places = placesOf(table, plan)
  invariant(places !== null, 'the index of a plan is gone')
  const windows = windowsOf(places)
  if (windows.length === 0) return collectPlaces(table, plan, places, out)
  const index = table.indexes[plan.attribute.ordinal] as AttributeIndex
  const ordered = index.ordered as OrderedEntries
  let count = 0
  for (let i = 0; i < windows.length; i += 2)
    count += ordered.slotsBetween(
      windows[i],
      windows[i + 1],
      count === 0 ? out : out.subarray(count),
    )
  return { count, isAscending: count < 2 }
}
