/**
 * `npm run test:mutation`: installs Stryker (160 packages outside the workspaces) and runs it. It
 * mutates the sources one small change at a time and counts the changes that a test detects.
 * scripts/mutation/run.mjs documents the options.
 */
import { checkNode, ensureInstalled, root, run, runMain } from './prepare.mjs'

await runMain(() => {
  checkNode()
  ensureInstalled()
  ensureInstalled('scripts/mutation')
  process.exitCode = run(process.execPath, [
    `${root}scripts/mutation/run.mjs`,
    ...process.argv.slice(2),
  ])
})
