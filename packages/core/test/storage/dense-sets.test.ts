import { describe, expect, test } from 'vitest'
import { setBit, wordsFor } from '../../src/storage/bitset.ts'
import { BitsetKernel, WordAllocator } from '../../src/storage/bitset-kernel.ts'
import {
  countOf,
  DenseSet,
  difference,
  intersection,
  membersOf,
  type RecordSet,
  settleSet,
  slotsOf,
  union,
  wordsOf,
} from '../../src/storage/record-set.ts'
import { upTo } from './dice.ts'

/** Lengths in words around the one from which a kernel combines sets. */
const LENGTHS = [10, 255, 256, 400]

interface Made {
  readonly set: DenseSet
  readonly slots: readonly number[]
}
function every(step: number, words: number): Made {
  const slots = upTo(words * 32).filter((slot) => slot % step === 0)
  const held = new Int32Array(wordsFor(words * 32))
  for (const slot of slots) setBit(held, slot)
  return { set: DenseSet.of(held, -1), slots }
}
interface Operation {
  readonly combine: typeof union
  readonly expectedOf: (a: Made, b: Made) => number[]
  readonly lengthOf: (a: number, b: number) => number
}
const OPERATIONS: readonly Operation[] = [
  {
    combine: intersection,
    expectedOf: (a, b) => a.slots.filter((slot) => isIn(slot, b)),
    lengthOf: Math.min,
  },
  {
    combine: union,
    expectedOf: (a, b) => [...new Set([...a.slots, ...b.slots])].sort((x, y) => x - y),
    lengthOf: Math.max,
  },
  {
    combine: difference,
    expectedOf: (a, b) => a.slots.filter((slot) => !isIn(slot, b)),
    lengthOf: (a) => a,
  },
]
function isIn(slot: number, { slots }: Made): boolean {
  return slot <= slots[slots.length - 1] && slot % slots[1] === 0
}

describe.each<[host: string, makeKernel: () => BitsetKernel | null]>([
  ['a kernel', () => BitsetKernel.create()],
  ['a kernel with too little memory', () => BitsetKernel.create(2048)],
  ['no kernel', () => null],
])('sets of words with %s', (_, makeKernel) => {
  const allocator = new WordAllocator(makeKernel)
  const made = LENGTHS.map((words, i) => every(2 + (i % 2), words))

  test.each<[what: string, before: (set: RecordSet, count: number) => void]>([
    ['are counted and then read', (set, count) => expect(countOf(set)).toBe(count)],
    ['are read at once', () => {}],
    ['are materialised first', settleSet],
  ])('%s', (_, before) => {
    for (const a of made)
      for (const b of made)
        for (const { combine, expectedOf, lengthOf } of OPERATIONS) {
          const set = combine(a.set, b.set, allocator)
          const expected = expectedOf(a, b)
          before(set, expected.length)
          expect(slotsOf(set).join()).toBe(expected.join())
          expect(countOf(set)).toBe(expected.length)
          expect(wordsOf(set, allocator)).toHaveLength(lengthOf(a.set.length, b.set.length))
          expect(membersOf(set, 100, 3)).toEqual(expected.slice(100, 103))
        }
  })

  test('are combined from operands that were never counted or read', () => {
    const [a, b] = [every(2, 300), every(3, 290)]
    let set: RecordSet = a.set
    for (let i = 0; i < 6; i++)
      set = i % 2 === 0 ? union(set, b.set, allocator) : difference(set, b.set, allocator)
    const expected = a.slots.filter((slot) => !isIn(slot, b))
    expect([...slotsOf(set)]).toEqual(expected)
  })
})

test('the allocator returns words of the requested length that are all zero, in any number', () => {
  const allocator = new WordAllocator(() => null)
  const lengths = [0, 1, 16_384, 16_385, 60_000, 65_536, 65_537, 200_000, 3]
  const taken = lengths.map((words) => allocator.take(words))
  expect(taken.map(({ length }) => length)).toEqual(lengths)
  for (const words of taken) {
    expect(words.some((word) => word !== 0)).toBe(false)
    words.fill(-1)
  }
})

test('the allocator creates its kernel at the first use, and only once', () => {
  let made = 0
  const allocator = new WordAllocator(() => {
    made++
    return null
  })
  allocator.take(5)
  expect(made).toBe(0)
  expect([allocator.kernel, allocator.kernel, made]).toEqual([null, null, 1])
})
