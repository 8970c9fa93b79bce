import type { Ordering } from '../execute/ordering.ts'
import type { AllPlan, IndexPlan, NonePlan, ScanPlan } from '../plan/physical-plan.ts'
import { contains, countOf, type RecordSet } from '../storage/record-set.ts'

/** Members in their order, by place. */
export interface MemberList {
  readonly count: number
  slots(skip: number, top: number): Int32Array | readonly number[]
  keysInList(skip: number, top: number): number[] | null
  /** Works out what is not worked out yet, once and for good. */
  settle(): void
}

/** When membership and order were fixed. */
export interface Making {
  readonly globalStamp: number
  /** Records born later are not members, though they may use a member's slot. */
  readonly clock: number
  readonly version: number
  /** -1 when members may have been undefined already. */
  readonly removals: number
}

/** The plans that are read as they are. */
export type Access = AllPlan | NonePlan | IndexPlan

/**
 * How a selection holds its members. An access keeps only the index range (or the whole table) and is read by rank while the
 * dataclass is unchanged; a scan keeps comparisons of its own columns, which are run when what they select is asked for, or tested
 * on the way to a page in an order. Every other kind is fixed for good.
 */
export type Members =
  | Access
  | ScanPlan
  | { readonly kind: 'set'; readonly set: RecordSet }
  /** In an order that is worked out page by page. */
  | { readonly kind: 'ordered'; readonly set: RecordSet; readonly ordering: Ordering }
  /** In this order; `set` is made when first asked for. */
  | { readonly kind: 'list'; readonly slots: Int32Array; set: RecordSet | null }
  | { readonly kind: 'page'; readonly of: MemberList; readonly skip: number; readonly top: number }
  /** Members of `of`, in its order, that are in `set`. */
  | { readonly kind: 'subset'; readonly of: MemberList; readonly set: RecordSet }
  /** Living members of `first`, in its order, then what `second` adds, in its order. */
  | {
      readonly kind: 'concat'
      readonly set: RecordSet
      readonly first: MemberList
      readonly firstSet: RecordSet
      readonly second: MemberList
      readonly secondSet: RecordSet
    }

/** True while only the range, or what to scan for, is kept. */
export const isPlan = (members: Members): members is Access | ScanPlan =>
  members.kind === 'index' || members.kind === 'all' || members.kind === 'scan' || members.kind === 'none'

/** How many members there are, deleted ones included; never reads a record. What a scan finds is not known before it is run. */
export function countMembers(members: Exclude<Members, { readonly kind: 'scan' }>): number {
  switch (members.kind) {
    case 'all':
    case 'none':
    case 'index':
      return members.rows
    case 'list':
      return members.slots.length
    case 'page':
      return Math.max(0, Math.min(members.top, members.of.count - members.skip))
    default:
      return countOf(members.set)
  }
}

/** Record numbers of what was made of other members, in their order. Cost: O(all of them). */
export function combinedSlots(members: Extract<Members, { kind: 'subset' | 'concat' }>): Int32Array {
  if (members.kind === 'subset') {
    const { of, set } = members
    return Int32Array.from(of.slots(0, of.count)).filter((slot) => contains(set, slot))
  }
  const { first, firstSet, second, secondSet } = members
  const slots = new Int32Array(countOf(members.set))
  const firstSlots = first.slots(0, first.count)
  const secondSlots = second.slots(0, second.count)
  let at = 0
  for (let i = 0; i < firstSlots.length; i++) {
    if (contains(firstSet, firstSlots[i])) slots[at++] = firstSlots[i]
  }
  for (let i = 0; i < secondSlots.length; i++) {
    const slot = secondSlots[i]
    if (contains(secondSet, slot) && !contains(firstSet, slot)) slots[at++] = slot
  }
  return slots
}
