import type { StoredValue } from '../value/types.ts'
import type { Change, ChangeList } from './change-list.ts'
import { CommitLog } from './commit-log.ts'
import { storageError } from './stored-key.ts'
import type { Table } from './table.ts'

interface PastDraft {
  existed: boolean
  birth: number
  stamp: number
  timestamp: number
  /** Column -> value then. Other columns had the value they have now. */
  readonly values: Map<number, StoredValue>
}

/** A past version of a record: absent, or the values that differ from those in its columns. */
export type PastRecord = Readonly<PastDraft>

/**
 * The change lists of the last commits, bounded by number and bytes; pins (snapshots) keep lists
 * beyond the bounds.
 */
export class History {
  readonly #maxCommits: number
  readonly #maxBytes: number
  #log = new CommitLog()
  #bytes = 0
  #pins = new PinnedStamps()
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
    return this.#log.end - this.#log.first
  }
  /** Memory that they take, estimated. */
  get bytes(): number {
    return this.#bytes
  }

  push(list: ChangeList): void {
    this.#log.push(list)
    this.#bytes += list.bytes
    this.#trim()
  }

  /** Drops all commits: nothing before `globalStamp` can be rebuilt, by snapshots either. */
  restart(globalStamp: number): void {
    this.#log = new CommitLog()
    this.#bytes = 0
    this.#pins = new PinnedStamps()
    this.#oldest = globalStamp
  }

  pin(globalStamp: number): void {
    this.#pins.add(globalStamp)
  }
  unpin(globalStamp: number): void {
    this.#pins.remove(globalStamp)
    this.#trim()
  }

  /** Throws `historyTrimmed` if the store can no longer be rebuilt as of `globalStamp`. */
  mustReach(globalStamp: number): void {
    if (globalStamp < this.#oldest)
      throw storageError('historyTrimmed', { requested: globalStamp, oldest: this.#oldest })
  }

  /** The lists of all commits after `globalStamp`, oldest first. Throws `historyTrimmed`. */
  since(globalStamp: number): readonly ChangeList[] {
    const lists: ChangeList[] = []
    for (let place = this.#placeAfter(globalStamp); place < this.#log.end; place++)
      lists.push(this.#log.at(place))
    return lists
  }

  /**
   * All records of a table that changed after `globalStamp`, as of that stamp. `open` are the
   * changes that the open transaction has written. Cost O(changes since). Throws `historyTrimmed`.
   */
  pastOf(table: Table, globalStamp: number, open: readonly Change[] = []): Map<number, PastRecord> {
    const past = new Map<number, PastDraft>()
    rewindAll(past, table, open)
    const from = this.#placeAfter(globalStamp)
    for (let place = this.#log.end - 1; place >= from; place--)
      rewindAll(past, table, this.#log.at(place).changes)
    return past
  }

  /**
   * Records of a table that changed after `globalStamp`, some more than once; null if the history
   * does not reach so far. Cost O(changes since).
   */
  changedSlots(table: Table, globalStamp: number): readonly number[] | null {
    if (globalStamp < this.#oldest) return null
    const slots: number[] = []
    for (let place = this.#placeAfter(globalStamp); place < this.#log.end; place++)
      this.#log.slotsInto(place, table, slots)
    return slots
  }

  #trim(): void {
    const log = this.#log
    while (log.first < log.end) {
      if (log.end - log.first <= this.#maxCommits && this.#bytes <= this.#maxBytes) break
      const globalStamp = log.globalStampAt(log.first)
      if (globalStamp > this.#pins.lowest) break
      this.#bytes -= log.bytesAt(log.first)
      log.dropFirst()
      this.#oldest = globalStamp
    }
  }

  /** The place of the first commit after `globalStamp`. Throws `historyTrimmed`. */
  #placeAfter(globalStamp: number): number {
    this.mustReach(globalStamp)
    const log = this.#log
    let place = log.end
    while (place > log.first && log.globalStampAt(place - 1) > globalStamp) place--
    return place
  }
}

/**
 * Global stamps that must stay reachable. Each commit reads the lowest, with any number of them.
 */
class PinnedStamps {
  /** Number of holders by stamp. */
  readonly #holders = new Map<number, number>()
  /** Ascending, each once. Those without holders are left out when they come to the front. */
  #ascending: number[] = []
  #first = 0

  /** Infinity if there is none. */
  get lowest(): number {
    const ascending = this.#ascending
    while (this.#first < ascending.length && !this.#holders.has(ascending[this.#first]))
      this.#first++
    if (this.#first * 2 > ascending.length) {
      this.#ascending = ascending.slice(this.#first)
      this.#first = 0
    }
    return this.#ascending[this.#first] ?? Number.POSITIVE_INFINITY
  }

  add(globalStamp: number): void {
    const before = this.#holders.get(globalStamp) ?? 0
    this.#holders.set(globalStamp, before + 1)
    if (before > 0) return
    // Nearly always the newest.
    const ascending = this.#ascending
    let at = ascending.length
    while (at > this.#first && ascending[at - 1] > globalStamp) at--
    if (at === this.#first || ascending[at - 1] !== globalStamp)
      ascending.splice(at, 0, globalStamp)
  }

  remove(globalStamp: number): void {
    const holders = (this.#holders.get(globalStamp) ?? 0) - 1
    if (holders > 0) this.#holders.set(globalStamp, holders)
    else this.#holders.delete(globalStamp)
  }
}

/**
 * The records of a table that some changes touched, as before them. The changes must be the newest.
 * Cost O(changes).
 */
export function recordsBefore(
  table: Table,
  changes: readonly Change[],
): ReadonlyMap<number, PastRecord> {
  const past = new Map<number, PastDraft>()
  rewindAll(past, table, changes)
  return past
}

function rewindAll(past: Map<number, PastDraft>, table: Table, changes: readonly Change[]): void {
  for (let i = changes.length - 1; i >= 0; i--)
    if (changes[i].table === table) rewind(past, table, changes[i])
}

/** Takes a record one change back in time. */
function rewind(past: Map<number, PastDraft>, table: Table, change: Change): void {
  switch (change.kind) {
    case 'load':
      for (const slot of change.slots) past.set(slot, draftOf(false, 0))
      return
    case 'insert':
      past.set(change.slot, draftOf(false, 0))
      return
    case 'remove':
      past.set(change.slot, draftOf(true, change.birth))
  }
  const { slot, before, stamp, timestamp } = change
  let draft = past.get(slot)
  if (draft === undefined) past.set(slot, (draft = draftOf(true, table.births[slot])))
  for (let i = 0; i < before.length; i++)
    draft.values.set(change.kind === 'update' ? change.ordinals[i] : i, before[i])
  draft.stamp = stamp
  draft.timestamp = timestamp
}

const draftOf = (existed: boolean, birth: number): PastDraft => ({
  existed,
  birth,
  stamp: 0,
  timestamp: 0,
  values: new Map(),
})
