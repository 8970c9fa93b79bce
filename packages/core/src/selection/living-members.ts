import { contains, correctedSet, filterSet, type RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { Making } from './members.ts'
import type { SelectionPort } from './selection-port.ts'

/** Which members of a selection exist: worked out at the first call, then corrected by what commits have changed. */
export class LivingMembers {
  /** As of a commit, with the table's `removals` then. */
  #kept: { readonly globalStamp: number; readonly removals: number; readonly set: RecordSet } | null = null

  /**
   * Takes all members, and a test for one of them. Cost O(changes since the last call), and a copy of the set if one of them is a
   * member; O(members) at first where some were undefined already when the selection was created.
   */
  of(set: RecordSet, made: Making, table: Table, port: SelectionPort, isDefined: (slot: number) => boolean): RecordSet {
    const { removals } = table
    const { allocator } = port.database
    // A transaction that has written may be rolled back, which leaves no trace in the history: nothing is kept of what it sees.
    if (port.moment.isProvisional) return filterSet(set, isDefined, allocator)
    const kept = this.#kept
    if (kept?.removals === removals) return kept.set
    const base = kept ?? (made.removals < 0 ? null : { globalStamp: made.globalStamp, set })
    const changed = base === null ? null : port.moment.changedSlots(table, base.globalStamp)
    const living =
      base === null || changed === null
        ? filterSet(set, isDefined, allocator)
        : correctedSet(base.set, changed, (slot) => contains(set, slot) && isDefined(slot), allocator)
    this.#kept = { globalStamp: port.moment.globalStamp, removals, set: living }
    return living
  }
}
