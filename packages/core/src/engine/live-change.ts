import { hasBit } from '../storage/bitset.ts'
import type { PastRecord } from '../storage/history.ts'
import type { Table } from '../storage/table.ts'
import { isAsBefore } from './undo-commits.ts'

type Key = string | number

/** Records that a commit changed: by slot, the key of who stood there before, null where nobody did. */
export type Touched = ReadonlyMap<number, Key | null>

/** What a commit did to one table. */
export interface TableChange {
  readonly touched: Touched
  /** The touched records as they were before it; null where that is not known. */
  readonly past: ReadonlyMap<number, PastRecord> | null
}

/** What became of a result, as slots and keys. */
export interface ResultChange {
  readonly entered: Int32Array
  readonly changed: Int32Array
  readonly left: readonly Key[]
  readonly order: readonly Key[] | null
}

/** The records, with the key of before, that are not what they were. Cost: O(records). */
export function touchedOf(table: Table, past: ReadonlyMap<number, PastRecord>): Map<number, Key | null> {
  const touched = new Map<number, Key | null>()
  for (const [slot, record] of past)
    if (!isAsBefore(table, slot, record)) touched.set(slot, record.existed ? keyBefore(table, slot, record) : null)
  return touched
}

const keyBefore = (table: Table, slot: number, { values }: PastRecord): Key => {
  const { ordinal } = table.model.key
  return (values.has(ordinal) ? values.get(ordinal) : table.read(slot, ordinal)) as Key
}

/** Records that are in one of two sets only, and those in the second that were changed. */
export function candidates(before: Int32Array, now: Int32Array, touched: Touched): number[] {
  const out: number[] = []
  for (let i = 0; i < Math.max(before.length, now.length); i++) {
    let word = (before[i] ?? 0) ^ (now[i] ?? 0)
    for (; word !== 0; word &= word - 1) out.push((i << 5) + 31 - Math.clz32(word & -word))
  }
  for (const slot of touched.keys()) if (hasBit(before, slot) && hasBit(now, slot)) out.push(slot)
  return out
}
