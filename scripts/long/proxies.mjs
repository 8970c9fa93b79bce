import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { Agent, createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRestHandler, toNodeHandler } from '@entia/rest'
import { createHostileStore } from '../../packages/rest/test/addresses/hostile-store.mjs'
import { asker, walk } from '../../packages/rest/test/addresses/walk.mjs'
import { PROXIES, startProxy, versionOf } from './real-proxies.mjs'
import { createNotes, replicaThrough } from './replica-through.mjs'

const SHOWN = 10
const REPLICAS = '/replicas'

/**
 * Serves a store with hostile keys and names behind the installed reverse proxies. Requests every
 * address that the server emits through each proxy, and returns true if the responses are those of
 * the server and a replica behind the proxy follows at once. On Debian: apt-get install nginx
 * haproxy caddy varnish. Proxies that are not installed are skipped with a message.
 */
export async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'entia-proxies-'))
  // Started by root, Varnish and nginx read their files as other users.
  chmodSync(folder, 0o755)
  const store = createHostileStore()
  const notes = createNotes()
  const replicas = toNodeHandler(
    createRestHandler(notes, {
      basePath: REPLICAS,
      replicas: { heartbeatSeconds: 1 },
    }),
  )
  const hostile = toNodeHandler(createRestHandler(store, { openapi: true }))
  const server = createServer((request, response) =>
    (request.url?.startsWith(REPLICAS) ? replicas : hostile)(request, response),
  )
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)))
  const { port: target } = /** @type {import('node:net').AddressInfo} */ (server.address())

  let failed = 0
  /**
   * @param {string} name
   * @param {string} what
   * @param {readonly string[]} problems
   */
  function report(name, what, problems) {
    failed += problems.length
    console.log(`${name}: ${what}, ${problems.length} problems`)
    for (const problem of problems.slice(0, SHOWN)) console.log(`  ${problem}`)
  }

  try {
    const { answers, problems } = await walk(asker(target))
    report('direct', `${answers.size} addresses`, problems)
    report('direct', 'a replica', await replicaThrough(notes, addressOf(target)))
    for (const [at, proxy] of PROXIES.entries()) {
      const version = versionOf(proxy)
      if (version === null) {
        console.log(`${proxy.name}: not installed, skipped`)
        continue
      }
      const { port, stop } = await startProxy(proxy, join(folder, String(at)), target)
      const agent = new Agent({ keepAlive: true, maxSockets: 8 })
      try {
        const ask = asker(port, agent)
        const found = []
        for (const [address, direct] of answers) {
          const { status, headers, body } = await ask(address)
          const isSame =
            headers['content-type'] === direct.headers['content-type'] && body.equals(direct.body)
          if (status !== direct.status)
            found.push(`${address} returns ${status} instead of ${direct.status}`)
          else if (!isSame) found.push(`${address} returns another response`)
        }
        const name = `${proxy.name} (${version})`
        report(name, `${answers.size} addresses`, found)
        report(name, 'a replica', await replicaThrough(notes, addressOf(port)))
      } finally {
        agent.destroy()
        await stop()
      }
    }
  } finally {
    server.close()
    server.closeAllConnections()
    store.close()
    notes.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return failed === 0
}

/** @param {number} port */
const addressOf = (port) => `http://127.0.0.1:${port}${REPLICAS}`
