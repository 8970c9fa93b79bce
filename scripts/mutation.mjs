/**
 * `npm run test:mutation`: installs what only this needs (Stryker, 160 packages beside the workspaces), then changes the sources one
 * small thing at a time and counts what the tests notice. scripts/mutation/run.mjs tells the options.
 */
import { checkNode, ensureInstalled, isInstalled, npm, PrepareError, root, run, runMain } from './prepare.mjs'

const directory = `${root}scripts/mutation`

await runMain(() => {
  checkNode()
  ensureInstalled()
  if (!isInstalled(directory)) {
    console.error('Installing Stryker (npm ci --prefix scripts/mutation) …')
    const status = npm('ci', '--prefix', directory, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error')
    if (status !== 0) throw new PrepareError('npm ci of scripts/mutation failed (see above).')
  }
  process.exitCode = run(process.execPath, [`${directory}/run.mjs`, ...process.argv.slice(2)])
})
