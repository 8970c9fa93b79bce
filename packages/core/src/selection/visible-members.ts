import { intersection } from '../storage/record-set.ts'
import type { Membership } from './membership.ts'
import type { SelectionPort } from './selection-port.ts'

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
    if (!slots.every((slot) => members.isDefined(slot))) {
      return members.listed(
        slots.filter((slot) => !members.isDefined(slot) || visible.has(slot)),
        port,
      )
    }
  }
  return members.narrowed(
    intersection(members.livingSet(), visible.set(), port.database.allocator),
    port,
  )
}
