/**
 * `npm run release`: checks what would be published (`npm run packages:check`: packs every package,
 * installs the tarballs into an empty project, and runs the tutorial, examples and the conformance
 * suite there), then runs `npm publish --dry-run` for each tarball. `-- --publish` publishes them
 * with provenance, which npm makes only in a CI job with an identity token.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { packAll } from './packages/pack.mjs'
import { npm, PrepareError, root, run, runMain } from './prepare.mjs'

await runMain(async () => {
  const isPublished = readOptions()
  if (run(process.execPath, [join(root, 'scripts/packages-check.mjs')]) !== 0)
    throw new PrepareError('Nothing is published: a check of the packages failed (see above).')
  const folder = mkdtempSync(join(tmpdir(), 'entia-release-'))
  try {
    // In the order in which packages depend on each other, so that each can be installed at once.
    for (const { name, tarball } of await packAll(folder)) {
      console.log(`\n== ${isPublished ? 'publishing' : 'would publish'} ${name}`)
      const how = isPublished ? ['--provenance'] : ['--dry-run', '--loglevel=error']
      if (npm('publish', tarball, '--access', 'public', ...how) !== 0)
        throw new PrepareError(`npm publish of ${name} failed (see above). Those before are out.`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  if (!isPublished) console.log('\nNothing was published. `npm run release -- --publish` does.')
})

/** True to publish. Anything but `--publish` is refused before the checks, which take minutes. */
function readOptions() {
  try {
    return parseArgs({ options: { publish: { type: 'boolean' } } }).values.publish === true
  } catch (error) {
    throw new PrepareError(
      `${/** @type {Error} */ (error).message} Usage: npm run release [-- --publish]`,
    )
  }
}
