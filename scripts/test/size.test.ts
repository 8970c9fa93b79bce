import { beforeAll, expect, test } from 'vitest'
import * as kernel from '../../packages/core/src/kernel.ts'
import { ALL_CAPABILITIES } from '../../packages/core/src/store/capabilities.ts'
import { setup } from '../build-before-tests.mjs'
import { budgetOf, bundles, capabilityNames, measureBundle } from '../bundle-size.mjs'
import { readText } from './source-files.ts'

// The sizes are those of the built packages.
beforeAll(setup, 180_000)

test.each(bundles)(
  '$name in a browser bundle is within its budget, and not much smaller than recorded',
  async (one) => {
    const { gzipped } = await measureBundle(one.program)
    expect(gzipped).toBeLessThanOrEqual(budgetOf(one))
    // An outdated figure would allow growth.
    expect(gzipped).toBeGreaterThan(one.recorded * 0.94)
  },
)

test('the page on browsers has the recorded figures', () => {
  const page = readText('docs/how-to/browser.md')
  for (const { name, recorded } of bundles) {
    const row = page.split('\n').find((line) => line.startsWith(`| ${name} |`))
    expect(row).toContain(`| ${(recorded / 1000).toFixed(1)} kB |`)
  }
})

test('every capability is measured', () => {
  expect([...capabilityNames].sort()).toEqual(ALL_CAPABILITIES.map(({ name }) => name).sort())
  expect(Object.keys(kernel)).toEqual(expect.arrayContaining(capabilityNames))
})

test('the kernel bundles no capability', async () => {
  const [{ program }] = bundles as [(typeof bundles)[0]]
  const { parts } = await measureBundle(program)
  const names = parts.map(([part]) => part)
  expect(names).toEqual(expect.arrayContaining(['core kernel', 'core filter', 'core storage']))
  const optional = [
    'aggregate',
    'projection',
    'explain',
    'live',
    'view',
    'past',
    'dump',
    'server-state',
    'capability',
  ]
  for (const part of [...optional.map((name) => `core ${name}`), 'immer', 'lru-cache'])
    expect(names).not.toContain(part)
})

test('an import of another package adds only that import', async () => {
  const { gzipped } = await measureBundle("export { EntiaError } from '@entia/core'")
  expect(gzipped).toBeLessThan(10_000)
})
