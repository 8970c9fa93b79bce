import { expect, test } from 'vitest'
import { SlotMap } from '../../src/write/staged-values.ts'

/** Record numbers that are adjacent, sparse, or descending. */
test.each<[string, (i: number) => number]>([
  ['side by side', (i) => i],
  ['a power of two apart', (i) => i * 4096],
  ['from the highest', (i) => 2_000_000 - i],
])('a slot map of many entries %s behaves as a map, and again after `clear`', (_, slotOf) => {
  const map = new SlotMap()
  for (const count of [33, 1000, 40]) {
    for (let i = 0; i < count; i++) map.set(slotOf(i), i)
    // Some values are replaced, some removed.
    for (let i = 0; i < count; i += 7) map.set(slotOf(i), i % 2 === 0 ? -1 : i + count)
    const found = Array.from({ length: count + 1 }, (_, i) => map.find(slotOf(i)))
    const places = Array.from({ length: count }, (_, i) =>
      i % 7 !== 0 ? i : i % 2 === 0 ? -1 : i + count,
    )
    expect(found).toEqual([...places, -1])
    map.clear()
    expect(new Set(found.map((_, i) => map.find(slotOf(i))))).toEqual(new Set([-1]))
  }
})

test('a slot map that was too large to be reused is empty and small after `clear`', () => {
  const map = new SlotMap()
  for (let i = 0; i < 33_000; i++) map.set(i, i)
  expect([map.find(0), map.find(32_999)]).toEqual([0, 32_999])
  map.clear()
  const found = () => Array.from({ length: 200 }, (_, i) => map.find(i * 150))
  expect(new Set(found())).toEqual(new Set([-1]))
  for (let i = 0; i < 200; i++) map.set(i * 150, i)
  expect(found()).toEqual(Array.from({ length: 200 }, (_, i) => i))
})
