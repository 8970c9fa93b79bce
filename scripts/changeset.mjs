/**
 * `npm run changeset`: installs changesets and runs it. Without arguments it asks what a change
 * means for users and writes that to `.changeset`; `-- version` raises the versions of all
 * packages.
 */
import { ensureInstalled, prepare, root, run, runMain } from './prepare.mjs'

await runMain(() => {
  prepare(['--no-types'])
  ensureInstalled('scripts/packages')
  process.exitCode = run(process.execPath, [
    `${root}scripts/packages/node_modules/@changesets/cli/bin.js`,
    ...process.argv.slice(2),
  ])
})
