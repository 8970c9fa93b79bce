import { expect, test } from 'vitest'
import { progressText } from '../src/progress.ts'

test.each([
  [10_000, 0, 1000, '10,000 rows'],
  [250_000, 0.25, 1000, '250,000 rows, 25 %, 3 s left'],
  [10_000, 0.1, 60_000, '10,000 rows, 10 %, 9 min left'],
  [1_000_000, 1, 4000, '1,000,000 rows, 100 %'],
])('progress after %d rows has the share and the time that is left', (rows, share, ms, text) => {
  expect(progressText(rows, share, ms)).toBe(text)
})
