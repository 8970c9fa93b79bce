import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareKeys, keysOfScalars, type OrderKeys } from '../../src/execute/order-keys.ts'
import { bucketsOf } from '../../src/execute/sort-ranges.ts'
import { runSteps } from '../../src/storage/text-prefixes.ts'
import { runs } from '../runs.ts'

const number = fc.oneof(
  fc.integer({ min: -5, max: 90 }),
  fc.double({ noNaN: true }),
  fc.constantFrom(-0, 0, 1e300),
)
const keys: fc.Arbitrary<OrderKeys> = fc.oneof(
  fc.array(fc.option(number), { maxLength: 300 }).map(keysOfScalars),
  fc.array(fc.option(fc.integer({ min: 3, max: 7 })), { maxLength: 300 }).map(keysOfScalars),
  fc.array(fc.option(fc.string({ maxLength: 12 })), { maxLength: 300 }).map(keysOfScalars),
  fc.array(fc.constantFrom(null, 'same'), { maxLength: 300 }).map(keysOfScalars),
  fc
    .array(fc.nat(9), { maxLength: 300 })
    .map((ranks) => ({ kind: 'number' as const, keys: Float64Array.from(ranks), limit: 10 })),
)

test('buckets hold every place once, in the order of the keys, and ties in the order of places', () => {
  fc.assert(
    fc.property(keys, fc.boolean(), (keys, descending) => {
      const buckets = runSteps(bucketsOf(keys, descending))
      if (buckets === null) return
      const { places, starts, isExact } = buckets
      const count = keys.keys.length
      expect([...places].sort((a, b) => a - b)).toEqual([...Array(count).keys()])
      expect([starts[0], starts[starts.length - 1]]).toEqual([0, count])
      for (let b = 0; b + 1 < starts.length; b++) {
        for (let i = starts[b] + 1; i < starts[b + 1]; i++) {
          expect(places[i - 1]).toBeLessThan(places[i])
          if (isExact) expect(compareKeys(keys, places[i - 1], places[i])).toBe(0)
        }
      }
      const bucketOf = Int32Array.from(places.keys(), (place) =>
        starts.findLastIndex((start) => start <= place),
      )
      for (let i = 1; i < count; i++) {
        const order = compareKeys(keys, places[i - 1], places[i])
        if (bucketOf[i - 1] < bucketOf[i])
          expect(descending ? -order : order).toBeLessThanOrEqual(0)
      }
      const isMixed = new Set(keys.keys).size > 1
      if (isMixed && !isExact)
        expect(new Set(bucketOf).size).toBeGreaterThan(keys.kind === 'text' ? 0 : 1)
    }),
    runs(400),
  )
})
