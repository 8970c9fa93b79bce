import { contains, correctedSet, filterSet, type RecordSet } from '../storage/record-set.ts'
import type { Creation } from './creation.ts'
import type { SelectionPort } from './selection-port.ts'

/**
 * The members of a selection that still exist: computed at the first call, then corrected by the
 * changes of commits.
 */
export class LivingMembers {
  /** The set as of a commit, with the table's `removals` at that time. */
  #cached: {
    readonly globalStamp: number
    readonly removals: number
    readonly set: RecordSet
  } | null = null

  /**
   * Takes all members, and their creation. Cost: O(changes since the last call), and a copy
   * of the set if one of them is a member. The first call costs O(members) if some members were
   * removed before the selection was created.
   */
  of(set: RecordSet, made: Creation, port: SelectionPort): RecordSet {
    const { table } = made
    const { removals } = table
    const isDefined = (slot: number): boolean => made.isDefined(slot)
    const { allocator } = port.database
    // A transaction that has written may be rolled back, which leaves no trace in the history:
    // nothing it reads is cached.
    if (port.moment.isProvisional) return filterSet(set, isDefined, allocator)
    const cached = this.#cached
    if (cached?.removals === removals) return cached.set
    const base = cached ?? (made.removals < 0 ? null : { globalStamp: made.globalStamp, set })
    const changed = base === null ? null : port.moment.changedSlots(table, base.globalStamp)
    const living =
      base === null || changed === null
        ? filterSet(set, isDefined, allocator)
        : correctedSet(
            base.set,
            changed,
            (slot) => contains(set, slot) && isDefined(slot),
            allocator,
          )
    this.#cached = { globalStamp: port.moment.globalStamp, removals, set: living }
    return living
  }
}
