import { describe, expect, test } from 'vitest'
import { numberSortSteps, SlotSorter } from '../../src/storage/slot-sorter.ts'
import { runSteps } from '../../src/storage/text-prefixes.ts'
import { type Dice, dice, upTo } from './dice.ts'

const inf = Number.NEGATIVE_INFINITY
const NUMBERS: Readonly<Record<string, (roll: Dice, i: number) => number>> = {
  'a few whole ones': (roll) => roll(7),
  'whole ones below 2048': (roll) => roll(2048),
  'whole ones of either sign': (roll) => roll(2 ** 31) - 2 ** 30,
  'large whole ones': (roll) => roll(2 ** 31) * 2 ** 22 + roll(2 ** 31),
  fractions: (roll) => roll(1000) / 7 - 70,
  'small and large ones': (roll) =>
    (roll(2) === 0 ? -1 : 1) * (roll(1000) + 1) * 10 ** (roll(600) - 300),
  'nothing among others': (roll) => (roll(3) === 0 ? inf : roll(5) - 2),
  'either zero': (roll) => [0, -0, 1, -1][roll(4)],
  'the ends of what there is': (roll) =>
    [
      inf,
      Number.POSITIVE_INFINITY,
      Number.MAX_VALUE,
      -Number.MAX_VALUE,
      Number.MIN_VALUE,
      -Number.MIN_VALUE,
    ][roll(6)],
  instants: (roll) => 1_700_000_000_000 + roll(2 ** 31) * 7,
  'one number': () => 42,
  'rising ones': (_, i) => i,
  'falling ones': (_, i) => -i,
  'ones that differ in one bit': (roll) => 2 ** 52 + roll(2),
}

describe.each(Object.entries(NUMBERS))('numbers: %s', (_, numberOf) => {
  test.each([0, 1, 2, 12, 63, 64, 65, 300])(
    '%i of them are sorted, equal ones by position',
    (count) => {
      const roll = dice(count + 1)
      const numbers = upTo(count).map((i) => numberOf(roll, i))
      const expected = upTo(count).sort((a, b) =>
        numbers[a] < numbers[b] ? -1 : numbers[a] > numbers[b] ? 1 : a - b,
      )
      const given = Float64Array.from(numbers)
      expect(runSteps(numberSortSteps(given)).join()).toBe(expected.join())
      // The record numbers keep their order.
      expect(given.every((number, i) => Object.is(number, numbers[i]))).toBe(true)
    },
  )
})

describe('record numbers', () => {
  const sorter = new SlotSorter()
  const SETS: readonly (readonly [count: number, length: number])[] = [
    [0, 10],
    [1, 1],
    [2, 5],
    [11, 40],
    [12, 12],
    [12, 40],
    [13, 33],
    [40, 1024],
    [40, 1025],
    [300, 320],
    [300, 40_000],
    [12, 12 * 65_536],
    [12, 12 * 65_536 + 1],
    [20, 2_000_000_000],
  ]
  const some = (count: number, length: number, roll: Dice): number[] => {
    const slots = new Set<number>()
    // The first and the last number, and numbers at word boundaries.
    for (const slot of [length - 1, 0, 31, 32, 1023, 1024])
      if (slot < length && slots.size < count) slots.add(slot)
    while (slots.size < count) slots.add(roll(length))
    return [...slots].sort((a, b) => ((a * 7919) % 101) - ((b * 7919) % 101))
  }

  test.each(SETS)('are sorted in place: %i below %i', (count, length) => {
    for (let turn = 0; turn < 3; turn++) {
      const slots = some(count, length, dice(count + turn))
      const vector = Int32Array.from([...slots, 9, 3])
      sorter.sort(vector, count, length)
      expect([...vector]).toEqual([...slots.sort((a, b) => a - b), 9, 3])
    }
  })

  test.each(SETS)('are read page by page in ascending order: %i below %i', (count, length) => {
    const slots = some(count, length, dice(count))
    const expected = [...slots].sort((a, b) => a - b)
    for (const [skip, end] of [
      [0, count],
      [0, 0],
      [0, 5],
      [3, 9],
      [count, count + 5],
      [9, 3],
      [count + 2, count + 9],
      [count >> 1, count + 100],
    ])
      expect(sorter.sorted(Int32Array.from(slots), count, length, skip, end)).toEqual(
        expected.slice(skip, Math.max(skip, end)),
      )
  })

  test('are sorted equally by a new sorter and a used one', () => {
    for (const [count, length] of SETS) {
      const slots = some(count, length, dice(count + 9))
      const vector = Int32Array.from(slots)
      new SlotSorter().sort(vector, count, length)
      expect([...vector]).toEqual(slots.sort((a, b) => a - b))
    }
  })
})
