import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './prepare.mjs'

/**
 * Runs a program from its TypeScript sources, over the sources of the packages, in a process whose
 * own processes run TypeScript too. This process ends with its exit code.
 *
 * @param {string} program a path in the repository
 * @param {readonly string[]} parameters
 * @param {readonly string[]} nodeOptions
 */
export function runTypeScript(program, parameters, nodeOptions = []) {
  const { status } = spawnSync(
    process.execPath,
    [
      ...nodeOptions,
      '--conditions=entia-source',
      '--import',
      new URL('./typescript-processes.mjs', import.meta.url).href,
      join(root, program),
      ...parameters,
    ],
    { stdio: 'inherit' },
  )
  process.exitCode = status ?? 1
}
