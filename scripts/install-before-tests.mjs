/**
 * Vitest global setup for slow tests: installs the frameworks of examples, the OpenAPI linters and
 * the client of the HTTP tests, which `npm ci` at the root leaves out.
 */
import { ensureInstalled } from './prepare.mjs'

/** Folders with a lock file of their own whose packages the slow tests import. */
export const testFolders = ['packages/rest/test', 'examples']

export function setup() {
  for (const folder of testFolders) ensureInstalled(folder)
}
