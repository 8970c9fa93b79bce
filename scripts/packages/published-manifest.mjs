/**
 * What package.json says in a published package: everything but what is of use in a checkout only. The condition `entia-source`
 * leads tests to the sources; elsewhere it would lead Node to TypeScript below node_modules, which it refuses to run.
 *
 * Between `prepack` and `postpack` the manifest as written stands in `package.json.orig`, a name that npm never packs.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

const checkoutCondition = 'entia-source'
const checkoutMembers = ['scripts', 'devDependencies']

/**
 * @param {Record<string, unknown>} manifest
 * @returns {Record<string, unknown>}
 */
export function publishedManifest(manifest) {
  const kept = Object.entries(manifest).filter(([name]) => !checkoutMembers.includes(name))
  return { ...Object.fromEntries(kept), exports: withoutCondition(manifest.exports) }
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

/** @param {string} folder of a package, without a slash at its end */
export function stripManifest(folder) {
  restoreManifest(folder)
  const manifest = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  writeFileSync(`${folder}/package.json.next`, `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`)
  renameSync(`${folder}/package.json`, `${folder}/package.json.orig`)
  renameSync(`${folder}/package.json.next`, `${folder}/package.json`)
}

/** Also after a packing that was broken off. @param {string} folder */
export function restoreManifest(folder) {
  if (existsSync(`${folder}/package.json.orig`)) renameSync(`${folder}/package.json.orig`, `${folder}/package.json`)
}
