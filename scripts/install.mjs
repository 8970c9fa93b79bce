/**
 * `node scripts/install.mjs examples`: installs the packages of folders that have a lock file of
 * their own, unless they are installed.
 */
import { ensureInstalled, runMain } from './prepare.mjs'

await runMain(() => {
  for (const folder of process.argv.slice(2)) ensureInstalled(folder)
})
