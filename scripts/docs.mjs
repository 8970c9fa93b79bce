/**
 * `npm run docs`: installs the site's dependencies (VitePress, TypeDoc and its own TypeScript),
 * builds the packages, and builds the site of docs/ into docs/site/dist. `npm run docs:dev` serves
 * the site instead, and follows changes.
 */
import {
  checkNode,
  ensureBuilt,
  ensureInstalled,
  isInstalled,
  npm,
  PrepareError,
  root,
  run,
  runMain,
} from './prepare.mjs'

const directory = `${root}docs/site`

await runMain(() => {
  checkNode()
  ensureInstalled()
  if (!isInstalled(directory)) {
    console.error('Installing VitePress and TypeDoc (npm ci --prefix docs/site) …')
    const status = npm(
      'ci',
      '--prefix',
      directory,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    )
    if (status !== 0) throw new PrepareError('npm ci of docs/site failed (see above).')
  }
  ensureBuilt()
  process.exitCode = run(process.execPath, [`${directory}/build.mjs`, ...process.argv.slice(2)])
})
