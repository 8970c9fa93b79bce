import { keysOf } from '../selection/member-keys.ts'
import type { PastRecord } from '../storage/history.ts'
import { contains, type RecordSet, slotsOf } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import { isAsBefore } from '../write/undo-commits.ts'

type Key = string | number

/** Records that a commit changed: by slot, the key of the record that was there before, or null. */
export type Touched = ReadonlyMap<number, Key | null>

/** The changes of a commit to one table. */
export interface TableChange {
  readonly touched: Touched
  /** The touched records as they were before the commit. */
  readonly past: ReadonlyMap<number, PastRecord>
}

/** The changes to a result, as slots and keys. */
export interface ResultChange {
  readonly entered: readonly number[]
  readonly changed: readonly number[]
  readonly left: readonly Key[]
}

/** Whether a record is in a result, and whether it was. */
export interface Standing {
  readonly slot: number
  readonly was: boolean
  readonly is: boolean
}

/** How one commit may affect a result. */
export interface Concern {
  /**
   * Saved records of the query's own dataclass that may be in the result or may have been, each
   * once.
   */
  readonly saved: number[]
  /** Records that may be affected through a relation; null if there are none. */
  moved: Set<number> | null
  /** True if it is unknown which records these are. */
  isMoved: boolean
  /** Records whose related values, as the caller shows them, may differ; null if there are none. */
  shown: Set<number> | null
}

/** Commits that could not be evaluated: the state before the first of them. */
export interface Pending {
  readonly touched: Map<number, Key | null>
  /** For an incremental result: whether a record was in it. */
  readonly was: Map<number, boolean>
}

/** The records that differ from before, each with its key from before. Cost: O(records). */
export function touchedOf(
  table: Table,
  past: ReadonlyMap<number, PastRecord>,
): Map<number, Key | null> {
  const touched = new Map<number, Key | null>()
  for (const [slot, record] of past)
    if (!isAsBefore(table, slot, record))
      touched.set(slot, record.existed ? keyBefore(table, slot, record) : null)
  return touched
}

const keyBefore = (table: Table, slot: number, { values }: PastRecord): Key => {
  const { ordinal } = table.model.key
  return (values.has(ordinal) ? values.get(ordinal) : table.read(slot, ordinal)) as Key
}

/**
 * The entities that entered, changed or left, from records that are or were in a result. Null if
 * there are none and the order is the same. A key that left with one record and entered with
 * another counts as changed. A record that is not in `touched` does not count.
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
    const then = !was
      ? null
      : isSaved
        ? (touched.get(slot) as Key)
        : (table.read(slot, ordinal) as Key)
    if (was && is && then === now) {
      changed.push(slot)
      continue
    }
    if (was) left.push(then as Key)
    if (is) entered.push(slot)
  }
  if (entered.length > 0 && left.length > 0) return withoutReplaced(table, entered, changed, left)
  return entered.length + changed.length + left.length === 0 && !isReordered
    ? null
    : { entered, changed, left }
}

/** The same, with keys that are in both lists counted as changed. */
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

/** The saved records, and those that are shown with other related values: both are reported. */
export function reportedOf(
  table: Table,
  saved: Touched,
  shown: ReadonlySet<number> | null,
): Touched {
  if (shown === null) return saved
  const reported = new Map(saved)
  const { ordinal } = table.model.key
  for (const slot of shown)
    if (!saved.has(slot) && table.isLive(slot)) reported.set(slot, table.read(slot, ordinal) as Key)
  return reported
}

/** The records of two sets, with the sets that they are in. */
export function* standingsOf(before: RecordSet, now: RecordSet): Iterable<Standing> {
  for (const slot of slotsOf(before)) yield { slot, was: true, is: contains(now, slot) }
  for (const slot of slotsOf(now)) if (!contains(before, slot)) yield { slot, was: false, is: true }
}

/**
 * Call it before all data is replaced, and the returned function after that: every record of before
 * and after is then pending. `isTested` if the result is incremental.
 */
export function beforeReplace(table: Table, members: RecordSet, isTested: boolean): () => Pending {
  const slots = slotsOf(members)
  const keys = keysOf(table, slots)
  const touched = new Map<number, Key | null>()
  const was = new Map<number, boolean>()
  for (let i = 0; i < slots.length; i++) {
    touched.set(slots[i], keys[i])
    if (isTested) was.set(slots[i], true)
  }
  return () => {
    for (let slot = 0; slot < table.length; slot++) {
      if (!table.isLive(slot) || touched.has(slot)) continue
      touched.set(slot, null)
      if (isTested) was.set(slot, false)
    }
    return { touched, was }
  }
}
