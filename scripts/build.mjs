/**
 * `npm run build`: writes the declarations of all packages with `tsc -b`, then their JavaScript
 * (packages/bundle.mjs). Takes a second if nothing changed. `node scripts/build.mjs core` builds
 * one package, and the declarations of those it imports. `--no-types` leaves the declarations out:
 * programs run without them, and tsc takes most of the time.
 *
 * After a type error it still writes the JavaScript, and exits with the code of `tsc`.
 */
import { join } from 'node:path'
import { writeBundle } from './packages/bundle.mjs'
import { packageFolders } from './packages/pack.mjs'
import { root, run, runMain } from './prepare.mjs'

const isTyped = !process.argv.includes('--no-types')
const names = process.argv.slice(2).filter((name) => name !== '--no-types')

await runMain(async () => {
  const projects = names.map((name) => join('packages', name))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const status = isTyped ? run(process.execPath, [tsc, '-b', ...projects]) : 0
  await Promise.all(
    (names.length > 0 ? names : packageFolders()).map((name) =>
      writeBundle(join(root, 'packages', name)),
    ),
  )
  process.exitCode = status
})
