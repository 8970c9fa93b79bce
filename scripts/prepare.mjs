/**
 * Brings a checkout to the state in which its programs run: the right Node, the packages of the lock file, the build.
 * Only `node:` modules are imported here, because nothing else is installed yet.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The checkout, with a slash at its end. */
export const root = fileURLToPath(new URL('../', import.meta.url))
export const generators = [
  'packages/core/scripts/generate-parser.mjs',
  'packages/core/scripts/generate-entity-classes.mjs',
  'packages/core/scripts/generate-bitset-kernel.mjs',
  'packages/explorer/scripts/generate-page.mjs',
]

const oldestNode = [20, 19]

/** A failure that a person can mend: its message is all that is shown. */
export class PrepareError extends Error {}

/**
 * Refuses a Node older than the project supports. Takes the version as `process.versions.node` gives it.
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
 * True when `node_modules` holds every package of the lock file at its version. Packages for other platforms
 * (`optional`) may be absent. Compares the two lock files, not their times: a checkout or a copy changes times only.
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

/** Runs `npm ci` unless every package of the lock file is there. */
export function ensureInstalled() {
  if (isInstalled()) return
  console.error('Installing the packages of package-lock.json (npm ci) …')
  // Install scripts are left out: no dependency needs its own, and they may reach for other hosts.
  const status = npm('ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error')
  if (status !== 0) {
    throw new PrepareError('npm ci failed (see above). It needs package-lock.json as committed and the npm registry.')
  }
}

/** Builds what is missing or older than its sources. A second when nothing is. */
export function ensureBuilt() {
  const isFirst = !existsSync(`${root}packages/cli/dist/index.js`)
  if (isFirst) console.error('Building the packages (npm run build) …')
  if (npm('run', '--silent', 'build') !== 0) {
    throw new PrepareError('The build failed (see above). `npm run build` repeats it alone.')
  }
}

/** Node, packages and build, in this order. */
export function prepare() {
  checkNode()
  ensureInstalled()
  ensureBuilt()
}

/**
 * Runs a program's main; a `PrepareError` is printed without a stack and ends with exit code 1.
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
 * Runs a program in the checkout with this terminal; answers its exit code. A file or a pipe gets no colours.
 * @param {string} program
 * @param {readonly string[]} parameters
 * @param {{ shell?: boolean }} [options]
 */
export function run(program, parameters, options = {}) {
  const env = process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: '1' }
  const { status, error } = spawnSync(program, parameters, { cwd: root, stdio: 'inherit', env, ...options })
  if (error !== undefined) throw new PrepareError(`${program} cannot be started: ${error.message}`)
  return status ?? 1
}

/**
 * Runs the npm that runs us, or else the one on the path (a shell script on Windows).
 * @param {...string} parameters
 */
export function npm(...parameters) {
  const cli = process.env.npm_execpath
  if (cli !== undefined && /npm-cli\.c?js$/.test(cli)) return run(process.execPath, [cli, ...parameters])
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
