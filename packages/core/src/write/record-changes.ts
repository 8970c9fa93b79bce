import type { RecordChange } from '../model/store-types.ts'
import type { ChangeList } from '../storage/change-list.ts'
import type { Table } from '../storage/table.ts'
import { present, sameValue } from '../value/compare.ts'
import { entryOf } from '../value/entry.ts'
import type { StoredValue } from '../value/types.ts'

/**
 * One record during one commit, read backwards: its values after it and, once all its changes are
 * read, before it.
 */
interface Span {
  readonly table: Table
  /** Place of its first change in the list. */
  first: number
  readonly after: readonly StoredValue[] | null
  before: readonly StoredValue[] | null
}

/**
 * The changes of commits, record by record, in order. Takes all lists after a global stamp, oldest
 * first, up to the newest: it finds the after-values by reading back from the current columns.
 * Several changes of a record in one commit become one. Cost O(changes x columns).
 */
export function recordChanges(lists: readonly ChangeList[]): RecordChange[] {
  const states = new Map<Table, Map<number, StoredValue[] | null>>()
  const changes: RecordChange[][] = []
  for (let i = lists.length - 1; i >= 0; i--) changes.push(changesOf(lists[i], states))
  return changes.reverse().flat()
}

function changesOf(
  list: ChangeList,
  states: Map<Table, Map<number, StoredValue[] | null>>,
): RecordChange[] {
  const spans: Span[] = []
  const open = new Map<Table, Map<number, Span>>()
  for (let i = list.changes.length - 1; i >= 0; i--) {
    const change = list.changes[i]
    const { table } = change
    const state = entryOf(states, table, () => new Map())
    const openHere = entryOf(open, table, () => new Map<number, Span>())
    const spanAt = (slot: number): Span => {
      const span = entryOf(openHere, slot, () => {
        const now = valuesAt(state, table, slot)
        const opened = { table, first: i, after: now === null ? null : now.slice(), before: null }
        spans.push(opened)
        return opened
      })
      span.first = i
      return span
    }
    switch (change.kind) {
      case 'load':
        for (let at = change.slots.length - 1; at >= 0; at--) {
          spanAt(change.slots[at])
          close(openHere, state, change.slots[at])
        }
        break
      case 'insert':
        spanAt(change.slot)
        close(openHere, state, change.slot)
        break
      case 'update': {
        const span = spanAt(change.slot)
        const values = valuesAt(state, table, change.slot) as StoredValue[]
        for (let at = 0; at < change.ordinals.length; at++)
          values[change.ordinals[at]] = change.before[at]
        span.before = values.slice()
        break
      }
      case 'remove': {
        // After the removal the slot is empty, or has another record.
        state.set(change.slot, null)
        openHere.delete(change.slot)
        spanAt(change.slot).before = change.before
        state.set(change.slot, change.before.slice())
        break
      }
    }
  }
  // The records of one load share a place, and were read backwards: reverse before the stable sort.
  spans.reverse().sort((a, b) => a.first - b.first)
  return (
    spans
      .filter(({ before, after }) => before !== null || after !== null)
      // A restore may change a record and change it back.
      .filter(
        ({ before, after }) =>
          before === null ||
          after === null ||
          before.some((value, i) => !sameValue(value, after[i])),
      )
      .map((span) => changeOf(list.globalStamp, span))
  )
}

/** An insertion ends a record's span: before it, the slot was empty. */
function close(
  open: Map<number, Span>,
  state: Map<number, StoredValue[] | null>,
  slot: number,
): void {
  const span = open.get(slot)
  if (span !== undefined) span.before = null
  open.delete(slot)
  state.set(slot, null)
}

const valuesAt = (
  state: Map<number, StoredValue[] | null>,
  table: Table,
  slot: number,
): StoredValue[] | null =>
  entryOf(state, slot, () => (table.isLive(slot) ? table.readAll(slot) : null))

function changeOf(globalStamp: number, { table, before, after }: Span): RecordChange {
  const values = (after ?? before) as readonly StoredValue[]
  return Object.freeze({
    globalStamp,
    dataClass: table.model.name,
    key: values[table.model.key.ordinal] as string | number,
    kind: before === null ? 'insert' : after === null ? 'remove' : 'update',
    before: presented(table, before),
    after: presented(table, after),
  })
}

function presented(
  table: Table,
  values: readonly StoredValue[] | null,
): { readonly [name: string]: unknown } | null {
  if (values === null) return null
  const entries = table.model.storage.map(({ name, type, dateOnly, ordinal }) => [
    name,
    present(type, dateOnly, values[ordinal]),
  ])
  return Object.freeze(Object.fromEntries(entries))
}
