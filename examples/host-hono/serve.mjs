import { once } from 'node:events'
import { createRestHandler } from '@entia/rest'
import { serve as listen } from '@hono/node-server'
import { Hono } from 'hono'
import { createStore } from './store.mjs'

/**
 * Serves on the loopback address; port 0 picks a free port.
 * @param {import('@entia/rest').RestHandler} rest
 * @param {number} port
 */
export async function serve(rest, port) {
  const app = new Hono()
  app.all(`${rest.basePath}/*`, (c) => rest.fetch(c.req.raw))
  const server = /** @type {import('node:http').Server} */ (
    listen({ fetch: app.fetch, port, hostname: '127.0.0.1' })
  )
  server.on('clientError', rest.onClientError)
  await once(server, 'listening')
  const address = /** @type {import('node:net').AddressInfo} */ (server.address())
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

if (process.argv[1] === import.meta.filename) {
  const { url } = await serve(createRestHandler(createStore()), Number(process.env.PORT ?? 8080))
  console.log(`Ask ${url}/rest/Employee (Ctrl+C stops)`)
}
