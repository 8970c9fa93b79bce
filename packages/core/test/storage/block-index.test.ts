import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NumberIndex } from '../../src/storage/block-index.ts'
import { numberSortSteps } from '../../src/storage/slot-sorter.ts'
import { TextIndex } from '../../src/storage/text-index.ts'
import { runSteps } from '../../src/storage/text-prefixes.ts'
import { runs } from '../runs.ts'

type Entry<K> = readonly [key: K, slot: number]
const number = fc.oneof(
  fc.constantFrom(Number.NEGATIVE_INFINITY, -1, 0, 0.5, 1, 1e300),
  fc.integer({ min: 0, max: 40 }),
)
const KEYS = [null, '', 'a', 'ab', 'b', '\uff5e', 'zz']
const text = fc.constantFrom(...KEYS)

const byNumber = ([a, i]: Entry<number>, [b, j]: Entry<number>) =>
  a === b ? i - j : a < b ? -1 : 1
const byText = ([a, i]: Entry<string | null>, [b, j]: Entry<string | null>) =>
  a === b ? i - j : a === null ? -1 : b === null ? 1 : a < b ? -1 : 1

/** Bulk insertions first, so that blocks split and become empty, then single steps. */
const story = <K>(key: fc.Arbitrary<K>) =>
  fc.record({
    start: fc
      .tuple(fc.array(key, { maxLength: 12 }), fc.constantFrom(1, 1, 150))
      .map(([keys, times]) =>
        Array.from({ length: keys.length * times }, (_, i) => keys[(i * 7) % keys.length]),
      ),
    isBuilt: fc.boolean(),
    steps: fc.array(
      fc.tuple(fc.constantFrom('insert', 'remove', 'removeMany'), fc.nat(1500), key),
      { maxLength: 40 },
    ),
  })

function checkAgainst<K>(
  index: NumberIndex | TextIndex,
  entries: readonly Entry<K>[],
  probes: readonly K[],
  isBefore: (a: K, b: K) => boolean,
): void {
  const slots = entries.map(([, slot]) => slot)
  expect(index.size).toBe(slots.length)
  const out = new Int32Array(index.size)
  expect(index.slotsBetween(0, index.size, out)).toBe(slots.length)
  expect([...out]).toEqual(slots)
  for (const probe of probes) {
    const lower = entries.filter(([key]) => isBefore(key, probe)).length
    const upper = entries.filter(([key]) => !isBefore(probe, key)).length
    expect(index.lowerRank(probe as never)).toBe(lower)
    expect(index.upperRank(probe as never)).toBe(upper)
    const range = new Int32Array(Math.max(0, upper - lower))
    expect(index.slotsBetween(lower, upper, range)).toBe(range.length)
    expect([...range]).toEqual(slots.slice(lower, upper))
    range.fill(-1)
    expect(index.slotsBetween(lower, upper, range, true)).toBe(range.length)
    expect([...range]).toEqual(slots.slice(lower, upper).reverse())
    const bound = slots[slots.length >> 1] ?? 0
    const below = new Int32Array(range.length)
    const count = index.copyBelow(bound, lower, upper, below, 0)
    expect([...below.subarray(0, count)]).toEqual(
      slots.slice(lower, upper).filter((slot) => slot < bound),
    )
    if (lower < slots.length) expect(index.slotAt(lower)).toBe(slots[lower])
  }
}

test('a number index equals a sorted array, with its ranks and pages', () => {
  fc.assert(
    fc.property(
      story(number),
      fc.array(number, { maxLength: 4 }),
      ({ start, isBuilt, steps }, probes) => {
        const index = new NumberIndex()
        const keys = new Map<number, number>(start.map((key, slot) => [slot, key]))
        if (isBuilt) index.build(Int32Array.from(keys.keys()), Float64Array.from(keys.values()))
        else for (const [slot, key] of keys) index.insert(key, slot)
        const check = () => {
          const entries = [...keys].map(([slot, key]): Entry<number> => [key, slot]).sort(byNumber)
          checkAgainst(index, entries, probes, (a, b) => a < b)
        }
        check()
        for (const [kind, slot, key] of steps) {
          const known = keys.get(slot)
          if (kind === 'insert' && known === undefined) {
            index.reserve(1)
            index.insert(key, slot)
            keys.set(slot, key)
          } else if (kind === 'remove') {
            expect(index.remove(known ?? key, slot)).toBe(known !== undefined)
            keys.delete(slot)
          } else if (kind === 'removeMany') {
            for (const [each, held] of [...keys]) {
              if (held !== key) continue
              expect(index.remove(held, each)).toBe(true)
              keys.delete(each)
            }
          }
        }
        check()
      },
    ),
    runs(60),
  )
})

test('a text index equals a sorted array and stores no texts', () => {
  fc.assert(
    fc.property(story(text), ({ start, isBuilt, steps }) => {
      const keys = new Map<number, string | null>(start.map((key, slot) => [slot, key]))
      const index = new TextIndex((slot) => keys.get(slot) ?? null)
      if (isBuilt) index.build(Int32Array.from(keys.keys()))
      else for (const [slot, key] of keys) index.insert(key, slot)
      for (const [kind, slot, key] of steps) {
        const isKnown = keys.has(slot)
        if (kind === 'insert' && !isKnown) {
          keys.set(slot, key)
          index.insert(key, slot)
        } else if (kind === 'remove' && isKnown) {
          expect(index.remove(keys.get(slot) ?? null, slot)).toBe(true)
          keys.delete(slot)
        }
      }
      const entries = [...keys].map(([slot, key]): Entry<string | null> => [key, slot]).sort(byText)
      checkAgainst(index, entries, KEYS, (a, b) => byText([a, 0], [b, 0]) < 0)
    }),
    runs(40),
  )
})

test('an index stays sorted if it is filled in descending order, emptied from the middle and refilled', () => {
  const index = new NumberIndex()
  for (let slot = 3000; slot-- > 0; ) index.insert(slot, slot)
  for (let slot = 500; slot < 2500; slot++) expect(index.remove(slot, slot)).toBe(true)
  expect(index.lowerRank(2500)).toBe(500)
  for (let slot = 500; slot < 2500; slot += 2) index.insert(slot, slot)
  const out = new Int32Array(index.size)
  index.slotsBetween(0, index.size, out)
  expect([...out]).toEqual([...out].sort((a, b) => a - b))
  expect(index.size).toBe(2000)
})

test('sorting by number is stable, with every algorithm', () => {
  const keys = fc.oneof(
    fc.array(fc.nat(5), { minLength: 60, maxLength: 200, size: 'max' }),
    fc.array(fc.nat(4_294_967_295), { minLength: 60, maxLength: 200, size: 'max' }),
    fc.array(number, { maxLength: 200, size: 'max' }),
    fc.array(fc.constantFrom(Number.NEGATIVE_INFINITY, 4_294_967_296, -5, 1.5), {
      minLength: 64,
      maxLength: 90,
    }),
  )
  fc.assert(
    fc.property(keys, (values) => {
      const expected = values.map((key, slot): Entry<number> => [key, slot]).sort(byNumber)
      expect(Array.from(runSteps(numberSortSteps(Float64Array.from(values))))).toEqual(
        expected.map(([, slot]) => slot),
      )
    }),
    runs(300),
  )
})
