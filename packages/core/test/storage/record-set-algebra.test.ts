import { describe, expect, test } from 'vitest'
import { setBit, wordsFor } from '../../src/storage/bitset.ts'
import { WordAllocator } from '../../src/storage/bitset-kernel.ts'
import {
  contains,
  countOf,
  denseSet,
  difference,
  EMPTY_SET,
  filterSet,
  intersection,
  intersects,
  membersOf,
  type RecordSet,
  settleSet,
  slotsOf,
  sparseSet,
  union,
  wordsOf,
} from '../../src/storage/record-set.ts'
import { upTo } from './dice.ts'

const allocator = new WordAllocator(() => null)

/**
 * Members of many kinds: none, one, neighbours, whole words, ends of words, few and many, with all
 * kinds of overlap.
 */
const MEMBERS: readonly (readonly number[])[] = [
  [],
  [0],
  [31],
  [32],
  [99],
  [0, 31, 32, 63, 64],
  [5, 31, 40, 64, 95, 128],
  [1, 2, 3, 200],
  upTo(32),
  upTo(65),
  upTo(40).map((i) => i * 5),
  upTo(20).map((i) => i * 10 + 1),
]
const KINDS: Readonly<Record<string, (slots: readonly number[]) => RecordSet>> = {
  'a list': (slots) => sparseSet(slots),
  'a vector': (slots) => sparseSet(Int32Array.from(slots)),
  words: (slots) => denseSet(words(slots)),
  'counted words': (slots) => denseSet(words(slots), slots.length),
}
function words(slots: readonly number[]): Int32Array {
  const made = new Int32Array(wordsFor((slots.at(-1) ?? -1) + 1))
  for (const slot of slots) setBit(made, slot)
  return made
}
const rising = (slots: Iterable<number>) => [...slots].sort((a, b) => a - b)

function mustHold(set: RecordSet, slots: readonly number[]): void {
  expect(countOf(set)).toBe(slots.length)
  expect([...slotsOf(set)]).toEqual(slots)
  expect(countOf(set)).toBe(slots.length)
}

describe.each(Object.keys(KINDS))('%s', (kind) => {
  const made = MEMBERS.map((slots) => ({ slots, set: KINDS[kind](slots) }))

  test('contains its members and no other record', () => {
    for (const { slots, set } of made) {
      mustHold(set, slots)
      expect(upTo(300).filter((slot) => contains(set, slot))).toEqual(slots)
    }
  })

  test('is read page by page', () => {
    for (const { slots, set } of made)
      for (const skip of [-3, 0, 1, 4, 5, 6, 33, 70])
        for (const limit of [0, 1, 2, 5, 31, 100]) {
          const from = Math.max(0, skip)
          expect(membersOf(set, skip, limit)).toEqual(slots.slice(from, from + limit))
        }
  })

  test('gives its words, without a copy only if it is stored as words', () => {
    for (const { slots, set } of made) {
      const found = wordsOf(set, allocator)
      expect(found).toHaveLength(wordsFor((slots.at(-1) ?? -1) + 1))
      mustHold(denseSet(found), slots)
      expect(wordsOf(set, allocator) === found).toBe(set.kind === 'dense')
    }
  })

  test('filters its members by a test, and returns itself if all pass', () => {
    for (const { slots, set } of made) {
      expect(filterSet(set, () => true, allocator)).toBe(set)
      mustHold(
        filterSet(set, () => false, allocator),
        [],
      )
      for (const isKept of [(slot: number) => slot % 2 === 0, (slot: number) => slot > 31]) {
        const kept = filterSet(set, isKept, allocator)
        mustHold(kept, slots.filter(isKept))
        expect(kept === set).toBe(slots.every(isKept))
        mustHold(set, slots)
      }
    }
  })

  test.each(Object.keys(KINDS))(
    'combines with %s as sets of numbers do, and both stay unchanged',
    (other) => {
      for (const { slots, set } of made) {
        for (const members of MEMBERS) {
          const second = KINDS[other](members)
          const both = slots.filter((slot) => members.includes(slot))
          expect(intersects(set, second)).toBe(both.length > 0)
          mustHold(intersection(set, second, allocator), both)
          mustHold(union(set, second, allocator), rising(new Set([...slots, ...members])))
          mustHold(
            difference(set, second, allocator),
            slots.filter((slot) => !members.includes(slot)),
          )
          mustHold(second, members)
        }
        mustHold(set, slots)
      }
    },
  )
})

test('a combination has the same members before and after it is materialised', () => {
  for (const isSettled of [false, true]) {
    for (const a of MEMBERS)
      for (const b of MEMBERS) {
        const sets = [intersection, union, difference].map((combine) =>
          combine(KINDS.words(a), KINDS.words(b), allocator),
        )
        if (isSettled) sets.forEach(settleSet)
        const expected = [
          a.filter((slot) => b.includes(slot)),
          rising(new Set([...a, ...b])),
          a.filter((slot) => !b.includes(slot)),
        ]
        for (const [i, set] of sets.entries()) {
          if (i === 0) mustHold(set, expected[i])
          expect([...slotsOf(set)]).toEqual(expected[i])
        }
        // The combinations are operands themselves.
        mustHold(union(sets[0], sets[2], allocator), a as number[])
      }
  }
})

test('a union can start from the empty set', () => {
  let set: RecordSet = EMPTY_SET
  for (const slots of MEMBERS) set = union(set, sparseSet(slots), allocator)
  mustHold(set, rising(new Set(MEMBERS.flat())))
  settleSet(set)
  mustHold(EMPTY_SET, [])
})
