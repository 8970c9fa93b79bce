import { describe, expect, test } from 'vitest'
import { NumberIndex } from '../../src/storage/block-index.ts'
import { NumberEntries } from '../../src/storage/block-moves.ts'
import { verifyBlocks } from '../../src/storage/verify-blocks.ts'
import { type Dice, dice, upTo } from './dice.ts'

type Held = Map<number, number>

/** An index of so many entries, and the keys of their records; `spread` keys, so that records share some. */
function started(count: number, spread: number, isBuilt: boolean): [NumberIndex, Held] {
  const held: Held = new Map(upTo(count).map((slot) => [slot * 2, (slot * 7919) % spread]))
  const index = new NumberIndex()
  if (isBuilt) index.build(Int32Array.from(held.keys()), Float64Array.from(held.values()))
  else for (const [slot, key] of held) index.insert(key, slot)
  return [index, held]
}

function mustHold(index: NumberIndex, held: Held): void {
  verifyBlocks(
    index,
    (slot) => held.get(slot) as number,
    (invariant) => {
      throw new Error(invariant)
    },
  )
  const expected = [...held.keys()].sort((a, b) => (held.get(a) as number) - (held.get(b) as number) || a - b)
  const found = new Int32Array(index.size)
  expect(index.slotsBetween(0, index.size, found)).toBe(expected.length)
  expect(found.join()).toBe(expected.join())
}

interface Change {
  readonly leaving: readonly number[]
  readonly entering: readonly (readonly [slot: number, key: number])[]
}

function move(index: NumberIndex, held: Held, { leaving, entering }: Change, roll: Dice): void {
  const [out, into] = [new NumberEntries(), new NumberEntries()]
  for (const slot of leaving) {
    out.add(held.get(slot) as number, slot)
    held.delete(slot)
  }
  const order = [...entering]
  for (let i = order.length - 1; i > 0; i--) {
    const at = roll(i + 1)
    ;[order[i], order[at]] = [order[at], order[i]]
  }
  for (const [slot, key] of order) {
    into.add(key, slot)
    held.set(slot, key)
  }
  const moves = index.prepareMoves(out, into)
  // What can fail was done.
  Object.defineProperty(index, 'createBlock', {
    configurable: true,
    value: () => {
      throw new RangeError('out of memory')
    },
  })
  index.move(moves)
  Reflect.deleteProperty(index, 'createBlock')
  mustHold(index, held)
}

describe('moving entries at once leaves the index that moving each would', () => {
  test.each([
    [0, 1],
    [3, 5],
    [60, 10],
    [448, 1000],
    [448, 4],
    [449, 449],
    [900, 900],
    [1500, 50],
    [2300, 100_000],
  ])('%i entries of %i keys', (count, spread) => {
    for (const isBuilt of [true, false]) {
      const roll = dice(count + spread)
      const [index, held] = started(count, spread, isBuilt)
      let next = 2 * count + 1
      for (const [goers, movers, comers] of [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [2, 3, 1],
        [0, 60, 0],
        [50, 0, 60],
        [30, 200, 40],
        [300, 0, 0],
        [0, 0, 700],
        [10, 10, 10],
      ]) {
        const slots = [...held.keys()]
        const start = roll(slots.length + 1)
        const picked = slots.slice(start).concat(slots.slice(0, start))
        const moving = picked.slice(goers, goers + movers)
        const nearby = (slot: number) => Math.max(0, (held.get(slot) as number) + roll(5) - 2)
        const far = roll(spread)
        move(
          index,
          held,
          {
            leaving: picked.slice(0, goers + movers),
            entering: [
              // Some come back to where they were, or near it, or all to one place.
              ...moving.map((slot, i) => [slot, [held.get(slot) as number, nearby(slot), far][i % 3]] as const),
              ...upTo(comers).map((i) => [next + i * 2, i % 2 === 0 ? far : roll(spread)] as const),
            ],
          },
          roll,
        )
        next += comers * 2
      }
    }
  })
})

test('runs of all lengths move left and right within a block', () => {
  // Between the first and the last entry that goes or comes stands a run of so many.
  for (const length of [0, 1, 2, 38, 39, 40, 41, 42, 80])
    for (const isLeft of [true, false]) {
      const [index, held] = started(200, 200, true)
      const sorted = [...held.keys()].sort((a, b) => (held.get(a) as number) - (held.get(b) as number))
      const [first, last] = [sorted[50], sorted[51 + length]]
      const before = (slot: number) => (held.get(slot) as number) - 0.5
      const change: Change = isLeft
        ? { leaving: [first], entering: [[1001, before(last)]] }
        : { leaving: [last], entering: [[1001, before(first)]] }
      move(index, held, change, dice(length + 1))
      // And further: three to the left, two to the right.
      const some = sorted.filter((slot) => held.has(slot))
      move(
        index,
        held,
        {
          leaving: some.slice(10, 13),
          entering: upTo(5).map((i) => [2001 + i * 2, before(some[13 + length]) + i / 100] as const),
        },
        dice(2),
      )
    }
})

test('a block that all entries leave is gone, be it the first, the last or one between', () => {
  for (const [from, to] of [
    [0, 448],
    [448, 896],
    [896, 1300],
    [0, 896],
    [0, 1300],
  ]) {
    const [index, held] = started(1300, 1_000_000, true)
    const sorted = [...held.keys()].sort((a, b) => (held.get(a) as number) - (held.get(b) as number))
    expect(index.blocks).toHaveLength(3)
    move(index, held, { leaving: sorted.slice(from, to), entering: [] }, dice(1))
    expect(index.blocks.length).toBe(3 - Math.ceil((to - from) / 448))
    const key = 500_000
    move(index, held, { leaving: [], entering: [[9001, key]] }, dice(1))
    expect(index.lowerRank(key)).toBe([...held.values()].filter((each) => each < key).length)
  }
})

test('more entries than a block has room for are entered all the same', () => {
  for (const comers of [63, 64, 65, 66, 256, 257, 2000])
    for (const goers of [0, 1, 5]) {
      const [index, held] = started(896, 1_000_000, true)
      const sorted = [...held.keys()].sort((a, b) => (held.get(a) as number) - (held.get(b) as number))
      const key = (held.get(sorted[200]) as number) + 0.5
      const entering = upTo(comers).map((i) => [5001 + i * 2, key] as const)
      move(index, held, { leaving: sorted.slice(198, 198 + goers), entering }, dice(comers))
    }
})

test('entries are in order by key and then by record number, however they were added', () => {
  for (const count of [0, 1, 2, 50, 200]) {
    const roll = dice(count + 3)
    const entries = new NumberEntries()
    const expected = upTo(count).map((i): [key: number, slot: number] => [
      roll(8) === 0 ? Number.NEGATIVE_INFINITY : roll(6),
      (i * 37) % 401,
    ])
    for (const [key, slot] of expected) entries.add(key, slot)
    const { keys, slots } = entries.sorted()
    expected.sort(([a, i], [b, j]) => (a === b ? i - j : a < b ? -1 : 1))
    expect([...keys]).toEqual(expected.map(([key]) => key))
    expect([...slots]).toEqual(expected.map(([, slot]) => slot))
  }
})

test('to move what is not there is a fault of the store, and said to be one', () => {
  const [index] = started(100, 100, true)
  const leaving = new NumberEntries()
  leaving.add(5.5, 3)
  const moves = index.prepareMoves(leaving, new NumberEntries())
  expect(() => index.move(moves)).toThrow(/what leaves an index is in it/)
})
