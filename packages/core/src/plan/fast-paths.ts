import type { Predicate } from '../filter/predicate.ts'
import type { StorageAttribute } from '../model/catalog.ts'
import type { PhysicalPlan, SemiJoinPlan } from './physical-plan.ts'

/**
 * The fast paths of a query: where the planner stops comparing prices, and where a read skips a
 * step. A query without them finds the same records.
 *
 * "Gain" is the time without the path divided by the time with it: 100 000 employees, one process,
 * the path switched off. "W6" is a workload of `bench/workloads`; the other queries are over the
 * same data. A path that gains less than 1.1 does not belong here.
 *
 * | path | condition | needed by | gain |
 * |---|---|---|---|
 * | range template | one range of one attribute, all values plain: `rangeTemplate`, `planRange` | W3, W4a, W9 | 1.5, 1.35, 1.3 |
 * | sole access | every comparison is about one attribute, whose index is exact: `soleAttribute` | `salary > 1 and salary < 9`, counted | 5 |
 * | point | an equality that an index answers with a short list: `isPointTest` | W6 | 1.3 |
 * | short access | an index answers a conjunct with a short list: `isShortAccess` | a narrow range `and active` | 1.3 |
 * | short join | a counted join leads to few records: `isShortJoin` | W7 | 1.2 |
 * | counted join | the inner query is short, so its posting lists are added up: `semiJoin` | W7 | 1.25 |
 * | unranked tests | few records are left to test: `isShort` | W6 | 2.3 |
 * | direct input | a filter reads posting lists, without a set in between: `isReadDirectly` | W6, W7 | 1.25, 1.4 |
 * | related tests one by one | few records follow a relation: `relatedTestsOneByOne` | `lastName = x and company.city = y` | 1.8 |
 * | deferred scan | the scan waits, as a page may not need all of it: `isScanDeferred` | W8b | 3.4 |
 * | walk of an order | a page is read off the order's index, and its records tested: `walkOfScan` | W8b | 3.5 |
 * | walk of a set | the same for a set that is known: `isWalkShorter` | a page of `company.city != x`, ordered | 2.5 |
 * | page of a range | the column is scanned until the page is full: `isPageScanned` | W4c, W4ec | 5, 2.8 |
 * | narrowed selection | its few members are tested, no plan is run: `isTestCheaper` | `selection.query` of 100 members | 130 |
 * | keys of a list | keys are read straight from one posting list: `keysOfList` | W3 | 1.3 |
 */

/**
 * Rows of a short access: comparing it with other plans costs more than testing so many records.
 */
export const MAX_SHORT_ACCESS_ROWS = 256

/** Rows of a short join: comparing it with other plans costs more than testing so many records. */
export const MAX_SHORT_JOIN_ROWS = 1024

/**
 * The attribute that all comparisons are about; null where there are several, or other conditions.
 */
export function soleAttribute(predicate: Predicate): StorageAttribute | null {
  if (predicate.kind === 'compare') return predicate.attribute
  if (predicate.kind !== 'and') return null
  const [first] = predicate.parts
  if (first === undefined || first.kind !== 'compare') return null
  for (const part of predicate.parts)
    if (part.kind !== 'compare' || part.attribute !== first.attribute) return null
  return first.attribute
}

/** True for a conjunct that may be a point; it is one if an index answers it with a short list. */
export const isPointTest = (
  conjunct: Predicate,
): conjunct is Extract<Predicate, { kind: 'compare' }> =>
  conjunct.kind === 'compare' && conjunct.test.op === 'equal'

export const isShort = ({ rows }: PhysicalPlan): boolean => rows <= MAX_SHORT_ACCESS_ROWS

/** True for a short result of one index, with or without further tests. */
export const isShortAccess = (plan: PhysicalPlan): boolean =>
  isShort(plan) &&
  (plan.kind === 'index' || (plan.kind === 'filter' && plan.input.kind === 'index'))

/** True for a join that was counted and leads to few records. */
export const isShortJoin = (plan: PhysicalPlan): boolean =>
  plan.kind === 'semiJoin' && plan.isExact && plan.rows <= MAX_SHORT_JOIN_ROWS

/**
 * True for a to-one semi-join, which gives each record once: the posting lists of different keys
 * share none.
 */
export const isDisjointJoin = (plan: PhysicalPlan): plan is SemiJoinPlan =>
  plan.kind === 'semiJoin' && plan.direction === 'forward'

/**
 * True for the input of a filter that is tested as it is collected: only the records that pass are
 * sorted.
 */
export const isReadDirectly = (input: PhysicalPlan): boolean =>
  input.kind === 'index' || isDisjointJoin(input)

/**
 * How many related records are tested one by one before their query runs: fewer in a small table.
 */
export const relatedTestsOneByOne = (relatedCount: number): number =>
  Math.max(8, Math.min(256, relatedCount >> 5))

/** Shorter tables are scanned at once, which costs less than deferring the scan. */
const MIN_DEFERRED_LENGTH = 4096

/**
 * True for a scan of own columns of a long table. It can run later, as the history holds the values
 * at the selection's creation.
 */
export const isScanDeferred = (plan: PhysicalPlan, tableLength: number): boolean =>
  plan.kind === 'scan' &&
  tableLength >= MIN_DEFERRED_LENGTH &&
  plan.residual.every(({ kind }) => kind === 'compare')

/**
 * How many entries of an order's index a walk may visit to find `needed` of the estimated `found`
 * records of a scan; 0 if it would need more.
 */
export function walkOfScan(tableCount: number, found: number, needed: number): number {
  const most = tableCount >> 1
  return (needed / Math.max(1, found)) * tableCount > most ? 0 : most
}

/**
 * True if walking an order's index to `needed` of `count` members is faster than sorting them, in
 * nanoseconds.
 */
export const isWalkShorter = (tableLength: number, count: number, needed: number): boolean =>
  500 + (needed * tableLength * 20) / Math.max(1, count) < 1000 + count * 25

/**
 * True if a scan of the column finds a page of a range faster: a scanned record costs as much as
 * two entries of an index.
 */
export const isPageScanned = (tableLength: number, rows: number, needed: number): boolean =>
  2 * (needed / rows) * tableLength < rows

/**
 * True if testing `count` records one by one is cheaper than a plan. `testCost` is the price of one
 * test.
 */
export const isTestCheaper = (count: number, testCost: number, plan: PhysicalPlan): boolean =>
  count * testCost < plan.cost
