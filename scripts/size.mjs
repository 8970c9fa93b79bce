/** `npm run size`: the size of core with its dependencies in a minified, gzipped browser bundle, against the goal. */
import { gzipSync } from 'node:zlib'
import { checkNode, ensureInstalled, root, runMain } from './prepare.mjs'

const goalBytes = 35_000

await runMain(async () => {
  checkNode()
  ensureInstalled()
  const { build } = await import('esbuild')
  const { outputFiles, metafile } = await build({
    stdin: { contents: "export * from '@entia/core'", resolveDir: root },
    conditions: ['entia-source'],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    metafile: true,
    write: false,
    absWorkingDir: root,
  })
  const [bundle] = outputFiles
  const gzipped = gzipSync(bundle.contents, { level: 9 }).length
  const [output] = Object.values(metafile.outputs)
  for (const [part, bytes] of partsOf(output.inputs)) console.log(`${String(bytes).padStart(8)}  ${part}`)
  console.log(`@entia/core in a browser: ${bundle.contents.length} bytes minified, ${gzipped} bytes gzipped`)
  const isReached = gzipped <= goalBytes
  console.log(
    `goal: ${goalBytes} bytes (35 kB) gzipped: ${isReached ? 'reached' : `${gzipped - goalBytes} bytes above`}`,
  )
  process.exitCode = isReached ? 0 : 1
})

/**
 * Minified bytes by room of core and by package, largest first.
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
