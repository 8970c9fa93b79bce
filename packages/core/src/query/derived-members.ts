import { compactSet, intersection, type RecordSet } from '../storage/record-set.ts'
import { AsOf } from './as-of.ts'
import type { Members } from './members.ts'
import { Membership } from './membership.ts'
import type { SelectionPort } from './selection-port.ts'

/** Some of the members of a selection as of now, in its order, for a reader. */
export function narrowedMembers(of: Membership, set: RecordSet, port: SelectionPort): Membership {
  const own: Members = of.isInRecordOrder ? { kind: 'set', set } : { kind: 'subset', of, set }
  return new Membership(port, of.table, own, null)
}

/** Members of a selection in a given order, those removed since included, for a reader. */
export function listedMembers(of: Membership, slots: Int32Array, port: SelectionPort): Membership {
  const asOf = new AsOf(of.table, port.moment.globalStamp, of.asOf.clock, -1)
  return new Membership(port, of.table, { kind: 'list', slots, set: null }, null, asOf)
}

/**
 * The same members, to be held for any time: independent of the history, in at most about 8 bytes
 * per member. Cost: O(members), and a sort if ordered.
 */
export function keptMembers(of: Membership): Membership {
  of.settle()
  const own: Members = of.isInRecordOrder
    ? { kind: 'set', set: compactSet(of.recordSet()) }
    : { kind: 'list', slots: Int32Array.from(of.slots(0, of.count)), set: null }
  const held = new Membership(of.port, of.table, own, null, of.asOf)
  held.rule = of.rule
  return held
}

/**
 * The members that a reader may see, in their order. A removed member keeps its place only if the
 * selection was created under the reader's own rule: then it was visible. Otherwise its visibility
 * is unknown. Cost: O(members), or O(words).
 */
export function visibleMembers(members: Membership, port: SelectionPort): Membership {
  const { table } = members
  const visible = port.database.visibleIn(table.model)
  if (visible === null) return members
  if (members.rule === port.scope.ruleOf(table.model)) {
    const slots = Int32Array.from(members.slots(0, members.count))
    if (!slots.every((slot) => members.asOf.isAlive(slot))) {
      return listedMembers(
        members,
        slots.filter((slot) => !members.asOf.isAlive(slot) || visible.has(slot)),
        port,
      )
    }
  }
  return narrowedMembers(
    members,
    intersection(members.livingSet(), visible.set(), port.database.allocator),
    port,
  )
}
