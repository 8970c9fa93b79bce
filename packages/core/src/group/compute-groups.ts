import type { Database } from '../execute/database.ts'
import { compareKeys, keysOfScalars, type OrderKeys } from '../execute/order-keys.ts'
import { orderedPositions } from '../execute/sort.ts'
import type { Scalar } from '../filter/predicate.ts'
import type { RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import { aggregateGroups } from './aggregate-groups.ts'
import type { BoundGrouping } from './bind-grouping.ts'
import { combineCodes } from './combine-codes.ts'
import { type CountedGroups, countPostings, countWords } from './count-postings.ts'
import { forMembers, membersOf } from './members.ts'
import { type GroupPlan, planGrouping } from './plan-grouping.ts'
import { keyReader, nameOf, valueCodes } from './value-codes.ts'

/** Groups in the order of their values. */
export interface GroupTable {
  readonly count: number
  /**
   * By column, then by group: the values of the attributes, the number of members if it is
   * requested, then the aggregates of each path.
   */
  readonly columns: readonly (readonly unknown[])[]
  readonly plan: GroupPlan
}

/**
 * Computes the groups of some records, or of all if `set` is null. Cost: see `GroupPlan`, and a
 * sort of the groups.
 */
export function computeGroups(
  database: Database,
  table: Table,
  bound: BoundGrouping,
  set: RecordSet | null,
): GroupTable {
  const plan = planGrouping(database, table, bound, set === null)
  const name = [database, bound.terms.map(({ path, span }) => nameOf(database, path, span))]
  const columns =
    plan.kind === 'columns'
      ? groupColumns(database, table, bound, set, name)
      : countedColumns(
          plan.kind === 'words'
            ? countWords(plan.column)
            : countPostings(database, table, bound.terms[0], plan.relation),
          bound,
        )
  return { ...inOrder(database, bound, columns, name), plan }
}

const countedColumns = (
  { values, counts }: CountedGroups,
  { isCounted }: BoundGrouping,
): readonly (readonly unknown[])[] => (isCounted ? [values, counts] : [values])

/** One pass over the members for each attribute and each aggregated path. */
function groupColumns(
  database: Database,
  table: Table,
  { terms, isCounted, aggregated }: BoundGrouping,
  set: RecordSet | null,
  name: readonly unknown[],
): readonly (readonly unknown[])[] {
  const all = membersOf(table, set)
  const coded = terms.map((term) => valueCodes(database, term, all))
  const groups = combineCodes(database, name, all, coded)
  const { members, codes, limit, entries } = groups
  const start = () => ({
    counts: new Int32Array(limit),
    firsts: new Int32Array(limit),
  })
  const counted = forMembers(
    database,
    ['groups', name],
    members,
    start,
    ({ counts, firsts }, from, to) => countMembers(counts, firsts, codes, from, to),
  )
  const { counts, firsts } = counted
  const found: number[] = []
  for (let code = 0; code < limit; code++) if (counts[code] > 0) found.push(code)
  const values = coded.map(({ valueAt }, at) => {
    const entriesAt = entries[at]
    return found.map((code) => valueAt(entriesAt === null ? firsts[code] : entriesAt[firsts[code]]))
  })
  const aggregates = aggregated
    .flatMap((path) => aggregateGroups(database, name, path, members, groups))
    .map((read) => found.map(read))
  return [...values, ...(isCounted ? [found.map((code) => counts[code])] : []), ...aggregates]
}

function countMembers(
  counts: Int32Array,
  firsts: Int32Array,
  codes: Int32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) if (counts[codes[i]]++ === 0) firsts[codes[i]] = i
}

/** Sorts the groups by their values. No two groups have the same values. */
function inOrder(
  database: Database,
  { terms }: BoundGrouping,
  columns: readonly (readonly unknown[])[],
  name: readonly unknown[],
): Pick<GroupTable, 'count' | 'columns'> {
  const scalars = terms.map((term, at) => {
    const keyOf = keyReader(term)
    return columns[at].map((value): Scalar | null => keyOf(value))
  })
  const keys = scalars.map((each): OrderKeys => keysOfScalars(each))
  const compare = (a: number, b: number): number => {
    for (const each of keys) {
      const order = compareKeys(each, a, b)
      if (order !== 0) return order
    }
    return 0
  }
  const places = Int32Array.from(columns[0].keys())
  const order = orderedPositions(database.slices, ['group order', name, scalars], places, compare)
  return {
    count: order.length,
    columns: columns.map((column) => Array.from(order, (at) => column[at])),
  }
}
