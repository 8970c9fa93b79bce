/**
 * `npm run test:mutation`: installs Stryker (160 packages outside the workspaces) and runs it. It
 * mutates the sources one small change at a time and counts the changes that a test detects.
 * scripts/mutation/run.mjs documents the options.
 */
import {
  checkNode,
  ensureInstalled,
  isInstalled,
  npm,
  PrepareError,
  root,
  run,
  runMain,
} from './prepare.mjs'

const directory = `${root}scripts/mutation`

await runMain(() => {
  checkNode()
  ensureInstalled()
  if (!isInstalled(directory)) {
    console.error('Installing Stryker (npm ci --prefix scripts/mutation) …')
    const status = npm(
      'ci',
      '--prefix',
      directory,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    )
    if (status !== 0) throw new PrepareError('npm ci of scripts/mutation failed (see above).')
  }
  process.exitCode = run(process.execPath, [`${directory}/run.mjs`, ...process.argv.slice(2)])
})
