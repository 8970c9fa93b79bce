import type { Database } from '../execute/database.ts'
import type { Steps } from '../execute/steps.ts'
import { livingSlots } from '../execute/time-slices.ts'
import type { ResolvedPath } from '../model/path.ts'
import type { Column } from '../storage/column.ts'
import type { RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'

/** Records in record order, or values that were derived from each of them. */
export interface Members {
  /** Record numbers. Null for all numbers below `count`, and for derived values. */
  readonly slots: Int32Array | null
  readonly count: number
}

/** The members of a set, or every living record if it is null. */
export function listMembers({ slices }: Database, table: Table, set: RecordSet | null): Members {
  if (set === null && table.liveCount === table.length) return derived(table.length)
  return listed(livingSlots(slices, table, set))
}

export const listed = (slots: Int32Array): Members => ({ slots, count: slots.length })

/** Values by place that were derived from members. */
export const derived = (count: number): Members => ({ slots: null, count })

export const slotAt = ({ slots }: Members, at: number): number => (slots === null ? at : slots[at])

/** The column that a path ends with; null for a computed attribute and for a property. */
export const columnOf = (
  database: Database,
  { attribute, properties }: Pick<ResolvedPath, 'attribute' | 'properties'>,
): Column | null =>
  attribute.kind === 'storage' && properties.length === 0
    ? database.tableOf(attribute.owner).columns[attribute.ordinal]
    : null

/** What a computation of groups reads, and its steps. */
export interface GroupRun {
  readonly database: Database
  readonly steps: Steps
}

/** Steps that read records count as visits of a sliced read; passes over codes do not. */
export const READS_RECORDS = 1
