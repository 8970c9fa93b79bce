import { assertNever, invariant } from '../errors.ts'
import type { Predicate } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import { COLLECT_COST, SCAN_COST } from '../plan/cost.ts'
import { isDisjointJoin, isReadDirectly } from '../plan/fast-paths.ts'
import type { FilterPlan, IndexPlan, PhysicalPlan, SemiJoinPlan } from '../plan/physical-plan.ts'
import type { AttributeIndex, OrderedEntries } from '../storage/attribute-index.ts'
import type { PostingLists } from '../storage/posting-lists.ts'
import {
  countOf,
  difference,
  EMPTY_SET,
  intersection,
  type RecordSet,
  slotsOf,
  union,
} from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import { allRecords, setOf } from './collected-set.ts'
import type { Database } from './database.ts'
import { listsOf, placesOf, windowsOf } from './index-access.ts'
import { narrowBy, predicateFilter } from './predicate-filter.ts'
import { collectForward, joinIndex, listsOfJoin, semiJoin } from './semi-join.ts'
import { narrowSliced, scanSliced } from './sliced-filter.ts'

/** The actual rows and time of each operator; filled while a plan runs for `explain`. */
export type Trace = Map<PhysicalPlan, { rows: number; milliseconds: number }>
interface TraceOptions {
  readonly trace: Trace
  /** Milliseconds, monotonic. */
  readonly now: () => number
}

/**
 * Runs a plan and returns its records. Cost: that of the plan's operators. It keeps nothing except
 * the result.
 */
export function runPlan(plan: PhysicalPlan, database: Database, traced?: TraceOptions): RecordSet {
  if (traced === undefined) return run(plan, database, traced)
  const start = traced.now()
  const set = run(plan, database, traced)
  traced.trace.set(plan, { rows: countOf(set), milliseconds: traced.now() - start })
  return set
}

/** Plans a predicate and runs it; a sliced read does both once. */
export function selectOf(
  database: Database,
  dataClass: ClassModel,
  predicate: Predicate,
  plan: () => PhysicalPlan,
): RecordSet {
  const { slices, matching } = database
  if (matching !== null) return matching(dataClass, predicate, database)
  if (slices === null) return runPlan(plan(), database)
  return slices.once(['select', database, dataClass, predicate], () => runPlan(plan(), database))
}

/** Selects among some records, by a plan, or without one by testing each record. */
export function selectWithin(
  within: RecordSet,
  plan: PhysicalPlan | null,
  dataClass: ClassModel,
  predicate: Predicate,
  database: Database,
): RecordSet {
  if (plan !== null) return intersection(within, runPlan(plan, database), database.allocator)
  const count = countOf(within)
  const vector = database.scratch.take(count)
  vector.set(slotsOf(within))
  return narrowedSet([predicate], database.tableOf(dataClass), vector, count, true, database)
}

function run(plan: PhysicalPlan, database: Database, traced: TraceOptions | undefined): RecordSet {
  const table = database.tableOf(plan.dataClass)
  switch (plan.kind) {
    case 'none':
      return EMPTY_SET
    case 'all':
      return allRecords(table, database)
    case 'index': {
      if (isScannedInSlices(plan, table, database))
        return scanTable([plan.predicate], table, database)
      const vector = database.scratch.take(plan.rows)
      const { count, isAscending } = collectIndex(plan, table, vector)
      const set = setOf(vector, count, isAscending, table, database)
      database.scratch.release(vector)
      return set
    }
    case 'semiJoin':
      return semiJoin(plan, runPlan(plan.inner, database, traced), database)
    case 'intersect': {
      let set: RecordSet | null = null
      for (const input of plan.inputs) {
        // After an empty input, the others are not run.
        if (set !== null && countOf(set) === 0) return set
        const next = runPlan(input, database, traced)
        set = set === null ? next : intersection(set, next, database.allocator)
      }
      return set ?? EMPTY_SET
    }
    case 'union':
      return plan.inputs.reduce<RecordSet>(
        (set, input) => union(set, runPlan(input, database, traced), database.allocator),
        EMPTY_SET,
      )
    case 'complement':
      return difference(
        allRecords(table, database),
        runPlan(plan.input, database, traced),
        database.allocator,
      )
    case 'filter':
      return runFilter(plan, table, database, traced)
    case 'scan':
      return scanTable(plan.residual, table, database)
    default:
      return assertNever(plan)
  }
}

/**
 * A sliced read scans for a wide range: a scan can stop between records, listing the entries of an
 * index cannot.
 */
const isScannedInSlices = ({ rows }: IndexPlan, { length }: Table, { slices }: Database): boolean =>
  slices !== null && rows * COLLECT_COST > length * SCAN_COST

/** The records that pass all tests, found by one loop over the table per test. */
function scanTable(tests: readonly Predicate[], table: Table, database: Database): RecordSet {
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

function runFilter(
  plan: FilterPlan,
  table: Table,
  database: Database,
  traced: TraceOptions | undefined,
): RecordSet {
  const { input, residual } = plan
  const isDirect = isReadDirectly(input) && traced === undefined
  const slots = isDirect ? null : slotsOf(runPlan(input, database, traced))
  const lists = isDirect && isDisjointJoin(input) ? listsOfJoin(input, table, database) : null
  const postings = lists === null ? null : joinIndex(input as SemiJoinPlan, table).postings
  const isCounted = input.kind === 'index' || postings !== null
  const vector = database.scratch.take(
    slots !== null ? slots.length : isCounted ? input.rows : table.liveCount,
  )
  let isAscending = true
  let count = 0
  if (slots !== null) {
    vector.set(slots)
    count = slots.length
  } else if (lists !== null && postings !== null) {
    for (let i = 0; i < lists.length; i++) count = postings.copyInto(lists[i], vector, count)
    isAscending = false
  } else if (isDisjointJoin(input)) {
    // Directly from the posting lists or blocks: only the records that pass are sorted.
    count = collectForward(input, runPlan(input.inner, database), database, vector)
    isAscending = false
  } else {
    ;({ count, isAscending } = collectIndex(input as IndexPlan, table, vector))
  }
  return narrowedSet(residual, table, vector, count, isAscending, database)
}

/** The first `count` records in a pooled vector that pass all tests. Releases the vector. */
function narrowedSet(
  residual: readonly Predicate[],
  table: Table,
  vector: Int32Array,
  count: number,
  isAscending: boolean,
  database: Database,
): RecordSet {
  if (database.slices !== null) {
    const candidates = vector.slice(0, count)
    database.scratch.release(vector)
    const found = narrowSliced(database.slices, database, table, residual, candidates)
    // `setOf` sorts in place, and a later time slice may need the unsorted records again.
    const slots = isAscending ? found.slots : found.slots.slice(0, found.count)
    return setOf(slots, found.count, isAscending, table, database)
  }
  // A test is compiled only if a record is left to test.
  for (let i = 0; i < residual.length && count > 0; i++)
    count = narrowBy(database, table, residual[i], vector, count)
  const set = setOf(vector, count, isAscending, table, database)
  database.scratch.release(vector)
  return set
}

/**
 * Writes the records of one index access into `out` (room for `plan.rows`, or more when data moved
 * since planning).
 */
function collectIndex(
  plan: IndexPlan,
  table: Table,
  out: Int32Array,
): { count: number; isAscending: boolean } {
  const places = placesOf(table, plan)
  invariant(places !== null, 'the index of a plan is gone')
  const index = table.indexes[plan.attribute.ordinal] as AttributeIndex
  let count = 0
  if (places.kind === 'slots') {
    for (let i = 0; i < places.many.length; i++) out[count++] = places.many[i]
    return { count, isAscending: count < 2 }
  }
  const lists = listsOf(places)
  for (let i = 0; i < lists.length; i++)
    count = (index.postings as PostingLists).copyInto(lists[i], out, count)
  const windows = windowsOf(places)
  for (let i = 0; i < windows.length; i += 2) {
    const ordered = index.ordered as OrderedEntries
    count += ordered.slotsBetween(
      windows[i],
      windows[i + 1],
      count === 0 ? out : out.subarray(count),
    )
  }
  return { count, isAscending: lists.length === 1 || count < 2 }
}
