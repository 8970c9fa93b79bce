import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SlotHeap } from '../../src/write/staged-values.ts'
import { runs } from '../runs.ts'

/** Removes and returns the lowest numbers of a heap. */
function drained(heap: SlotHeap, count: number): number[] {
  return Array.from({ length: count }, () => {
    const { lowest } = heap
    heap.removeLowest()
    return lowest
  })
}

test('a heap of record numbers gives the lowest first, for any order of additions', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(99), { maxLength: 20 }), fc.nat(20), (slots, half) => {
      const heap = new SlotHeap()
      expect(heap.lowest).toBe(Number.POSITIVE_INFINITY)
      for (const slot of slots) heap.add(slot)
      const sorted = slots.slice().sort((a, b) => a - b)
      const first = Math.min(half, slots.length)
      expect(drained(heap, first)).toEqual(sorted.slice(0, first))
      // Numbers that are added again come back in order.
      for (const slot of sorted.slice(0, first)) heap.add(slot)
      expect(drained(heap, slots.length)).toEqual(sorted)
      expect(heap.lowest).toBe(Number.POSITIVE_INFINITY)
    }),
    runs(300),
  )
})

test('seven numbers in the worst order come out sorted', () => {
  const heap = new SlotHeap()
  for (const slot of [7, 6, 5, 4, 3, 2, 1]) heap.add(slot)
  expect(drained(heap, 7)).toEqual([1, 2, 3, 4, 5, 6, 7])
  for (const slot of [1, 5, 2, 6, 7, 3, 4]) heap.add(slot)
  expect(drained(heap, 7)).toEqual([1, 2, 3, 4, 5, 6, 7])
})
