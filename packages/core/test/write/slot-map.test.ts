import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SlotMap } from '../../src/write/staged-values.ts'
import { runs } from '../runs.ts'

test('a slot map behaves as a map, and `clear` empties it', () => {
  const slot = fc.oneof(
    fc.nat(40),
    fc.nat(40).map((n) => n * 65_536),
    fc.constant(2_147_483_646),
  )
  const entries = fc.array(fc.tuple(slot, fc.integer({ min: -1, max: 1000 })), { maxLength: 200 })
  fc.assert(
    fc.property(fc.array(entries, { minLength: 1, maxLength: 4 }), (rounds) => {
      const map = new SlotMap()
      for (const round of rounds) {
        const expected = new Map<number, number>()
        for (const [each, place] of round) {
          expect(map.find(each)).toBe(expected.get(each) ?? -1)
          map.set(each, place)
          expected.set(each, place)
        }
        for (const [each, place] of expected) expect(map.find(each)).toBe(place)
        map.clear()
        for (const [each] of expected) expect(map.find(each)).toBe(-1)
      }
    }),
    runs(100),
  )
})
