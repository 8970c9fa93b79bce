// One of any number of processes that serve the flights of one database.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { rest as restOptions } from '@entia/example-flights/flights.mjs'
import { createRestHandler, toNodeHandler } from '@entia/rest'
import { openSqlStore } from '@entia/sql'
import { options } from './store.mjs'

const store = await openSqlStore(options)
const rest = createRestHandler(store, { users: restOptions.users, health: true })
const server = createServer(toNodeHandler(rest))
server.on('clientError', rest.onClientError)
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1')
await once(server, 'listening')
const address = /** @type {import('node:net').AddressInfo} */ (server.address())
console.log(`Ask http://127.0.0.1:${address.port}/rest/Flight (Ctrl+C stops)`)

// First the server with its running requests, then the store with its connections.
async function stop() {
  setTimeout(() => server.closeAllConnections(), 5_000).unref()
  await new Promise((resolve) => server.close(resolve))
  await store.close()
}
process.once('SIGINT', stop)
process.once('SIGTERM', stop)
