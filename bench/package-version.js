import { readFileSync } from 'node:fs'

/** The version of a package of this repository. */
export function versionOf(packageName) {
  return JSON.parse(
    readFileSync(new URL(import.meta.resolve(`${packageName}/package.json`)), 'utf8'),
  ).version
}
