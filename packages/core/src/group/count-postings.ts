import type { Database } from '../execute/database.ts'
import type { ToOneAttribute } from '../model/catalog.ts'
import type { AttributeIndex } from '../storage/attribute-index.ts'
import { WordColumn } from '../storage/column.ts'
import type { PostingLists } from '../storage/posting-lists.ts'
import { slotsOf } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import { forMembers, listed, slotOf } from './members.ts'
import { type ValuePath, valueCodes } from './value-codes.ts'

/** Groups that are only counted: their values and numbers of members. */
export interface CountedGroups {
  readonly values: readonly unknown[]
  readonly counts: readonly number[]
}

/**
 * The words of a column, with the numbers of living records that the dictionary keeps. Cost:
 * O(words).
 */
export function countWords({ dictionary: { counts, spellings } }: WordColumn): CountedGroups {
  const found: CountedGroups & { values: unknown[]; counts: number[] } = { values: [], counts: [] }
  for (let code = 0; code < spellings.length; code++) {
    if (counts[code] === 0) continue
    found.values.push(code === 0 ? null : spellings[code])
    found.counts.push(counts[code])
  }
  return found
}

/**
 * All records of a table by a value behind a to-one relation: reads each related entity once, and
 * the length of its posting list. Cost: O(related entities).
 */
export function countPostings(
  database: Database,
  table: Table,
  term: ValuePath,
  relation: ToOneAttribute,
): CountedGroups {
  const { target, foreignKey } = relation
  const related = database.tableOf(target)
  const visible = database.visibleIn(target)
  const members = listed(visible === null ? related.liveSlots() : slotsOf(visible.set()))
  const inner = { ...term, steps: term.steps.slice(1) }
  const { codes, limit, valueAt } = valueCodes(database, inner, members)
  const index = table.indexes[foreignKey.ordinal] as AttributeIndex
  const postings = index.postings as PostingLists
  const key = related.columns[target.key.ordinal]
  const start = () => ({
    counts: new Float64Array(limit),
    firsts: new Int32Array(limit).fill(-1),
    entries: new Int32Array(limit).fill(-1),
  })
  const memoKey = ['group postings', database, relation, term.name]
  const all = forMembers(database, memoKey, members, start, (state, from, to) => {
    const { counts, firsts, entries } = state
    for (let i = from; i < to; i++) {
      const list = index.listOfValue(key.read(slotOf(members, i)) as string | number)
      const length = list === 0 ? 0 : postings.length(list)
      if (length === 0) continue
      const code = codes[i]
      counts[code] += length
      // The group has the spelling of its first member.
      const first = postings.data[postings.start(list)]
      if (entries[code] < 0 || first < firsts[code]) {
        firsts[code] = first
        entries[code] = i
      }
    }
  })
  const values: unknown[] = []
  const counts: number[] = []
  let others = table.liveCount
  for (let code = 1; code < limit; code++) {
    if (all.counts[code] === 0) continue
    values.push(valueAt(all.entries[code]))
    counts.push(all.counts[code])
    others -= all.counts[code]
  }
  if (others > 0) {
    values.push(null)
    counts.push(others)
  }
  return { values, counts }
}

/** The column whose dictionary counts the groups; null for other paths. */
export function countedColumn(
  database: Database,
  { path: { attribute, properties }, steps, span }: ValuePath,
): WordColumn | null {
  if (attribute.kind !== 'storage' || properties.length > 0 || steps.length > 0 || span !== null)
    return null
  const column = database.tableOf(attribute.owner).columns[attribute.ordinal]
  return column instanceof WordColumn && !column.dictionary.sharesKeys ? column : null
}
