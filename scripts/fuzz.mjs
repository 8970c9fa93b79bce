/**
 * `npm run test:fuzz`: a million inputs for the parsers of external text, and 100 000 requests in
 * process. Exits with 1 if anything is found; each finding includes the command that repeats it.
 *
 *     npm run test:fuzz -- --inputs 100000 --requests 10000 --guided 0 --seed 7
 *     npm run test:fuzz -- --only journal --inputs 50000 --requests 0
 *     npm run test:fuzz -- --replay filter:<as printed>
 *
 * The sources are bundled into one file, so that plain Node runs them and coverage covers one
 * script.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkNode, ensureInstalled, root, run, runMain } from './prepare.mjs'

await runMain(async () => {
  checkNode()
  ensureInstalled()
  const { build } = await import('esbuild')
  const folder = mkdtempSync(join(tmpdir(), 'entia-fuzz-'))
  try {
    const outfile = join(folder, 'fuzz.mjs')
    await build({
      entryPoints: [`${root}packages/rest/test/fuzz/main.ts`],
      conditions: ['entia-source'],
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      // CommonJS dependencies in the bundle need `require`.
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
      outfile,
      absWorkingDir: root,
    })
    process.exitCode = run(process.execPath, [
      '--enable-source-maps',
      outfile,
      ...process.argv.slice(2),
    ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
