import type { StoredValue } from '../value/types.ts'
import type { Change, ChangeList } from './change-list.ts'
import { storageError } from './stored-key.ts'
import type { Table } from './table.ts'

/** A past version of a record: absent, or the values that differ from those in its columns. */
export interface PastRecord {
  readonly existed: boolean
  readonly birth: number
  readonly stamp: number
  readonly timestamp: number
  /** Column -> value then. Other columns had the value they have now. */
  readonly values: ReadonlyMap<number, StoredValue>
}

interface PastDraft {
  existed: boolean
  birth: number
  stamp: number
  timestamp: number
  values: Map<number, StoredValue>
}

/**
 * The change lists of the last commits, bounded by number and bytes; pins (snapshots) keep lists
 * beyond the bounds.
 */
export class History {
  readonly #maxCommits: number
  readonly #maxBytes: number
  #lists: ChangeList[] = []
  // What trimming reads of each list, by place: the oldest lists themselves are no longer in the
  // processor's caches.
  #stampsOf: number[] = []
  #bytesOf: number[] = []
  /** Lists before this place are dropped. The array is cut when half of it is. */
  #first = 0
  #bytes = 0
  /** Global stamps that must stay reachable, with the number of holders. */
  readonly #pins = new Map<number, number>()
  /** The oldest global stamp at which the store can be rebuilt. */
  #oldest: number

  constructor(globalStamp: number, limits: { readonly commits: number; readonly bytes: number }) {
    this.#oldest = globalStamp
    this.#maxCommits = limits.commits
    this.#maxBytes = limits.bytes
  }

  get oldest(): number {
    return this.#oldest
  }
  /** Number of commits in the history. */
  get commits(): number {
    return this.#lists.length - this.#first
  }
  /** Memory that they take, estimated. */
  get bytes(): number {
    return this.#bytes
  }

  push(list: ChangeList): void {
    this.#lists.push(list)
    this.#stampsOf.push(list.globalStamp)
    this.#bytesOf.push(list.bytes)
    this.#bytes += list.bytes
    this.#trim()
  }

  /** Drops all commits: nothing before `globalStamp` can be rebuilt, by snapshots either. */
  restart(globalStamp: number): void {
    this.#lists = []
    this.#stampsOf = []
    this.#bytesOf = []
    this.#first = 0
    this.#bytes = 0
    this.#pins.clear()
    this.#oldest = globalStamp
  }

  pin(globalStamp: number): void {
    this.#pins.set(globalStamp, (this.#pins.get(globalStamp) ?? 0) + 1)
  }
  unpin(globalStamp: number): void {
    const holders = (this.#pins.get(globalStamp) ?? 0) - 1
    if (holders > 0) this.#pins.set(globalStamp, holders)
    else this.#pins.delete(globalStamp)
    this.#trim()
  }

  /** Throws `historyTrimmed` if the store can no longer be rebuilt as of `globalStamp`. */
  mustReach(globalStamp: number): void {
    if (globalStamp < this.#oldest)
      throw storageError('historyTrimmed', { requested: globalStamp, oldest: this.#oldest })
  }

  /** The lists of all commits after `globalStamp`, oldest first. Throws `historyTrimmed`. */
  since(globalStamp: number): readonly ChangeList[] {
    this.mustReach(globalStamp)
    let from = this.#lists.length
    while (from > this.#first && this.#stampsOf[from - 1] > globalStamp) from--
    return this.#lists.slice(from)
  }

  /**
   * All records of a table that changed after `globalStamp`, as of that stamp. `open` are the
   * changes that the open transaction has written. Cost O(changes since). Throws `historyTrimmed`.
   */
  pastOf(table: Table, globalStamp: number, open: readonly Change[] = []): Map<number, PastRecord> {
    const past = new Map<number, PastDraft>()
    for (let i = open.length - 1; i >= 0; i--)
      if (open[i].table === table) rewind(past, table, open[i])
    const lists = this.since(globalStamp)
    for (let i = lists.length - 1; i >= 0; i--) {
      const { changes } = lists[i]
      for (let j = changes.length - 1; j >= 0; j--)
        if (changes[j].table === table) rewind(past, table, changes[j])
    }
    return past
  }

  /**
   * Records of a table that changed after `globalStamp`, some more than once; null if the history
   * does not reach so far. Cost O(changes since).
   */
  changedSlots(table: Table, globalStamp: number): readonly number[] | null {
    if (globalStamp < this.#oldest) return null
    const slots: number[] = []
    for (const { changes } of this.since(globalStamp)) {
      for (const change of changes) {
        if (change.table !== table) continue
        if (change.kind === 'load') for (const slot of change.slots) slots.push(slot)
        else slots.push(change.slot)
      }
    }
    return slots
  }

  #trim(): void {
    let keep = Number.POSITIVE_INFINITY
    if (this.#pins.size > 0) for (const stamp of this.#pins.keys()) keep = Math.min(keep, stamp)
    while (this.#first < this.#lists.length) {
      const kept = this.#lists.length - this.#first
      if (kept <= this.#maxCommits && this.#bytes <= this.#maxBytes) break
      const globalStamp = this.#stampsOf[this.#first]
      if (globalStamp > keep) break
      this.#bytes -= this.#bytesOf[this.#first]
      // The list may be large, and the array is cut later.
      this.#lists[this.#first] = DROPPED
      this.#oldest = globalStamp
      this.#first++
    }
    if (this.#first * 2 > this.#lists.length) {
      this.#lists = this.#lists.slice(this.#first)
      this.#stampsOf = this.#stampsOf.slice(this.#first)
      this.#bytesOf = this.#bytesOf.slice(this.#first)
      this.#first = 0
    }
  }
}

/** Stands in the place of a dropped list. */
const DROPPED: ChangeList = { globalStamp: -1, timestamp: 0, changes: [], sequences: [], bytes: 0 }

/**
 * The records of a table that some changes touched, as before them. The changes must be the newest.
 * Cost O(changes).
 */
export function recordsBefore(
  table: Table,
  changes: readonly Change[],
): ReadonlyMap<number, PastRecord> {
  const past = new Map<number, PastDraft>()
  for (let i = changes.length - 1; i >= 0; i--)
    if (changes[i].table === table) rewind(past, table, changes[i])
  return past
}

/** Takes a record one change back in time. */
function rewind(past: Map<number, PastDraft>, table: Table, change: Change): void {
  if (change.kind === 'load') {
    for (const slot of change.slots) past.set(slot, absent())
    return
  }
  const { slot } = change
  if (change.kind === 'insert') {
    past.set(slot, absent())
    return
  }
  if (change.kind === 'remove') {
    const values = new Map<number, StoredValue>()
    for (let ordinal = 0; ordinal < change.before.length; ordinal++)
      values.set(ordinal, change.before[ordinal])
    past.set(slot, {
      existed: true,
      birth: change.birth,
      stamp: change.stamp,
      timestamp: change.timestamp,
      values,
    })
    return
  }
  let draft = past.get(slot)
  if (draft === undefined) {
    draft = { existed: true, birth: table.births[slot], stamp: 0, timestamp: 0, values: new Map() }
    past.set(slot, draft)
  }
  for (let i = 0; i < change.ordinals.length; i++)
    draft.values.set(change.ordinals[i], change.before[i])
  draft.stamp = change.stamp
  draft.timestamp = change.timestamp
}

const absent = (): PastDraft => ({
  existed: false,
  birth: 0,
  stamp: 0,
  timestamp: 0,
  values: new Map(),
})
