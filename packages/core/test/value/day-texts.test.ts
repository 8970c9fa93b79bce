import { describe, expect, test } from 'vitest'
import { DayTexts } from '../../src/value/date.ts'

/** What JavaScript writes for a day. */
const plainText = (day: number): string => new Date(day * 86_400_000).toISOString().split('T')[0]

function expectTexts(texts: DayTexts, days: readonly number[]): void {
  expect(days.map((day) => texts.of(day))).toEqual(days.map(plainText))
}

describe('texts of days', () => {
  test('are right for consecutive days in both directions, and repeatedly', () => {
    const days = Array.from({ length: 250 }, (_, i) => i - 125)
    for (const inOrder of [days, days.toReversed()]) {
      const texts = new DayTexts()
      expectTexts(texts, inOrder)
      expectTexts(texts, inOrder)
    }
  })

  test('are right for the first day', () => {
    for (const day of [0, 1, 5, 31, 32, 37, 63, 19_000, 19_751, -1, -33, -25_567, -719_528])
      expect(new DayTexts().of(day)).toBe(plainText(day))
  })

  test('stay right for distant days that share a place', () => {
    const texts = new DayTexts()
    const asked: number[] = []
    for (const day of [0, 256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536]) {
      asked.push(day, day + 1)
      expectTexts(texts, [day, day + 1])
      expectTexts(texts, asked.slice(0, 4))
    }
    expectTexts(texts, asked)
    expectTexts(texts, asked.toReversed())
  })

  test('include the first and the last day of dates', () => {
    const texts = new DayTexts()
    expectTexts(texts, [100_000_000, 99_999_999, 0, -99_999_999, -100_000_000, 100_000_000])
  })
})
