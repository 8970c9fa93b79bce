import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NumberIndex } from '../../src/storage/block-index.ts'
import { NumberEntries } from '../../src/storage/block-moves.ts'
import { runs } from '../arbitraries.ts'

const key = fc.oneof(fc.constantFrom(Number.NEGATIVE_INFINITY, -1.5, 0, 1e300), fc.integer({ min: 0, max: 30 }))

/** What is there (some blocks full, for `times` is large), then rounds of changes: a record to another key, away, or new. */
const story = fc.record({
  start: fc
    .tuple(fc.array(key, { maxLength: 12 }), fc.constantFrom(1, 40, 150))
    .map(([keys, times]) => Array.from({ length: keys.length * times }, (_, i) => keys[(i * 7) % keys.length])),
  isBuilt: fc.boolean(),
  rounds: fc.array(
    fc.record({
      every: fc.constantFrom(1, 2, 3, 50),
      from: key,
      to: fc.option(key),
      arrivals: fc.tuple(key, fc.constantFrom(0, 1, 300, 1500)),
    }),
    { minLength: 1, maxLength: 4 },
  ),
})

test('moving many entries at once is removing and inserting them one by one', () => {
  fc.assert(
    fc.property(story, ({ start, isBuilt, rounds }) => {
      const index = new NumberIndex()
      const held = new Map<number, number>(start.map((each, slot) => [slot, each]))
      if (isBuilt) index.build(Int32Array.from(held.keys()), Float64Array.from(held.values()))
      else for (const [slot, each] of held) index.insert(each, slot)
      let next = start.length
      for (const { every, from, to, arrivals } of rounds) {
        const leaving = new NumberEntries()
        const entering = new NumberEntries()
        for (const [slot, each] of [...held].reverse()) {
          if (slot % every !== 0 || (every < 50 && each < from)) continue
          leaving.add(each, slot)
          held.delete(slot)
          if (to === null) continue
          // Some of them come back to where they were.
          const back = slot % 4 === 0 ? each : to
          entering.add(back, slot)
          held.set(slot, back)
        }
        const [arriving, count] = arrivals
        for (let i = 0; i < count; i++) {
          entering.add(arriving, next)
          held.set(next++, arriving)
        }
        index.move(index.prepareMoves(leaving, entering))
        const expected = [...held].sort(([i, a], [j, b]) => (a === b ? i - j : a < b ? -1 : 1)).map(([slot]) => slot)
        const found = new Int32Array(index.size)
        expect(index.size).toBe(expected.length)
        index.slotsBetween(0, index.size, found)
        expect([...found]).toEqual(expected)
        expect(index.lowerRank(from)).toBe([...held.values()].filter((each) => each < from).length)
      }
      // Blocks that were passed over take single entries as before.
      for (const [slot, each] of held) expect(index.remove(each, slot)).toBe(true)
      expect(index.size).toBe(0)
    }),
    runs(150),
  )
})

test('what was prepared needs no further block', () => {
  const index = new NumberIndex()
  index.build(
    Int32Array.from({ length: 448 }, (_, slot) => slot),
    new Float64Array(448),
  )
  const entering = new NumberEntries()
  for (let slot = 448; slot < 6000; slot++) entering.add(0, slot)
  const moves = index.prepareMoves(new NumberEntries(), entering)
  Object.defineProperty(index, 'createBlock', {
    value: () => {
      throw new RangeError('out of memory')
    },
  })
  index.move(moves)
  const found = new Int32Array(index.size)
  index.slotsBetween(0, index.size, found)
  expect([...found]).toEqual(Array.from({ length: 6000 }, (_, slot) => slot))
})
