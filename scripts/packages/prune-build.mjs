/**
 * `tsc -b` keeps the output of sources that were moved or removed; a package must not contain it.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Removes each map below `dist` whose source is missing, together with its file.
 * @param {string} folder of a package
 */
export function pruneBuild(folder) {
  const dist = join(folder, 'dist')
  if (!existsSync(dist)) return
  for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.map')) continue
    const path = join(dist, file)
    const { sources } = JSON.parse(readFileSync(path, 'utf8'))
    if (sources.length !== 1 || existsSync(join(dirname(path), sources[0]))) continue
    rmSync(path)
    rmSync(path.slice(0, -'.map'.length), { force: true })
  }
}
