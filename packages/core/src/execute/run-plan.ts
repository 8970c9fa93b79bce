import { assertNever } from '../errors.ts'
import type { Predicate } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { IndexAccess, IndexPlan, PhysicalPlan } from '../plan/physical-plan.ts'
import type { PostingLists } from '../storage/posting-lists.ts'
import { countOf, EMPTY_SET, intersection, type RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { Database, Operators, Trace, TraceOptions } from './database.ts'
import {
  allRecords,
  type Collected,
  collectedSet,
  narrowedWithin,
  scanTable,
} from './narrowed-set.ts'
import { listsOf, pointAccess } from './point-access.ts'
import { onceOf } from './time-slices.ts'

/** Operators take the plans of their own kind. */
type Operator = (
  plan: PhysicalPlan,
  table: Table,
  database: Database,
  traced: TraceOptions | undefined,
) => RecordSet

/**
 * Runs a plan and returns its records. Cost: that of the plan's operators. It keeps nothing except
 * the result; a sliced read keeps the result of each part of the plan.
 */
export function runPlan(plan: PhysicalPlan, database: Database, traced?: TraceOptions): RecordSet {
  const { slices } = database
  if (slices === null)
    return traced === undefined ? run(plan, database, traced) : runTraced(plan, database, traced)
  if (traced === undefined)
    return slices.once(['run', database, nameOf(plan)], () => run(plan, database, traced))
  const { set, trace } = slices.once(['trace', database, nameOf(plan)], () => {
    const trace: Trace = new Map()
    return { set: runTraced(plan, database, { ...traced, trace }), trace }
  })
  for (const [each, actual] of trace) traced.trace.set(each, actual)
  return set
}

/**
 * A plan in a memo key. Each time slice makes the plan of a range again. Only for sliced reads: the
 * predicate of a range filter is made when it is first read.
 */
const nameOf = (plan: PhysicalPlan): unknown =>
  plan.kind === 'index' ? [plan.dataClass, plan.predicate] : plan

function runTraced(plan: PhysicalPlan, database: Database, traced: TraceOptions): RecordSet {
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
  if (matching !== null) return matching.find(dataClass, predicate, database)
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
  const { slices } = database
  if (plan !== null) {
    const found = runPlan(plan, database)
    return onceOf(slices, ['common', within, found], () =>
      intersection(within, found, database.allocator),
    )
  }
  return onceOf(slices, ['within', database, predicate, within], () =>
    narrowedWithin([predicate], database.tableOf(dataClass), within, database),
  )
}

function run(plan: PhysicalPlan, database: Database, traced: TraceOptions | undefined): RecordSet {
  const operator = database.operators[plan.kind] as Operator | undefined
  if (operator === undefined) return assertNever(plan as never)
  return operator(plan, database.tableOf(plan.dataClass), database, traced)
}

/** Scans, look-ups of single values, and tests of what these find. */
export const SCAN_OPERATORS = {
  none: () => EMPTY_SET,
  all: (_plan, table, database) => allRecords(table, database),
  scan: ({ residual }, table, database) => scanTable(residual, table, database),
  index(plan, table, database) {
    const { places } = plan
    const isCurrent = places.version === table.version
    const now = (
      isCurrent ? places : pointAccess(table, plan.attribute, plan.ranges)
    ) as IndexAccess
    return collectedSet(table, database, now.rows, (vector) =>
      collectPlaces(table, plan, now, vector),
    )
  },
  filter: ({ input, residual }, table, database, traced) =>
    narrowedWithin(residual, table, runPlan(input, database, traced), database),
} as const satisfies Operators

/** Writes the records and the posting lists of an access into `out`, which has room for them. */
export function collectPlaces(
  table: Table,
  { attribute }: IndexPlan,
  places: IndexAccess,
  out: Int32Array,
): Collected {
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
