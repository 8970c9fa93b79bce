import { type Change, type ChangeList, ChangeRecorder } from '../storage/change-list.ts'
import { checkSizes } from '../storage/check-sizes.ts'
import type { History, PastRecord } from '../storage/history.ts'
import type { Table } from '../storage/table.ts'
import type { TransactionPort } from '../transaction/port.ts'
import { sameValue } from '../value/same-value.ts'

/**
 * Undoes all commits after a global stamp. Returns the recorder of these changes, or null where the
 * commits undo each other. `undone` is called after the last change. When an error is thrown,
 * `rollback` has undone the changes.
 */
export function undoSince(
  history: History,
  globalStamp: number,
  port: TransactionPort,
  undone: () => void,
  rollback: (recorder: ChangeRecorder) => void,
): ChangeRecorder | null {
  const lists = history.since(globalStamp)
  if (isUndoneAlready(history, lists, globalStamp)) return null
  const recorder = new ChangeRecorder()
  try {
    undoCommits(recorder, lists, port)
    undone()
    return recorder
  } catch (error) {
    rollback(recorder)
    throw error
  }
}

/**
 * Undoes commits, newest first, and records the changes. `nextBirth` advances the allocation clock;
 * tests pass `allocation`, which is called before every step. Cost O(changes). Throws
 * `commitTooLarge`; the caller then rolls back the recorder.
 */
function undoCommits(
  recorder: ChangeRecorder,
  lists: readonly ChangeList[],
  { nextBirth, allocation }: Pick<TransactionPort, 'nextBirth' | 'allocation'>,
): void {
  const clock = nextBirth()
  for (let i = lists.length - 1; i >= 0; i--) {
    const { changes, sequences } = lists[i]
    for (let at = changes.length - 1; at >= 0; at--) {
      allocation?.()
      recorder.undo(changes[at], clock)
    }
    for (let at = sequences.length - 1; at >= 0; at--)
      recorder.setSequence(sequences[at].table, sequences[at].before)
  }
  checkSizes(recorder.changes)
}

/**
 * True when undoing some commits changes nothing, because they undo each other. Cost O(changes),
 * without writes; usually O(1), where the record that changed first is different now.
 */
function isUndoneAlready(
  history: History,
  lists: readonly ChangeList[],
  globalStamp: number,
): boolean {
  if (lists.length > 0 && lists[0].changes.length > 0 && isOtherNow(lists[0].changes[0]))
    return false
  const sequences = new Map<Table, number>()
  const tables = new Set<Table>()
  for (const list of lists) {
    for (const { table, before } of list.sequences)
      if (!sequences.has(table)) sequences.set(table, before)
    for (const { table } of list.changes) tables.add(table)
  }
  for (const [table, before] of sequences) if (table.sequence !== before) return false
  for (const table of tables) {
    for (const [slot, past] of history.pastOf(table, globalStamp))
      if (!isAsBefore(table, slot, past)) return false
  }
  return true
}

/** True when a record certainly differs from its state before a change. */
function isOtherNow(change: Change): boolean {
  const { kind, table } = change
  if (kind === 'load') return change.slots.length > 0 && table.isLive(change.slots[0])
  const isLive = table.isLive(change.slot)
  return kind === 'insert' ? isLive : !isLive || table.stamps[change.slot] !== change.stamp
}

/** True when a record equals its past state. */
export function isAsBefore(table: Table, slot: number, past: PastRecord): boolean {
  if (past.existed !== table.isLive(slot)) return false
  if (!past.existed) return true
  if (
    past.birth !== table.births[slot] ||
    past.stamp !== table.stamps[slot] ||
    past.timestamp !== table.timestamps[slot]
  )
    return false
  for (const [ordinal, value] of past.values)
    if (!sameValue(value, table.read(slot, ordinal))) return false
  return true
}
