/**
 * The package.json of a published package, without the parts for a checkout. The condition
 * `entia-source` leads tests to the sources; in node_modules, Node would refuse to run that
 * TypeScript.
 *
 * Between `prepack` and `postpack` the original manifest is in `package.json.orig`, a name that npm
 * never packs.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { hasBundledTypes, withBundledTypes } from './bundle-types.mjs'

const checkoutCondition = 'entia-source'
const checkoutMembers = ['scripts', 'devDependencies']

/**
 * @param {Record<string, unknown>} manifest
 * @returns {Record<string, unknown>}
 */
export function publishedManifest(manifest) {
  const kept = Object.entries(manifest).filter(([name]) => !checkoutMembers.includes(name))
  const published = { ...Object.fromEntries(kept), exports: withoutCondition(manifest.exports) }
  return hasBundledTypes(manifest) ? withBundledTypes(published) : published
}

/**
 * @param {unknown} exports
 * @returns {unknown}
 */
function withoutCondition(exports) {
  if (typeof exports !== 'object' || exports === null) return exports
  const kept = Object.entries(exports).filter(([name]) => name !== checkoutCondition)
  return Object.fromEntries(kept.map(([name, target]) => [name, withoutCondition(target)]))
}

/** @param {string} folder of a package, without a trailing slash */
export function stripManifest(folder) {
  restoreManifest(folder)
  const manifest = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  writeFileSync(
    `${folder}/package.json.next`,
    `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`,
  )
  renameSync(`${folder}/package.json`, `${folder}/package.json.orig`)
  renameSync(`${folder}/package.json.next`, `${folder}/package.json`)
}

/** Also repairs an interrupted packing. @param {string} folder */
export function restoreManifest(folder) {
  if (existsSync(`${folder}/package.json.orig`))
    renameSync(`${folder}/package.json.orig`, `${folder}/package.json`)
}
