import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RangeList } from '../../src/live/live-anchor.ts'
import { patience, runs } from '../runs.ts'

interface Range {
  readonly low: number
  readonly high: number | null
}
const range: fc.Arbitrary<Range> = fc
  .tuple(fc.nat(40), fc.option(fc.nat(40), { freq: 5 }))
  .map(([low, width]) => ({ low, high: width === null ? null : low + width }))

test(
  'the ranges that contain a key are found after any number of additions and removals',
  patience,
  () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(range, fc.nat(9)), { maxLength: 600, size: 'max' }),
        fc.array(fc.nat(80), { minLength: 5, maxLength: 5 }),
        (steps, keys) => {
          const list = new RangeList<number, Range>()
          const kept: Range[] = []
          for (const [range, roll] of steps) {
            const gone =
              roll < 3 ? kept.splice(range.low % Math.max(1, kept.length), 1)[0] : undefined
            if (gone !== undefined) list.delete(gone.low, gone.high, gone)
            else {
              kept.push(range)
              list.add(range.low, range.high, range)
            }
          }
          expect(list.size).toBe(kept.length)
          for (const key of keys) {
            const found: Range[] = []
            list.collect(key, (range) => found.push(range))
            const expected = kept.filter(
              ({ low, high }) => low <= key && (high === null || key <= high),
            )
            expect(new Set(found)).toEqual(new Set(expected))
            expect(found.length).toBe(expected.length)
          }
          for (const range of kept) list.delete(range.low, range.high, range)
          expect(list.size).toBe(0)
        },
      ),
      runs(60),
    )
  },
)
