import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRestHandler, toNodeHandler } from '@entia/rest'
import { createStore } from './store.mjs'

/**
 * Serves on the loopback address; port 0 picks a free port.
 * @param {import('@entia/rest').RestHandler} rest
 * @param {number} port
 */
export async function serve(rest, port) {
  const server = createServer(toNodeHandler(rest))
  server.on('clientError', rest.onClientError)
  server.listen(port, '127.0.0.1')
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
