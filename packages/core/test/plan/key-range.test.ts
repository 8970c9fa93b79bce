import fc from 'fast-check'
import { expect, test } from 'vitest'
import { intersectRanges, type NumberRanges, type TextRanges } from '../../src/plan/key-range.ts'
import { runs } from '../runs.ts'

const bounds = fc.uniqueArray(fc.nat(20), { maxLength: 12 }).map((all) => all.sort((a, b) => a - b))
const flags = { nulls: false, isPoints: false, isExact: true } as const

/** Closed ranges, ascending and disjoint; some are a single value. */
const numbers = bounds.chain((all) =>
  fc
    .array(fc.boolean(), { minLength: all.length, maxLength: all.length })
    .map((isPoint): NumberRanges => {
      const ranges: { low: number; high: number }[] = []
      for (let i = 0; i < all.length; i++) {
        const isLong = !isPoint[i] && i + 1 < all.length
        ranges.push({ low: all[i], high: isLong ? all[i + 1] : all[i] })
        if (isLong) i++
      }
      return { kind: 'number', ranges, ...flags }
    }),
)

/** Half-open ranges, ascending and disjoint; the last may be unbounded. */
const texts = fc.tuple(bounds, fc.boolean()).map(([all, hasEnd]): TextRanges => {
  const keys = all.map((at) => String.fromCharCode(97 + at))
  const ranges: { low: string; high: string | null }[] = []
  for (let i = 0; i < keys.length; i += 2) ranges.push({ low: keys[i], high: keys[i + 1] ?? null })
  if (hasEnd && ranges.at(-1)?.high === null) ranges.pop()
  return { kind: 'text', ranges, ...flags }
})

const holdsNumber = ({ ranges }: NumberRanges, key: number): boolean =>
  ranges.some(({ low, high }) => key >= low && key <= high)
const holdsText = ({ ranges }: TextRanges, key: string): boolean =>
  ranges.some(({ low, high }) => key >= low && (high === null || key < high))

test('the intersection of ranges of numbers holds the keys of both', () => {
  fc.assert(
    fc.property(numbers, numbers, (a, b) => {
      const shared = intersectRanges(a, b) as NumberRanges
      for (let key = -1; key < 22; key++)
        expect(holdsNumber(shared, key)).toBe(holdsNumber(a, key) && holdsNumber(b, key))
      for (let i = 1; i < shared.ranges.length; i++)
        expect(shared.ranges[i].low).toBeGreaterThan(shared.ranges[i - 1].high)
    }),
    runs(500),
  )
})

test('the intersection of ranges of texts holds the keys of both', () => {
  fc.assert(
    fc.property(texts, texts, (a, b) => {
      const shared = intersectRanges(a, b) as TextRanges
      for (let at = 0; at < 24; at++) {
        const key = String.fromCharCode(96 + at)
        expect(holdsText(shared, key)).toBe(holdsText(a, key) && holdsText(b, key))
      }
      for (let i = 1; i < shared.ranges.length; i++)
        expect(shared.ranges[i].low >= (shared.ranges[i - 1].high as string)).toBe(true)
    }),
    runs(500),
  )
})

test('two long lists are traversed once', () => {
  const list = (step: number): NumberRanges => ({
    kind: 'number',
    ranges: Array.from({ length: 200_000 }, (_, i) => ({ low: i * step, high: i * step })),
    ...flags,
  })
  // Compared pair by pair, they would be 40 000 000 000 pairs.
  expect(intersectRanges(list(2), list(3)).ranges).toHaveLength(66_667)
})
