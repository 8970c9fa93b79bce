import type { Database } from '../execute/database.ts'
import { compareKeys, keysInPasses } from '../execute/order-keys.ts'
import { Steps } from '../execute/steps.ts'
import type { RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import { aggregateGroups } from './aggregate-groups.ts'
import { type BoundGrouping, type GroupPlan, planGrouping } from './bind-grouping.ts'
import { replaceCodes, scalarCodes } from './column-codes.ts'
import { countPostings, countWords, type Groups } from './fold-numbers-by-group.ts'
import { type GroupRun, listed, listMembers, type Members } from './members.ts'
import { keyReader, pairEntries, type ValueCodes, valueCodes } from './value-codes.ts'

/** Products of codes below this many times the members need no hash. */
const MAX_SPREAD = 4
const MIN_CODES = 65_536
/** Several arrays of one member are combined with each other. */
const MAX_ENTRIES = 1 << 24

/** Members by the values of several paths. */
interface Combined extends Groups {
  /**
   * The members, or their entries: a member with an array has an entry for each combination of
   * elements.
   */
  readonly members: Members
  /** By path: the entry of its codes for each entry here; null if both have the same place. */
  readonly entries: readonly (Int32Array | null)[]
}

/** Groups members by several values. Cost: O(members) for each. */
function combineCodes(run: GroupRun, members: Members, parts: readonly ValueCodes[]): Combined {
  const { steps } = run
  const spread = steps.once(() =>
    parts.some(({ places }) => places !== null) ? spreadMembers(run, members, parts) : null,
  )
  const entries = spread?.entries ?? parts.map(() => null)
  const among = spread?.members ?? members
  const codesOf = (part: number): Int32Array => {
    const at = entries[part]
    return at === null ? parts[part].codes : replaceCodes(run, at, parts[part].codes)
  }
  let codes = codesOf(0)
  let { limit } = parts[0]
  for (let part = 1; part < parts.length; part++) {
    const own = codesOf(part)
    const radix = parts[part].limit
    const left = codes
    if (limit * radix <= MIN_CODES + among.count * MAX_SPREAD) {
      const start = (): Int32Array => new Int32Array(among.count)
      codes = steps.loop(among.count, start, (out, from, to) => {
        for (let i = from; i < to; i++) out[i] = left[i] * radix + own[i]
      })
      limit *= radix
    } else {
      // Both are 32-bit codes, so that no two products are equal.
      const coded = scalarCodes(run, among, (at) => left[at] * radix + own[at])
      codes = coded.codes
      limit = coded.limit
    }
  }
  return { codes, limit, members: among, entries }
}

/** The entries of members for each combination of the elements of their arrays. */
function spreadMembers(
  run: GroupRun,
  members: Members,
  parts: readonly ValueCodes[],
): { readonly members: Members; readonly entries: readonly Int32Array[] } {
  const { steps } = run
  let places: Int32Array = Int32Array.from({ length: members.count }, (_, place) => place)
  let entries: Int32Array[] = []
  for (const part of parts) {
    const before = places
    const { rows, entries: own } = pairEntries(
      steps,
      before,
      part.places,
      members.count,
      MAX_ENTRIES,
    )
    places = replaceCodes(run, rows, before)
    entries = [...entries.map((each) => replaceCodes(run, rows, each)), own]
  }
  const { slots } = members
  return { members: listed(slots === null ? places : places.map((at) => slots[at])), entries }
}

/** Groups in the order of their values. */
export interface GroupTable {
  readonly count: number
  /**
   * By column, then by group: the values of the attributes (see `shownValue`), the number of
   * members if it is requested, then the aggregates of each path.
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
  const all = plan.kind === 'columns' ? listMembers(database, table, set) : null
  const { terms, isCounted, aggregated } = bound
  const memoKey = (): readonly unknown[] => ['grouped', database, terms, isCounted, aggregated]
  const steps = Steps.in(database.slices, memoKey, all?.slots)
  return steps.once(() => {
    const run = { database, steps }
    const columns = steps.once(() => {
      if (plan.kind === 'columns') return groupColumns(run, all as Members, bound)
      const { values, counts } =
        plan.kind === 'words'
          ? countWords(plan.column)
          : countPostings(run, table, terms[0], plan.relation)
      return isCounted ? [values, counts] : [values]
    })
    return { ...inOrder(steps, bound, columns), plan }
  })
}

/** One pass over the members for each attribute and each aggregated path. */
function groupColumns(
  run: GroupRun,
  all: Members,
  { terms, isCounted, aggregated }: BoundGrouping,
): readonly (readonly unknown[])[] {
  const { steps } = run
  const coded = terms.map((term) => valueCodes(run, term, all))
  const groups = steps.once(() => combineCodes(run, all, coded))
  const { members, codes, limit, entries } = groups
  const start = () => ({
    counts: new Int32Array(limit),
    firsts: new Int32Array(limit),
  })
  const { counts, firsts } = steps.loop(codes.length, start, ({ counts, firsts }, from, to) =>
    countMembers(counts, firsts, codes, from, to),
  )
  const noCodes = (): number[] => []
  const found = steps.loop(limit, noCodes, (codes, from, to) => {
    for (let code = from; code < to; code++) if (counts[code] > 0) codes.push(code)
  })
  const readColumn = (read: (code: number) => unknown): unknown[] =>
    steps.map(found.length, (at) => read(found[at]))
  const values = coded.map(({ valueAt }, at) => {
    const entriesAt = entries[at]
    return readColumn((code) =>
      valueAt(entriesAt === null ? firsts[code] : entriesAt[firsts[code]]),
    )
  })
  const sizes = isCounted ? [readColumn((code) => counts[code])] : []
  const aggregates = aggregated.flatMap((path) =>
    steps.once(() => aggregateGroups(run, path, members, groups).map(readColumn)),
  )
  return [...values, ...sizes, ...aggregates]
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
  steps: Steps,
  { terms }: BoundGrouping,
  columns: GroupTable['columns'],
): Pick<GroupTable, 'count' | 'columns'> {
  const [{ length }] = columns
  const keys = terms.map((term, at) => {
    const toKey = keyReader(term)
    return steps.once(() => keysInPasses(steps, length, (group) => toKey(columns[at][group])))
  })
  const compare = (a: number, b: number): number => {
    for (const each of keys) {
      const order = compareKeys(each, a, b)
      if (order !== 0) return order
    }
    return 0
  }
  // Codes of numbers are found in the order of the numbers.
  const { isOrdered } = steps.loop(
    length - 1,
    () => ({ isOrdered: true }),
    (all, from, to) => {
      for (let at = from; at < to && all.isOrdered; at++) all.isOrdered = compare(at, at + 1) < 0
      return all.isOrdered
    },
  )
  if (isOrdered) return { count: length, columns }
  const order = steps.sort(length, compare)
  return {
    count: length,
    columns: columns.map((column) => steps.map(length, (place) => column[order[place]])),
  }
}
