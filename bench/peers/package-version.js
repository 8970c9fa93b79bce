import { readFileSync } from 'node:fs'

const lockFile = new URL('./package-lock.json', import.meta.url)

/**
 * The version of a package in this folder's lock file; some packages do not export their manifest.
 */
export function versionOf(packageName) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages[`node_modules/${packageName}`].version
}
