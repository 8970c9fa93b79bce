/** The size of core, with its dependencies, in a browser bundle. */
import { gzipSync } from 'node:zlib'
import { root } from './prepare.mjs'

/** The goal for core, gzipped. */
export const goalBytes = 35_000
/**
 * The last recorded size, gzipped; `npm run size` prints the current one. A growth of more than 3 %
 * fails the tests. To accept it, record the new figure here and in README.md.
 */
export const recordedBytes = 145_300
export const budgetBytes = Math.floor(recordedBytes * 1.03)

/**
 * The options of esbuild for a browser bundle from the sources of the packages.
 * @satisfies {import('esbuild').BuildOptions}
 */
export const forBrowsers = {
  conditions: ['entia-source'],
  bundle: true,
  minify: true,
  format: /** @type {const} */ ('esm'),
  platform: /** @type {const} */ ('browser'),
  target: 'es2022',
  write: /** @type {const} */ (false),
}

/**
 * Bundles a program for browsers with esbuild.
 * @param {string} [contents]
 * @param {{ conditions?: string[] }} [options] without conditions, the program imports the built packages
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
  return { minified: bundle.length, gzipped: gzipSync(bundle, { level: 9 }).length, parts: partsOf(inputs) }
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
      .replace(/^packages\/core\/src\/([^/]+).*/, 'core $1')
    parts.set(part, (parts.get(part) ?? 0) + bytesInOutput)
  }
  return [...parts].filter(([, bytes]) => bytes > 0).sort(([, a], [, b]) => b - a)
}
