/**
 * Prepares a checkout to run its programs: the right Node, the packages of the lock file, the
 * build. It imports only `node:` modules, because other packages may not be installed yet.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The path of the checkout, with a trailing slash. */
export const root = fileURLToPath(new URL('../', import.meta.url))
export const generators = [
  'packages/core/scripts/generate-parser.mjs',
  'packages/core/scripts/generate-operator-lists.mjs',
  'packages/core/scripts/generate-entity-classes.mjs',
  'packages/core/scripts/generate-bitset-kernel.mjs',
  'packages/explorer/scripts/generate-page.mjs',
]

const oldestNode = [20, 19]

/** A failure that the user can fix: only its message is shown. */
export class PrepareError extends Error {}

/**
 * Refuses versions of Node below the minimum. Takes a version in the form of
 * `process.versions.node`.
 * @param {string} version
 */
export function checkNode(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return
  throw new PrepareError(
    `Node ${oldestNode.join('.')} or newer is needed, and this is Node ${version}. Install a current one from https://nodejs.org.`,
  )
}

/**
 * True if `node_modules` holds every package of the lock file at its version. Packages for other
 * platforms (`optional`) may be missing. Compares the two lock files and not their times, which
 * copying changes.
 * @param {string} directory
 */
export function isInstalled(directory = root) {
  const installed = packagesOf(`${directory}/node_modules/.package-lock.json`)
  const wanted = packagesOf(`${directory}/package-lock.json`)
  if (installed === null || wanted === null) return false
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || (entry.optional && installed[path] === undefined)) return true
    return installed[path] !== undefined && installed[path].version === entry.version
  })
}

/**
 * Runs `npm ci` in a folder of the checkout unless every package of its lock file is installed.
 * Folders with a lock file of their own hold what only some commands and tests need.
 * @param {string} [folder] below the root, which is the default
 */
export function ensureInstalled(folder = '') {
  const directory = join(root, folder)
  if (isInstalled(directory)) return
  console.error(`Installing the packages of ${posix.join(folder, 'package-lock.json')} (npm ci) …`)
  const place = folder === '' ? [] : ['--prefix', directory]
  // Skip install scripts: no dependency needs one, and they may access other hosts.
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  if (npm('ci', ...place, ...quiet) !== 0) {
    throw new PrepareError(
      'npm ci failed (see above). It needs package-lock.json as committed and the npm registry.',
    )
  }
}

/**
 * Builds missing and outdated files. Takes a second if there are none.
 * @param {readonly string[]} [options] of scripts/build.mjs
 */
export function ensureBuilt(options = []) {
  const isFirst = !existsSync(`${root}packages/cli/dist/index.js`)
  if (isFirst) console.error('Building the packages (npm run build) …')
  if (run(process.execPath, [join(root, 'scripts/build.mjs'), ...options]) !== 0) {
    throw new PrepareError('The build failed (see above). `npm run build` repeats it alone.')
  }
}

/**
 * Checks Node, installs the packages, and builds.
 * @param {readonly string[]} [options] of scripts/build.mjs
 */
export function prepare(options) {
  checkNode()
  ensureInstalled()
  ensureBuilt(options)
}

/**
 * Runs a program's main. A `PrepareError` is printed without a stack and exits with 1.
 * @param {() => void | Promise<void>} main
 */
export async function runMain(main) {
  try {
    await main()
  } catch (error) {
    console.error(error instanceof PrepareError ? error.message : error)
    process.exitCode = 1
  }
}

/**
 * Runs a program in the checkout with this terminal and returns its exit code. Output to a file or
 * a pipe has no colours.
 * @param {string} program
 * @param {readonly string[]} parameters
 * @param {{ shell?: boolean }} [options]
 */
export function run(program, parameters, options = {}) {
  const env = process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: '1' }
  const { status, error } = spawnSync(program, parameters, {
    cwd: root,
    stdio: 'inherit',
    env,
    ...options,
  })
  if (error !== undefined) throw new PrepareError(`${program} cannot be started: ${error.message}`)
  return status ?? 1
}

/**
 * Runs the npm that started this process, otherwise the one on the path (a shell script on
 * Windows).
 * @param {...string} parameters
 */
export function npm(...parameters) {
  const cli = process.env.npm_execpath
  if (cli !== undefined && /npm-cli\.c?js$/.test(cli))
    return run(process.execPath, [cli, ...parameters])
  return run('npm', parameters, { shell: process.platform === 'win32' })
}

/**
 * @param {string} file
 * @returns {Record<string, { version?: string, optional?: boolean }> | null}
 */
function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? null
  } catch {
    return null
  }
}
