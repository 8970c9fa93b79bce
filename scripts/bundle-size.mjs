/** The sizes of core, with its dependencies, and of the client in a browser bundle. */
import { gzipSync } from 'node:zlib'
import { root } from './prepare.mjs'

/**
 * What a page may bundle: the program, the goal, and the last recorded size, gzipped. Sizes above
 * the goal, or 3 % above the recorded size where that is above the goal, fail the tests. Record a
 * new figure here and in docs/how-to/browser.md; `npm run size` prints the current ones.
 * @type {readonly { name: string, program: string, goal: number, recorded: number }[]}
 */
export const bundles = [
  {
    name: 'the kernel',
    program: "export { attribute, createStore, defineDataClass } from '@entia/core/kernel'",
    goal: 80_000,
    recorded: 85_900,
  },
  {
    name: 'the kernel with live queries and aggregates',
    program:
      "export { aggregates, attribute, createStore, defineDataClass, liveQueries } from '@entia/core/kernel'",
    goal: 90_000,
    recorded: 100_800,
  },
  {
    name: 'the kernel with a journal',
    program:
      "export { attribute, createStore, defineDataClass } from '@entia/core/kernel'; export { openBrowserJournal } from '@entia/core/browser'",
    goal: 105_000,
    recorded: 105_500,
  },
  {
    name: 'the kernel with a journal and a replica',
    program:
      "export { attribute, defineDataClass } from '@entia/core/kernel'; export { openBrowserJournal } from '@entia/core/browser'; export { connect } from '@entia/client'; export { replicate } from '@entia/replica/kernel'",
    goal: 112_000,
    recorded: 139_700,
  },
  { name: 'everything', program: "export * from '@entia/core'", goal: 115_000, recorded: 174_300 },
  {
    name: 'the client',
    program: "export * from '@entia/client'",
    goal: 9_000,
    recorded: 12_600,
  },
  {
    name: 'the asynchronous interface, without a store',
    program: "export * from '@entia/core/async'",
    goal: 6_500,
    recorded: 13_100,
  },
  {
    name: 'the client and the hooks for React',
    program: "export * from '@entia/client'\nexport * from '@entia/react'",
    goal: 12_000,
    recorded: 16_500,
  },
]
/** The names of the capabilities that a page can add to the kernel, of the built package. */
export async function capabilityNames() {
  const exported = Object.entries(await import('@entia/core/kernel'))
  return exported.flatMap(([name, value]) =>
    typeof value === 'object' && 'name' in value && value.name === name ? [name] : [],
  )
}

/**
 * The goal, where it is reached, and else 3 % above the recorded size.
 * @param {{ goal: number, recorded: number }} bundle
 */
export const budgetOf = ({ goal, recorded }) =>
  recorded <= goal ? goal : Math.floor(recorded * 1.03)

/**
 * The options of esbuild for a browser bundle of the built packages, as users bundle them.
 * @satisfies {import('esbuild').BuildOptions}
 */
export const forBrowsers = {
  bundle: true,
  minify: true,
  format: /** @type {const} */ ('esm'),
  platform: /** @type {const} */ ('browser'),
  target: 'es2022',
  external: ['react'],
  write: /** @type {const} */ (false),
  logLevel: /** @type {const} */ ('error'),
}

/**
 * Bundles a program for browsers with esbuild.
 * @param {string} [contents]
 * @param {{ conditions?: string[] }} [options] `entia-source` bundles the sources
 */
export async function measureBundle(contents = "export * from '@entia/core'", options = {}) {
  const { build } = await import('esbuild')
  const { outputFiles, metafile } = await build({
    ...forBrowsers,
    ...options,
    stdin: { contents, resolveDir: root },
    metafile: true,
    absWorkingDir: root,
  })
  const [{ contents: bundle }] = outputFiles
  const [{ inputs }] = Object.values(metafile.outputs)
  return {
    minified: bundle.length,
    gzipped: gzipSync(bundle, { level: 9 }).length,
    parts: partsOf(inputs),
  }
}

/**
 * Minified bytes by module of core and by package, largest first.
 * @param {Record<string, { bytesInOutput: number }>} inputs
 */
function partsOf(inputs) {
  /** @type {Map<string, number>} */
  const parts = new Map()
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    const part = path
      .replace(/^node_modules\/((@[^/]+\/)?[^/]+)\/.*/, '$1')
      .replace(/^packages\/core\/(src|dist\/modules)\/(?:store\/(?=\w+\/))?([^/]+).*/, 'core $2')
    parts.set(part, (parts.get(part) ?? 0) + bytesInOutput)
  }
  return [...parts].filter(([, bytes]) => bytes > 0).sort(([, a], [, b]) => b - a)
}
