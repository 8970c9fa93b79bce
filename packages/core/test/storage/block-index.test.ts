import { describe, expect, test } from 'vitest'
import { BLOCK, NumberIndex } from '../../src/storage/block-index.ts'
import { TextIndex } from '../../src/storage/text-index.ts'
import { runSteps } from '../../src/storage/text-prefixes.ts'
import { verifyBlocks } from '../../src/storage/verify-values.ts'
import { runs } from '../runs.ts'
import { type Dice, dice, upTo } from './dice.ts'

type Key = number | string | null

/** An index, and the key of each record beside it. The index must equal a sort of these keys. */
class Pair {
  readonly keys = new Map<number, Key>()
  readonly index: NumberIndex | TextIndex
  readonly isNumber: boolean

  constructor(isNumber: boolean) {
    this.isNumber = isNumber
    this.index = isNumber
      ? new NumberIndex()
      : new TextIndex((slot) => this.keys.get(slot) as string | null)
  }
  /** Few keys, null among them, so that many records share one. */
  key(roll: Dice, most: number): Key {
    const number = roll(most + 1) - 1
    if (this.isNumber) return number < 0 ? Number.NEGATIVE_INFINITY : number / 2
    // As numbers, these texts would sort before null, which is 0.
    return number < 0 ? null : `-${String(number).padStart(4, '0')}`
  }
  build(keys: readonly Key[]): void {
    this.keys.clear()
    for (const [slot, key] of keys.entries()) this.keys.set(slot, key)
    const slots = Int32Array.from(this.keys.keys())
    if (this.index instanceof NumberIndex)
      runSteps(this.index.buildSteps(slots, Float64Array.from(keys as number[])))
    else runSteps(this.index.buildSteps(slots))
  }
  insert(key: Key, slot: number): void {
    this.keys.set(slot, key)
    this.index.insert(key as never, slot)
  }
  remove(slot: number): void {
    expect(this.index.remove(this.keys.get(slot) as never, slot)).toBe(true)
    this.keys.delete(slot)
  }
  /** Records in order: by key, null first, then by record number. */
  sorted(): number[] {
    const { keys } = this
    return [...keys.keys()].sort((a, b) => {
      const [left, right] = [keys.get(a) as Key, keys.get(b) as Key]
      if (left === right) return a - b
      return left === null ? -1 : right === null ? 1 : left < right ? -1 : 1
    })
  }
  mustHold(): number[] {
    const { index, keys } = this
    const expected = this.sorted()
    verifyBlocks(
      index,
      (slot) => keys.get(slot) as number,
      (invariant) => {
        throw new Error(invariant)
      },
    )
    expect(index.size).toBe(expected.length)
    const found = new Int32Array(expected.length)
    expect(index.slotsBetween(0, expected.length, found)).toBe(expected.length)
    expect(found.join()).toBe(expected.join())
    return expected
  }
  mustRank(expected: readonly number[], key: Key): void {
    const { index, keys } = this
    const isBefore = (slot: number, orAt: boolean) => {
      const held = keys.get(slot) as Key
      if (held === key) return orAt
      return held === null || (key !== null && held < key)
    }
    expect(index.lowerRank(key as never)).toBe(
      expected.filter((slot) => isBefore(slot, false)).length,
    )
    expect(index.upperRank(key as never)).toBe(
      expected.filter((slot) => isBefore(slot, true)).length,
    )
  }
}

/** Ranks at the start and end of each block, and the ranks next to them. */
function ranksOf({ index }: Pair): number[] {
  const ranks = new Set([0, 1, index.size - 1, index.size])
  let at = 0
  for (const { count } of index.blocks) {
    at += count
    for (const rank of [at - 1, at, at + 1, at - (count >> 1)])
      if (rank >= 0 && rank <= index.size) ranks.add(rank)
  }
  return [...ranks].filter((rank) => rank >= 0).sort((a, b) => a - b)
}

describe.each([
  ['numbers', true],
  ['texts', false],
] as const)('an index of %s', (_, isNumber) => {
  test('stays sorted after any insertions and removals', () => {
    for (let seed = 1; seed <= runs(5).numRuns; seed++) {
      const roll = dice(seed)
      const pair = new Pair(isNumber)
      const most = [3, 40, 2000][seed % 3]
      if (seed % 2 === 0) pair.build(upTo(1400).map(() => pair.key(roll, most)))
      for (let round = 0; round < 12; round++) {
        const act = roll(4)
        // Neighbouring records, records everywhere, or all records of some blocks.
        const start = roll(3000)
        for (let i = 0; i < 150; i++) {
          const slot = act % 2 === 0 ? start + i : roll(4000)
          if (pair.keys.has(slot)) continue
          pair.insert(pair.key(roll, most), slot)
        }
        if (act === 3) for (const slot of pair.sorted().slice(100, 800)) pair.remove(slot)
        if (act === 1)
          for (const slot of pair.sorted().filter((each) => each % 3 === 0)) pair.remove(slot)
        const expected = pair.mustHold()
        for (let i = 0; i < 5; i++) pair.mustRank(expected, pair.key(roll, most))
      }
      for (const slot of pair.sorted()) pair.remove(slot)
      expect([pair.mustHold(), pair.index.blocks.length]).toEqual([[], 0])
    }
  })

  test('is read between any two ranks, in both directions', () => {
    const roll = dice(4)
    const pair = new Pair(isNumber)
    for (const slot of upTo(1700)) pair.insert(pair.key(roll, 30), (slot * 617) % 1700)
    const expected = pair.mustHold()
    expect(pair.index.blocks.length).toBeGreaterThan(3)
    const ranks = ranksOf(pair)
    for (const rank of ranks)
      if (rank < expected.length) expect(pair.index.slotAt(rank)).toBe(expected[rank])
    for (const from of ranks)
      for (const to of ranks) {
        const wanted = expected.slice(from, Math.max(from, to))
        const out = new Int32Array(wanted.length + 2).fill(-7)
        expect(pair.index.slotsBetween(from, to, out)).toBe(wanted.length)
        expect(out.join()).toBe([...wanted, -7, -7].join())
        out.fill(-7)
        expect(pair.index.slotsBetween(from, to, out, true)).toBe(wanted.length)
        expect(out.join()).toBe([...wanted.reverse(), -7, -7].join())
      }
  })

  test('gives the records below a bound between any two ranks', () => {
    const roll = dice(5)
    const pair = new Pair(isNumber)
    pair.build(upTo(1500).map(() => pair.key(roll, 30)))
    const expected = pair.mustHold()
    for (const from of ranksOf(pair))
      for (const to of ranksOf(pair))
        for (const bound of [0, 700, 1500]) {
          const wanted = expected.slice(from, Math.max(from, to)).filter((slot) => slot < bound)
          const out = new Int32Array(wanted.length + 4).fill(-7)
          expect(pair.index.copyBelow(bound, from, to, out, 2)).toBe(2 + wanted.length)
          expect(out.subarray(0, 2 + wanted.length).join()).toBe([-7, -7, ...wanted].join())
        }
  })

  test('`remove` returns false for a missing entry and changes nothing', () => {
    const roll = dice(6)
    const pair = new Pair(isNumber)
    const absent = (key: Key, slot: number) => {
      pair.keys.set(slot, key)
      expect(pair.index.remove(key as never, slot)).toBe(false)
      pair.keys.delete(slot)
    }
    absent(pair.key(roll, 5), 3)
    pair.build(upTo(1000).map(() => pair.key(roll, 5)))
    for (let i = 0; i < 40; i++) absent(pair.key(roll, 8), 1000 + i)
    // An entry that was removed just now, at the end of its block or elsewhere.
    for (const slot of pair
      .sorted()
      .filter((_, rank) => rank === 999 || rank === 447 || rank % 100 === 0)) {
      const key = pair.keys.get(slot) as Key
      pair.remove(slot)
      absent(key, slot)
      pair.insert(key, slot)
    }
    const expected = pair.mustHold()
    expect(expected).toHaveLength(1000)
    if (isNumber)
      for (const slot of expected) expect(pair.index.remove(77 as never, slot)).toBe(false)
  })

  test('is built in order if its blocks are exactly full, or one entry more', () => {
    for (const count of [0, 1, 2, 63, 64, 447, 448, 449, 511, 512, 513, 896, 897]) {
      const roll = dice(count + 1)
      const pair = new Pair(isNumber)
      pair.build(upTo(count).map(() => pair.key(roll, 20)))
      expect(pair.mustHold()).toHaveLength(count)
      pair.insert(pair.key(roll, 20), count)
      expect(pair.mustHold()).toHaveLength(count + 1)
      pair.mustRank(pair.sorted(), pair.key(roll, 20))
    }
  })

  test('inserts as many entries as were reserved without allocating memory', () => {
    for (const [start, insertions] of [
      [0, 1],
      [0, 600],
      [1, 1],
      [448, 1],
      [512, 1],
      [512, 3],
      [900, 2],
      [2000, 30],
      [2000, 1500],
    ]) {
      const roll = dice(start + insertions)
      const pair = new Pair(isNumber)
      // Random keys fill one block after another.
      for (let slot = 0; slot < start; slot++) pair.insert(pair.key(roll, 5000), slot)
      pair.index.reserve(insertions)
      Object.defineProperty(pair.index, 'createBlock', {
        value: () => {
          throw new RangeError('out of memory')
        },
      })
      const same = pair.key(roll, 5000)
      for (let i = 0; i < insertions; i++)
        pair.insert(i % 2 === 0 ? same : pair.key(roll, 5000), start + i)
      pair.mustHold()
    }
  })
})

test('a block never holds more entries than its capacity, and no block is empty', () => {
  const index = new NumberIndex()
  for (let slot = 0; slot < 5 * BLOCK; slot++) {
    index.insert(-slot, slot)
    if (slot === BLOCK - 1) expect(index.blocks.map(({ count }) => count)).toEqual([BLOCK])
  }
  expect(index.blocks.every(({ count }) => count > 0 && count <= BLOCK)).toBe(true)
  expect(index.blocks.length).toBeLessThanOrEqual(10)
})
