import type { Database } from '../execute/database.ts'
import { compareKeys, keysInPasses, type OrderKeys, passOf } from '../execute/order-keys.ts'
import { orderedPositions } from '../execute/sort.ts'
import { onceOf } from '../execute/time-slices.ts'
import type { RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import { mapped, type Pass } from '../storage/text-prefixes.ts'
import { aggregateGroups } from './aggregate-groups.ts'
import type { BoundGrouping } from './bind-grouping.ts'
import { combineCodes } from './combine-codes.ts'
import { type CountedGroups, countPostings, countWords } from './fold-numbers-by-group.ts'
import { forMembers, type Members, membersOf, onceForMembers } from './members.ts'
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
 * sort of the groups. A sliced read computes each step once: groups may be as many as members.
 */
export function computeGroups(
  database: Database,
  table: Table,
  bound: BoundGrouping,
  set: RecordSet | null,
): GroupTable {
  const plan = planGrouping(database, table, bound, set === null)
  const name = [database, bound.terms.map(({ path, span }) => nameOf(database, path, span))]
  const all = plan.kind === 'columns' ? membersOf(database, table, set) : null
  const origin = all?.origin ?? null
  const requested = [
    name,
    bound.isCounted,
    bound.aggregated.map((path) => [path.name, path.functions]),
  ]
  const once = <T>(step: string, find: () => T): T =>
    onceOf(database.slices, () => [step, requested], origin, find)
  return once('grouped', () => {
    const unordered = once('group columns', () => ({
      columns:
        all !== null
          ? groupColumns(database, all, bound, name)
          : countedColumns(
              plan.kind === 'words'
                ? countWords(plan.column)
                : countPostings(database, table, bound.terms[0], (plan as PostingsPlan).relation),
              bound,
            ),
    }))
    return { ...inOrder(database, bound, unordered), plan }
  })
}

type PostingsPlan = Extract<GroupPlan, { kind: 'postings' }>

const countedColumns = (
  { values, counts }: CountedGroups,
  { isCounted }: BoundGrouping,
): readonly (readonly unknown[])[] => (isCounted ? [values, counts] : [values])

/** One pass over the members for each attribute and each aggregated path. */
function groupColumns(
  database: Database,
  all: Members,
  { terms, isCounted, aggregated }: BoundGrouping,
  name: readonly unknown[],
): readonly (readonly unknown[])[] {
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
  const passFor = (...step: readonly unknown[]): Pass =>
    passOf(database.slices, [step, name], members.origin)
  const found = passFor('groups')('found', limit, noCodes, (codes, from, to) => {
    for (let code = from; code < to; code++) if (counts[code] > 0) codes.push(code)
  })
  const columnOf = (step: readonly unknown[], of: (code: number) => unknown): unknown[] =>
    mapped(passFor(step), 'column', found.length, (at) => of(found[at]))
  const values = coded.map(({ valueAt }, at) => {
    const entriesAt = entries[at]
    return columnOf(['value', at], (code) =>
      valueAt(entriesAt === null ? firsts[code] : entriesAt[firsts[code]]),
    )
  })
  const sizes = isCounted ? [columnOf(['size'], (code) => counts[code])] : []
  const aggregates = aggregated.flatMap((path) => {
    const { functions } = path
    const memoKey = ['aggregates of groups', name, path.name, functions]
    return onceForMembers(database, memoKey, members, () =>
      aggregateGroups(database, name, path, members, groups).map((read, at) =>
        columnOf([path.name, functions, at], read),
      ),
    )
  })
  return [...values, ...sizes, ...aggregates]
}

const noCodes = (): number[] => []

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
  unordered: Pick<GroupTable, 'columns'>,
): Pick<GroupTable, 'count' | 'columns'> {
  const { columns } = unordered
  const find = (): OrderKeys[] =>
    terms.map((term, at) => {
      const keyOf = keyReader(term)
      const pass = passOf(database.slices, ['keys of groups', unordered, at], null)
      return keysInPasses(pass, columns[at].length, (group) => keyOf(columns[at][group]))
    })
  const keys = onceOf(database.slices, () => ['group keys', unordered], null, find)
  const compare = (a: number, b: number): number => {
    for (const each of keys) {
      const order = compareKeys(each, a, b)
      if (order !== 0) return order
    }
    return 0
  }
  const places = onceOf(
    database.slices,
    () => ['group places', unordered],
    null,
    () => Int32Array.from(columns[0].keys()),
  )
  const order = orderedPositions(database.slices, ['group order', unordered], places, compare)
  return {
    count: order.length,
    columns: columns.map((column, at) => {
      const pass = passOf(database.slices, ['ordered groups', unordered, at], null)
      return mapped(pass, 'column', order.length, (place) => column[order[place]])
    }),
  }
}
