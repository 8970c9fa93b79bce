import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const pathOf = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url))

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
 * Runs the built `entia serve` with a small heap, monitored from inside.
 * @param {number} heapMebibytes
 * @param {string} store the module to serve, next to this file
 */
export async function serveSoak(heapMebibytes, store = './store.mjs') {
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${heapMebibytes}`,
      '--expose-gc',
      '--import',
      new URL('./watched.mjs', import.meta.url).href,
      pathOf('../../packages/cli/bin/entia.mjs'),
      ...['serve', pathOf(store), '--port', '0'],
    ],
    { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
  )
  let said = ''
  let ended = false
  child.stderr?.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-10_000)))
  child.once('exit', () => (ended = true))
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
    child.send({ ask, module: new URL(store, import.meta.url).href })
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
    port: /** @type {number} */ (port),
    get hasEnded() {
      return ended
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
    async stop() {
      if (ended) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}
