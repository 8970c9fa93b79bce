import type { PastRecord } from '../storage/history.ts'
import type { Table } from '../storage/table.ts'
import { isAsBefore } from '../write/undo-commits.ts'

type Key = string | number

/** Records that a commit changed: by slot, the key of the record that stood there before, null where none did. */
export type Touched = ReadonlyMap<number, Key | null>

/** What a commit did to one table. */
export interface TableChange {
  readonly touched: Touched
  /** The touched records as they were before it. */
  readonly past: ReadonlyMap<number, PastRecord>
}

/** What became of a result, as slots and keys. */
export interface ResultChange {
  readonly entered: readonly number[]
  readonly changed: readonly number[]
  readonly left: readonly Key[]
}

/** A record that is in a result, or was. */
export interface Standing {
  readonly slot: number
  readonly was: boolean
  readonly is: boolean
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

/**
 * Which entities entered, changed or left, of records that are or were in a result; null where none did and the order is as it was. A key that
 * left with one record and entered with another is an entity that changed; a record that was not saved is none.
 */
export function changeOfResult(
  table: Table,
  standings: Iterable<Standing>,
  touched: Touched,
  isReordered: boolean,
): ResultChange | null {
  const { ordinal } = table.model.key
  const entered: number[] = []
  const changed: number[] = []
  const left: Key[] = []
  for (const { slot, was, is } of standings) {
    const isSaved = touched.has(slot)
    if (was && is && !isSaved) continue
    const now = is ? (table.read(slot, ordinal) as Key) : null
    const then = !was ? null : isSaved ? (touched.get(slot) as Key) : (table.read(slot, ordinal) as Key)
    if (was && is && then === now) {
      changed.push(slot)
      continue
    }
    if (was) left.push(then as Key)
    if (is) entered.push(slot)
  }
  if (entered.length > 0 && left.length > 0) return withoutReplaced(table, entered, changed, left)
  return entered.length + changed.length + left.length === 0 && !isReordered ? null : { entered, changed, left }
}

/** The same, where a key that is in two of the lists has changed. */
function withoutReplaced(
  table: Table,
  entered: readonly number[],
  changed: readonly number[],
  left: readonly Key[],
): ResultChange {
  const { ordinal } = table.model.key
  const gone = new Set(left)
  const isNew = new Set(entered.filter((slot) => !gone.delete(table.read(slot, ordinal) as Key)))
  const replaced = entered.filter((slot) => !isNew.has(slot))
  return { entered: [...isNew], changed: [...changed, ...replaced], left: [...gone] }
}
