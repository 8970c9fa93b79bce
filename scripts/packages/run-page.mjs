/** Runs what a page tells its readers to do after `npm pack`, in an empty folder. */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { command } from './pack.mjs'

/** @typedef {import('./pack.mjs').PackedPackage} PackedPackage */

/** Asks npm's cache first, and runs no scripts of packages. */
const npmSettings = {
  npm_config_prefer_offline: 'true',
  npm_config_ignore_scripts: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_loglevel: 'error',
}

/**
 * The packages that a page packs: `npm pack -w <name>`.
 * @param {string} page
 */
export const packedBy = (page) => [
  ...new Set([...page.matchAll(/-w\s+(@?[\w/]+)/g)].map(([, name = '']) => name)),
]

/**
 * The last command of a page that serves, without its comment and port.
 * @param {string} page
 */
const serveCommand = (page) =>
  [...page.matchAll(/^npx (entia serve [^#\n]*)/gm)]
    .at(-1)?.[1]
    ?.replace(/--port \d+/, '')
    .trim()

/**
 * Runs the installing commands of a page with only the packages that it packs, then the last one
 * that serves, until the server answers with its explorer. Returns the problem, or null.
 * @param {string} folder absolute path of an empty folder
 * @param {string} page its text
 * @param {readonly PackedPackage[]} packed
 * @returns {Promise<string | null>}
 */
export async function runPage(folder, page, packed) {
  const [packages, project] = [join(folder, 'packages'), join(folder, 'project')]
  for (const each of [packages, project]) mkdirSync(each)
  for (const { name, tarball } of packed)
    if (packedBy(page).includes(name)) cpSync(tarball, join(packages, basename(tarball)))
  for (const [, name = '', text = ''] of page.matchAll(/^```js\n\/\/ (\S+)\n([\s\S]*?)^```$/gm))
    writeFileSync(join(project, name), text)
  const lines = page.match(/^(?:npm (?:init|pkg|install)|echo) .*$/gm) ?? []
  const script = lines.join('\n').replace(/\S*\/(entia[\w.-]*\.tgz)/g, join(packages, '$1'))
  const serve = serveCommand(page)
  if (script === '' || serve === undefined) return 'The page installs nothing, or serves nothing.'
  try {
    command('bash', ['-ec', script], project, npmSettings)
  } catch (error) {
    return String(error)
  }
  return serveOnce(project, `npx --no-install ${serve} --port 0`)
}

/**
 * Starts a server, reads its first page and stops it. Returns the problem, or null.
 * @param {string} cwd
 * @param {string} line
 * @returns {Promise<string | null>}
 */
export async function serveOnce(cwd, line) {
  const child = spawn('bash', ['-c', line], {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  /** @type {string | undefined} */
  const origin = await new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
        const found = /at (http:\/\/localhost:\d+)/.exec(output)?.[1]
        if (found !== undefined) resolve(found)
      })
    child.once('close', () => resolve(undefined))
  })
  try {
    if (origin === undefined) return `${line} ended\n${output}`
    const { status } = await fetch(`${origin}/`)
    return status === 200 ? null : `${line} answers ${status}\n${output}`
  } finally {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid)
  }
}
