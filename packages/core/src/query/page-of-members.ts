import { listedSlots } from '../execute/time-slices.ts'
import type { OrderBy } from '../filter/predicate.ts'
import { countOf, membersOf } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import { pageOfAccess } from './access-members.ts'
import type { Members } from './members.ts'
import type { SelectionPort } from './selection-port.ts'

/**
 * Members `skip` to `skip + wanted` of `count`, if that costs less than computing all members in
 * their order; else null. An access path is read from the table, which must be unchanged.
 */
export function pageOfMembers(
  port: SelectionPort,
  table: Table,
  members: Members,
  orderBy: OrderBy | null,
  skip: number,
  wanted: number,
  count: number,
): Int32Array | readonly number[] | null {
  const { database, planner } = port
  const { indexing } = planner
  switch (members.kind) {
    case 'all':
    case 'none':
    case 'index':
      if (orderBy === null) return pageOfAccess(port, table, members, skip, wanted)
      return indexing !== null && wanted < count
        ? indexing.orderedPage(database, table, members, orderBy, skip, wanted)
        : null
    case 'set': {
      const { set } = members
      if (orderBy !== null)
        return indexing !== null && wanted < count
          ? indexing.walkedPage(database, table, set, orderBy, skip, wanted)
          : null
      const isWhole = skip === 0 && wanted === countOf(set)
      if (isWhole && set.kind === 'sparse') return set.slots
      return isWhole && database.slices !== null
        ? listedSlots(database.slices, set)
        : membersOf(set, skip, wanted)
    }
    case 'ordered':
      return wanted < count ? members.ordering.page(skip, wanted) : null
    case 'list':
      return members.slots.subarray(skip, skip + wanted)
    case 'concat': {
      // A page within the first members does not need the second.
      const { first, firstSet } = members
      const isFirst = skip + wanted <= first.count && countOf(firstSet) === first.count
      return isFirst ? first.slots(skip, wanted) : null
    }
    default:
      return null
  }
}
