import { beforeAll, expect, test } from 'vitest'
import { ALL_CAPABILITIES } from '../../packages/core/src/store/create-store.ts'
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

test.each([
  ['docs/how-to/client.md', 'the client', 'it is $ of a bundle'],
  ['packages/client/README.md', 'the client', 'It is $ of a bundle'],
  ['packages/react/README.md', 'the client and the hooks for React', 'with the client $,'],
  ['docs/explanation/comparison.md', 'the kernel', 'The kernel of Entia takes $,'],
  [
    'docs/explanation/comparison.md',
    'the client and the hooks for React',
    'client with the hooks for React $:',
  ],
])('%s has the recorded figure of %s', (page, of, sentence) => {
  const { recorded } = bundles.find(({ name }) => name === of)!
  const figure = `${(recorded / 1000).toFixed(1)} kB`
  expect(readText(page).replace(/\s+/g, ' ')).toContain(sentence.replace('$', () => figure))
})

test('the README counts the dependencies of core', () => {
  const { dependencies } = JSON.parse(readText('packages/core/package.json'))
  const word = ['no', 'one', 'two', 'three', 'four'][Object.keys(dependencies).length]
  expect(readText('README.md')).toContain(`with ${word} small dependencies`)
})

test('every capability is measured, and in the page on browsers', async () => {
  const names = (await capabilityNames()).sort()
  expect(names).toEqual(ALL_CAPABILITIES.map(({ name }) => name).sort())
  expect(
    readText('docs/how-to/browser.md')
      .match(/(?<=^\| `)\w+(?=` \|)/gm)
      ?.sort(),
  ).toEqual(names)
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
