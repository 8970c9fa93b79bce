import type { ClassModel, StorageAttribute } from '../model/catalog.ts'
import type { IndexRanges } from '../plan/key-range.ts'
import type { IndexAccess } from '../plan/physical-plan.ts'
import type { Sought } from '../plan/sought.ts'
import type { Counts } from '../plan/statistics.ts'
import { WordColumn } from '../storage/column.ts'
import type { Table } from '../storage/table.ts'
import type { Database } from './database.ts'
import { pointAccess } from './point-access.ts'

const SAMPLE = 64

/** What counts need to know of the state that is read. */
export interface ScannedMoment {
  readonly isProvisional: boolean
  /** True in a store that holds only some entities; see `StageSet.mayDangle`. */
  readonly mayDangle?: boolean
}

/** Counts of a store that looks up single values and scans for all else. */
export class ScanCounts implements Counts {
  protected readonly database: Database
  readonly #moment: ScannedMoment

  constructor(database: Database, moment: ScannedMoment) {
    this.database = database
    this.#moment = moment
  }

  get mayDangle(): boolean {
    return this.#moment.isProvisional || this.#moment.mayDangle === true
  }
  rowCount(dataClass: ClassModel): number {
    return this.database.tableOf(dataClass).liveCount
  }
  access(attribute: StorageAttribute, sought: Sought): IndexAccess | null {
    return pointAccess(this.database.tableOf(attribute.owner), attribute, sought)
  }
  sampledShare(attribute: StorageAttribute, ranges: IndexRanges): number {
    return sampledShare(this.database.tableOf(attribute.owner), attribute, ranges)
  }
}

/**
 * The share of living records in a sample that the ranges select. It is never 0 or 1, which a
 * sample cannot prove.
 */
function sampledShare(table: Table, attribute: StorageAttribute, ranges: IndexRanges): number {
  const column = table.columns[attribute.ordinal]
  if (table.liveCount === 0) return 0
  if (column instanceof WordColumn && ranges.kind === 'text' && ranges.isPoints) {
    let rows = 0
    for (const { low } of ranges.ranges)
      for (const code of column.dictionary.codesOfKey(low)) rows += column.dictionary.counts[code]
    return rows / table.liveCount
  }
  const step = Math.max(1, Math.floor(table.length / SAMPLE))
  let seen = 0
  let selected = 0
  for (let slot = 0; slot < table.length; slot += step) {
    if (!table.isLive(slot)) continue
    seen++
    const key =
      column.layout === 'text'
        ? column.keys[slot]
        : column.layout === 'word'
          ? wordKey(column, slot)
          : scalarKey(column.read(slot))
    if (key === null ? ranges.nulls : isWithin(ranges, key)) selected++
  }
  return (selected + 0.5) / (seen + 1)
}

const wordKey = (column: WordColumn, slot: number): string | null =>
  column.codes[slot] === 0 ? null : column.dictionary.keys[column.codes[slot]]
const scalarKey = (value: unknown): number | null =>
  value === null
    ? null
    : typeof value === 'boolean'
      ? Number(value)
      : typeof value === 'number'
        ? value
        : null

function isWithin(ranges: IndexRanges, key: string | number): boolean {
  // Finds the last range that begins at or before the key by bisection: there may be thousands.
  let at = 0
  let end = ranges.ranges.length
  while (at < end) {
    const middle = (at + end) >>> 1
    if (ranges.ranges[middle].low <= key) at = middle + 1
    else end = middle
  }
  if (at === 0) return false
  if (ranges.kind === 'number') return (key as number) <= ranges.ranges[at - 1].high
  const { high } = ranges.ranges[at - 1]
  return high === null || (key as string) < high
}
