import {
  type Change,
  type ChangeList,
  type Key,
  type StoredValue,
  sameValue,
} from '@entia/core/internal'
import type { WorkingChange, WorkingCommit } from './effects.ts'
import type { WorkingTable } from './working-table.ts'

/** One record in a commit, read backwards from its values after it. */
interface Span {
  readonly table: WorkingTable
  readonly slot: number
  readonly after: readonly StoredValue[] | null
  /** Its values before the changes read so far; null where it did not exist. */
  before: StoredValue[] | null
  stamp: number
  timestamp: number
  isListed: boolean
}

/** A commit as data. Call it while the columns hold its results. Cost: O(changes x columns). */
export function commitOf({
  globalStamp,
  timestamp,
  changes,
  sequences,
}: ChangeList): WorkingCommit {
  // A slot is not used again, so that it stands for one record.
  const spans = new Map<WorkingTable, Map<number, Span>>()
  const ordered: Span[] = []
  const backwards = (change: Change, slot: number): void => {
    const table = change.table as WorkingTable
    let inTable = spans.get(table)
    if (inTable === undefined) spans.set(table, (inTable = new Map()))
    let span = inTable.get(slot)
    if (span === undefined) inTable.set(slot, (span = spanOf(table, slot)))
    rewind(span, change)
  }
  const inOrder = (change: Change, slot: number): void => {
    const span = spans.get(change.table as WorkingTable)?.get(slot) as Span
    if (!span.isListed && (span.before !== null || span.after !== null)) ordered.push(span)
    span.isListed = true
  }
  for (let i = changes.length - 1; i >= 0; i--) eachSlot(changes[i], backwards)
  for (const change of changes) eachSlot(change, inOrder)
  return {
    globalStamp,
    timestamp,
    changes: ordered.map(changeOf),
    sequences: sequences.map(({ table }) => ({ dataClass: table.model, next: table.sequence })),
  }
}

function eachSlot(change: Change, take: (change: Change, slot: number) => void): void {
  if (change.kind !== 'load') take(change, change.slot)
  else for (const slot of change.slots) take(change, slot)
}

function spanOf(table: WorkingTable, slot: number): Span {
  const after = table.isLive(slot) ? table.readAll(slot) : null
  const stamp = table.stamps[slot]
  return {
    table,
    slot,
    after,
    before: after?.slice() ?? null,
    stamp,
    timestamp: table.timestamps[slot],
    isListed: false,
  }
}

function rewind(span: Span, change: Change): void {
  switch (change.kind) {
    case 'insert':
    case 'load':
      span.before = null
      return
    case 'update': {
      const values = span.before as StoredValue[]
      for (let i = 0; i < change.ordinals.length; i++) values[change.ordinals[i]] = change.before[i]
      return
    }
    case 'remove':
      span.before = change.before.slice()
      if (span.after !== null) return
      span.stamp = change.stamp
      span.timestamp = change.timestamp
  }
}

function changeOf({ table, slot, before, after, stamp, timestamp }: Span): WorkingChange {
  const { model } = table
  const key = ((after ?? before) as readonly StoredValue[])[model.key.ordinal] as Key
  const changed: number[] = []
  if (before !== null && after !== null)
    for (let i = 0; i < after.length; i++) if (!sameValue(before[i], after[i])) changed.push(i)
  return {
    dataClass: model,
    kind: before === null ? 'insert' : after === null ? 'remove' : 'update',
    record: table.rowAt(slot)?.record ?? null,
    key,
    stamp,
    timestamp,
    before,
    after,
    changed,
  }
}
