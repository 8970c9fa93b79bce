import type { AnySelection, Session } from '../model/session-types.ts'
import { Creation } from '../selection/creation.ts'
import { Membership } from '../selection/membership.ts'
import { type Selection, selectionParts } from '../selection/selection.ts'
import { type Key, storedKey } from '../storage/stored-key.ts'
import type { WorkingTable } from './working-table.ts'

/** The members of an entity set of the database. */
export interface SetMembers {
  /** In their order; null for a member that was removed. */
  readonly keys: readonly (string | number | null)[]
  /** `Membership.rule`: the row filter by which every member was visible; null without one. */
  readonly rule: string | null
}

/** An entity set of the database for a working store. */
export interface WorkingSet extends SetMembers {
  readonly id: string
  readonly dataClass: string
  readonly sorted: boolean
  /** A session of the working store. */
  readonly owner: Session | null
}

/**
 * The members as a selection: removed ones have a place in it, and slots of the table that no
 * record uses. `empty`: any selection of the dataclass for the same reader.
 */
export function selectionOf(
  table: WorkingTable,
  empty: AnySelection,
  { keys, rule, sorted }: WorkingSet,
): AnySelection {
  const ofStore = empty as Selection & AnySelection
  const { port } = selectionParts(ofStore)
  const slotOf = (key: Key | null): number => {
    const slot = key === null ? -1 : table.findKey(key)
    return slot < 0 ? table.takeSlot() : slot
  }
  const slots = Int32Array.from(keys, (key) => slotOf(storedKey(table.model, key)))
  const { globalStamp, allocationClock } = port.moment
  const made = new Creation(table, globalStamp, allocationClock, -1)
  const members = new Membership(port, table, { kind: 'list', slots, set: null }, null, made)
  members.rule = rule
  const SelectionClass = ofStore.constructor as typeof Selection
  return new SelectionClass(members, null, port, sorted) as Selection & AnySelection
}

/** What a selection of a working store would keep as an entity set. */
export function setMembersOf(selection: AnySelection): SetMembers {
  const { members } = selectionParts(selection as Selection & AnySelection)
  const { table, made, rule } = members
  const { ordinal } = table.model.key
  const keys = Array.from(members.slots(0, members.count), (slot) =>
    made.isDefined(slot) ? (table.read(slot, ordinal) as Key) : null,
  )
  return { keys, rule }
}
