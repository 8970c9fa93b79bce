import { type RecordSet, slotsOf } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import { onceOf, type TimeSlices } from './time-slices.ts'

// A sliced read lists records once: later time slices find its results by the same list.

/** The members of a set in record order. */
export const listedSlots = (slices: TimeSlices | null, set: RecordSet): Int32Array =>
  onceOf(slices, ['slots', set], () => slotsOf(set))

/** The members of a set, or all living records if it is null. */
export const livingSlots = (
  slices: TimeSlices | null,
  table: Table,
  set: RecordSet | null,
): Int32Array =>
  set !== null
    ? listedSlots(slices, set)
    : onceOf(slices, ['living', table], () => table.liveSlots())
