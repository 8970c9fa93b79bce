import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { root } from '../prepare.mjs'

/** The program of `entia`, as built. */
export const entia = `${root}packages/cli/bin/entia.mjs`
/** The path of a file of this folder. @param {string} name */
const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url))

/**
 * The resources of a server process, in bytes.
 * @typedef {{
 *   readonly heapUsed: number,
 *   readonly rss: number,
 *   readonly external: number,
 *   readonly sessions: number,
 *   readonly entitySets: number,
 * }} Measured
 */

/**
 * Serves a store of `stores` in a process that is monitored from inside.
 * @param {string} store the name of its module
 * @param {{ readonly heap: number, readonly program?: string }} options the heap in MiB, 0 for that
 *   of Node; a program of `stores` that serves it, in place of `entia serve`
 */
export async function serve(store, { heap, program }) {
  const child = spawn(
    process.execPath,
    [
      ...(heap === 0 ? [] : [`--max-old-space-size=${heap}`]),
      ...['--expose-gc', '--import', new URL('./watched.mjs', import.meta.url).href],
      ...(program === undefined
        ? [entia, 'serve', pathOf(`./stores/${store}.mjs`), '--port', '0']
        : [pathOf(`./stores/${program}.mjs`)]),
    ],
    { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
  )
  let said = ''
  let hasEnded = false
  child.stderr?.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-10_000)))
  child.once('exit', () => (hasEnded = true))
  /** @type {number} */
  const port = await new Promise((resolve, reject) => {
    let printed = ''
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      printed += text
      const [, found] = /Entia serves .* at http:\/\/[^/]+:(\d+)/.exec(printed) ?? []
      if (found !== undefined) resolve(Number(found))
    })
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}: ${said}`)))
  })
  /** @param {'measure' | 'look' | 'verify'} ask */
  const ask = async (ask) => {
    const waiting = new AbortController()
    const { signal } = waiting
    child.send({ ask, module: new URL(`./stores/${store}.mjs`, import.meta.url).href })
    try {
      const end = once(child, 'exit', { signal }).then(() =>
        Promise.reject(new Error(`The server ended: ${said}`)),
      )
      const [reply] = await Promise.race([once(child, 'message', { signal }), end])
      return reply
    } finally {
      waiting.abort()
    }
  }
  return {
    port,
    get hasEnded() {
      return hasEnded
    },
    /** The end of its standard error. */
    get said() {
      return said
    },
    /** @type {() => Promise<Measured>} */
    measure: () => ask('measure'),
    /** Like `measure`, without a collection. @type {() => Promise<Measured>} */
    look: () => ask('look'),
    /** @type {() => Promise<{ readonly verified: boolean, readonly problem: string | null }>} */
    verify: () => ask('verify'),
    /** Resident memory in MiB, now and at most so far, also of a process that is busy. */
    memory() {
      if (hasEnded) return { now: 0, peak: 0 }
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      const [, now, peak] = [/$/, /VmRSS:\s+(\d+)/, /VmHWM:\s+(\d+)/].map(
        (pattern) => Number(pattern.exec(status)?.[1] ?? 0) / 1024,
      )
      return { now, peak }
    },
    /** @param {'SIGTERM' | 'SIGKILL'} signal */
    async stop(signal = 'SIGTERM') {
      if (hasEnded) return
      child.kill(signal)
      await once(child, 'exit')
    },
  }
}

/** Ports that are free now. @param {number} count */
export async function freePorts(count) {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1')
      await once(server, 'listening')
      return server
    }),
  )
  const ports = servers.map(
    (server) => /** @type {import('node:net').AddressInfo} */ (server.address()).port,
  )
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
