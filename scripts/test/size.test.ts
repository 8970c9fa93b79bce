import { expect, test } from 'vitest'
import { budgetBytes, measureBundle, recordedBytes } from '../bundle-size.mjs'
import { readText } from './source-files.ts'

test('core in a browser bundle is not more than 3 % larger than it was recorded, nor much smaller', async () => {
  const { gzipped, parts } = await measureBundle()
  expect(gzipped).toBeLessThanOrEqual(budgetBytes)
  // A figure that is far off guards nothing.
  expect(gzipped).toBeGreaterThan(recordedBytes * 0.94)
  expect(parts.map(([part]) => part)).toEqual(expect.arrayContaining(['core engine', 'core filter', 'immer']))
})

test('the page on browsers has the figure that was recorded', () => {
  expect(readText('docs/how-to/browser.md')).toContain(`${Math.round(recordedBytes / 1000)} kB gzipped`)
})

test('what is imported of the rest is what it adds', async () => {
  const { gzipped } = await measureBundle("export { EntiaError } from '@entia/core'")
  expect(gzipped).toBeLessThan(10_000)
})
