import type { Slots } from '../execute/time-slices.ts'
import type { IndexPlan } from '../plan/physical-plan.ts'
import type { Table } from '../storage/table.ts'

// One loop per kind of vector: in a shared loop, V8 would test the kind at every record.

/** The keys of records. Cost: O(records), with a cache miss for each if they are scattered. */
export function keysOf(table: Table, slots: Slots): (string | number)[] {
  const key = table.columns[table.model.key.ordinal]
  if (key.layout !== 'number') {
    const out: string[] = new Array(slots.length)
    for (let i = 0; i < out.length; i++) out[i] = key.read(slots[i]) as string
    return out
  }
  // Keys are never null, so the vector holds the values themselves.
  const { data } = key
  if (!(data instanceof Int32Array)) return wideKeys(data, slots)
  return slots instanceof Int32Array
    ? keysAt(data, slots, 0, slots.length)
    : keysOfSlots(data, slots)
}

/**
 * Keys of records `skip` to `skip + top` of the posting list that a plan reads, without listing the
 * records. Null if the plan does not read one posting list, or if the table changed since planning.
 * Cost: O(answer).
 */
export function keysOfList(
  table: Table,
  { attribute, places, rows }: IndexPlan,
  skip: number,
  top: number,
): number[] | null {
  if (places.kind !== 'list' || places.version !== table.version) return null
  const key = table.columns[table.model.key.ordinal]
  const postings = table.indexes[attribute.ordinal]?.postings ?? null
  if (postings === null || key.layout !== 'number' || !(key.data instanceof Int32Array)) return null
  return keysAt(
    key.data,
    postings.data,
    postings.start(places.first) + skip,
    Math.max(0, Math.min(rows - skip, top)),
  )
}

function keysAt(keys: Int32Array, slots: Int32Array, from: number, count: number): number[] {
  const out: number[] = new Array(count)
  for (let i = 0; i < count; i++) out[i] = keys[slots[from + i]]
  return out
}

function keysOfSlots(keys: Int32Array, slots: readonly number[]): number[] {
  const out: number[] = new Array(slots.length)
  for (let i = 0; i < out.length; i++) out[i] = keys[slots[i]]
  return out
}

function wideKeys(keys: Float64Array, slots: Slots): number[] {
  const out: number[] = new Array(slots.length)
  for (let i = 0; i < out.length; i++) out[i] = keys[slots[i]]
  return out
}
