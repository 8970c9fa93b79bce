import type { DeferredSet } from '../execute/database.ts'
import type { Ordering } from '../execute/ordering.ts'
import { Steps } from '../execute/steps.ts'
import type { Slots, TimeSlices } from '../execute/time-slices.ts'
import type { Predicate } from '../filter/predicate.ts'
import type { AllPlan, IndexPlan, NonePlan, ScanPlan } from '../plan/physical-plan.ts'
import { contains, countOf, type RecordSet } from '../storage/record-set.ts'

/** Members by their place in an order. */
interface MemberList {
  readonly count: number
  slots(skip: number, top: number): Int32Array | readonly number[]
  keysInList(skip: number, top: number): number[] | null
  /** Computes membership and order now, if they are not computed yet. */
  settle(): void
}

/** Plans whose records are read from the index or table without running them first. */
export type Access = AllPlan | NonePlan | IndexPlan

/** The living members of `first`, then the additional ones of `second`, each in their own order. */
export interface Concat {
  readonly kind: 'concat'
  readonly set: RecordSet
  readonly first: MemberList
  readonly firstSet: RecordSet
  readonly second: MemberList
  readonly secondSet: RecordSet
  /** See `conditionOf`; undefined if the members are found. */
  readonly condition?: Predicate | null
}

/**
 * How a selection stores its members. An access path stores only an index range (or the whole
 * table), and is read by rank while the dataclass is unchanged. A scan stores comparisons of the
 * dataclass's own columns: they run when the members are needed, or are tested while an index is
 * walked for an ordered page. Every other kind is fixed.
 */
export type Members =
  | Access
  | ScanPlan
  | { readonly kind: 'set'; readonly set: RecordSet }
  | DeferredSet
  /** In an order that is computed page by page. */
  | { readonly kind: 'ordered'; readonly set: RecordSet; readonly ordering: Ordering }
  /** In this order; `set` is created when first needed. */
  | { readonly kind: 'list'; readonly slots: Int32Array; set: RecordSet | null }
  | { readonly kind: 'page'; readonly of: MemberList; readonly skip: number; readonly top: number }
  /** The members of `of` that are in `set`, in the order of `of`. */
  | { readonly kind: 'subset'; readonly of: MemberList; readonly set: RecordSet }
  | Concat

/**
 * What selects members that are not found yet, while nothing was written since they were selected;
 * otherwise null.
 */
export const conditionOf = (members: Members): Predicate | null =>
  'condition' in members ? (members.condition ?? null) : null

/** True while only a range, or the comparisons of a scan, are stored. */
export const isPlan = (members: Members): members is Access | ScanPlan =>
  members.kind === 'index' ||
  members.kind === 'all' ||
  members.kind === 'scan' ||
  members.kind === 'none'

/**
 * The number of members, removed ones included; reads no record. A scan must run before its members
 * can be counted.
 */
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

/** Record numbers of members derived from other members, in their order. Cost: O(all of them). */
export function combinedSlots(
  members: Extract<Members, { kind: 'subset' | 'concat' }>,
  slices: TimeSlices | null,
): Int32Array {
  if (members.kind === 'subset') {
    const { of, set } = members
    return collected(slices, ['subset', set], of.slots(0, of.count), (slot) => contains(set, slot))
  }
  const { first, firstSet, second, secondSet } = members
  const own = collected(slices, ['first', firstSet], first.slots(0, first.count), (slot) =>
    contains(firstSet, slot),
  )
  const added = collected(
    slices,
    ['second', firstSet, secondSet],
    second.slots(0, second.count),
    (slot) => contains(secondSet, slot) && !contains(firstSet, slot),
  )
  return Steps.in(slices, () => ['concat', added], own).once(() => {
    const slots = new Int32Array(own.length + added.length)
    slots.set(own)
    slots.set(added, own.length)
    return slots
  })
}

/** The record numbers that pass a test, in their order. */
function collected(
  slices: TimeSlices | null,
  memoKey: readonly unknown[],
  slots: Slots,
  test: (slot: number) => boolean,
): Int32Array {
  const steps = Steps.in(slices, () => memoKey, slots)
  return steps.once(() => {
    const start = () => ({ slots: new Int32Array(slots.length), count: 0 })
    const found = steps.loop(slots.length, start, (out, from, to) => {
      for (let i = from; i < to; i++) if (test(slots[i])) out.slots[out.count++] = slots[i]
    })
    return found.slots.slice(0, found.count)
  })
}
