import { expect, test } from 'vitest'
import { budgetBytes, measureBundle, recordedBytes } from '../bundle-size.mjs'
import { readText } from './source-files.ts'

test('core in a browser bundle is within 3 % of its recorded size, and not much smaller', async () => {
  const { gzipped, parts } = await measureBundle()
  expect(gzipped).toBeLessThanOrEqual(budgetBytes)
  // An outdated figure would allow growth.
  expect(gzipped).toBeGreaterThan(recordedBytes * 0.94)
  expect(parts.map(([part]) => part)).toEqual(expect.arrayContaining(['core engine', 'core filter', 'immer']))
})

test('the page on browsers has the recorded figure', () => {
  expect(readText('docs/how-to/browser.md')).toContain(`${Math.round(recordedBytes / 1000)} kB gzipped`)
})

test('an import of another package adds only that import', async () => {
  const { gzipped } = await measureBundle("export { EntiaError } from '@entia/core'")
  expect(gzipped).toBeLessThan(10_000)
})
