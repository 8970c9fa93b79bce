/**
 * Installs the tools of scripts/packages, which builds and quick tests do not need, and runs one.
 * `npm run changeset` asks what a change means for users and writes that to `.changeset`; with
 * `-- version` it raises the versions of all packages. `npm run unused` lists files, exports and
 * dependencies that nothing uses, and exits with 1 if there are some.
 */
import { ensureInstalled, PrepareError, prepare, root, run, runMain } from './prepare.mjs'

const tools = { changeset: '@changesets/cli/bin.js', knip: 'knip/bin/knip.js' }

await runMain(() => {
  const [name = '', ...parameters] = process.argv.slice(2)
  const program = new Map(Object.entries(tools)).get(name)
  if (program === undefined) throw new PrepareError(`Give one of ${Object.keys(tools).join(', ')}.`)
  prepare(['--no-types'])
  ensureInstalled('scripts/packages')
  process.exitCode = run(process.execPath, [
    `${root}scripts/packages/node_modules/${program}`,
    ...parameters,
  ])
})
