import { wordsFor } from '../storage/bitset.ts'
import { denseSet, EMPTY_SET, type RecordSet, sparseSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { Database } from './database.ts'

/**
 * Up to so many are stored in a plain array: a typed array of this size takes longer to create than
 * to fill.
 */
const PLAIN = 1024

/** A set of the first `count` entries of a vector, which are distinct. Few are sorted in place. */
export function setOf(
  vector: Int32Array,
  count: number,
  isAscending: boolean,
  table: Table,
  database: Database,
): RecordSet {
  if (count === 0) return EMPTY_SET
  const words = wordsFor(table.length)
  if (count > 32 && count > (isAscending ? words >> 1 : words >> 2)) {
    const bits = database.allocator.take(words)
    for (let i = 0; i < count; i++) bits[vector[i] >>> 5] |= 1 << (vector[i] & 31)
    return denseSet(bits, count)
  }
  const { sorter } = database.scratch
  if (count > PLAIN) {
    if (!isAscending) sorter.sort(vector, count, table.length)
    return sparseSet(vector.slice(0, count))
  }
  if (!isAscending) return sparseSet(sorter.sorted(vector, count, table.length, 0, count))
  const slots: number[] = new Array(count)
  for (let i = 0; i < count; i++) slots[i] = vector[i]
  return sparseSet(slots)
}

/** A copy: the bits of living records change, and sets do not. */
export function allRecords(table: Table, { allocator }: Database): RecordSet {
  const words = allocator.take(wordsFor(table.length))
  words.set(table.live.subarray(0, words.length))
  return denseSet(words, table.liveCount)
}
