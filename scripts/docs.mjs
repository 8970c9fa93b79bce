/**
 * `npm run docs`: installs the site's dependencies (VitePress, TypeDoc and its own TypeScript),
 * builds the packages, and builds the site of docs/ into docs/site/dist. `npm run docs:dev` serves
 * the site instead, and follows changes.
 */
import { ensureInstalled, prepare, root, run, runMain } from './prepare.mjs'

await runMain(() => {
  prepare()
  ensureInstalled('docs/site')
  process.exitCode = run(process.execPath, [`${root}docs/site/build.mjs`, ...process.argv.slice(2)])
})
