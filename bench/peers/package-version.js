import { readFileSync } from 'node:fs'

const lockFile = new URL('./package-lock.json', import.meta.url)

/** The version of a package that the lock file of this folder installs; some packages do not let their own manifest be read. */
export function versionOf(packageName) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages[`node_modules/${packageName}`].version
}
