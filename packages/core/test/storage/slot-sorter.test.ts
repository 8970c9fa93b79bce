import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SlotSorter } from '../../src/storage/slot-sorter.ts'
import { runs } from '../runs.ts'

const LENGTH = 5000
const sets = fc.oneof(
  fc.uniqueArray(fc.nat(LENGTH - 1), { maxLength: 11 }),
  fc.uniqueArray(fc.nat(LENGTH - 1), { minLength: 12, maxLength: 200 }),
  fc.uniqueArray(fc.integer({ min: LENGTH - 100, max: LENGTH - 1 }), {
    minLength: 12,
    maxLength: 90,
  }),
)

test('record numbers are sorted in place, whatever was sorted before, and what stands behind them is left alone', () => {
  const sorter = new SlotSorter()
  fc.assert(
    fc.property(sets, fc.constantFrom(LENGTH, LENGTH * 100_000), (slots, length) => {
      const vector = Int32Array.from([...slots, 7, 3])
      sorter.sort(vector, slots.length, length)
      expect([...vector]).toEqual([...slots.sort((a, b) => a - b), 7, 3])
    }),
    runs(200),
  )
})

test('a sorter that grew for a larger table sorts the numbers of a smaller one', () => {
  const sorter = new SlotSorter()
  for (const length of [40, 100_000, 2_000_000, 64]) {
    const slots = Int32Array.from({ length: 40 }, (_, i) => length - 1 - i)
    sorter.sort(slots, 40, length)
    expect([...slots]).toEqual(Array.from({ length: 40 }, (_, i) => length - 40 + i))
  }
})

test('a page of the sorted numbers equals a slice of all of them', () => {
  const sorter = new SlotSorter()
  fc.assert(
    fc.property(sets, fc.nat(210), fc.nat(210), (slots, skip, end) => {
      const page = sorter.sorted(Int32Array.from(slots), slots.length, LENGTH, skip, end)
      expect(page).toEqual(slots.sort((a, b) => a - b).slice(skip, Math.max(skip, end)))
    }),
    runs(200),
  )
})
