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
  for (let i = changes.length - 1; i >= 0; i--)
    for (const slot of slotsOf(changes[i])) {
      const table = changes[i].table as WorkingTable
      const inTable = spans.get(table) ?? new Map<number, Span>()
      spans.set(table, inTable)
      let span = inTable.get(slot)
      if (span === undefined) inTable.set(slot, (span = spanOf(table, slot)))
      rewind(span, changes[i])
    }
  const seen = new Set<Span>()
  for (const change of changes)
    for (const slot of slotsOf(change)) {
      const span = spans.get(change.table as WorkingTable)?.get(slot) as Span
      if (!seen.has(span) && (span.before !== null || span.after !== null)) ordered.push(span)
      seen.add(span)
    }
  return {
    globalStamp,
    timestamp,
    changes: ordered.map(changeOf),
    sequences: sequences.map(({ table }) => ({ dataClass: table.model, next: table.sequence })),
  }
}

const slotsOf = (change: Change): ArrayLike<number> & Iterable<number> =>
  change.kind === 'load' ? change.slots : [change.slot]

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
