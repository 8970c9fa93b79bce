/**
 * `npm run build`: the declarations of all packages by `tsc -b`, then their JavaScript (packages/bundle.mjs). A second when nothing is to do.
 * `node scripts/build.mjs core` builds one package, and the declarations of those that it imports.
 *
 * With a type error the JavaScript is written all the same, and the exit code is that of `tsc`.
 */
import { join } from 'node:path'
import { writeBundle } from './packages/bundle.mjs'
import { packageFolders } from './packages/pack.mjs'
import { root, run, runMain } from './prepare.mjs'

const asked = process.argv.slice(2)

await runMain(async () => {
  const projects = asked.map((name) => join('packages', name))
  const status = run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b', ...projects])
  await Promise.all(
    (asked.length > 0 ? asked : packageFolders()).map((name) => writeBundle(join(root, 'packages', name))),
  )
  process.exitCode = status
})
