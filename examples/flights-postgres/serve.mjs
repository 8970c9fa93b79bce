// One of any number of processes that serve the flights of one database.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { rest as restOptions } from '@entia/example-flights/flights.mjs'
import { createRestHandler, slowText, toNodeHandler } from '@entia/rest'
import { openSqlStore } from '@entia/sql'
import { options } from './store.mjs'

const { HOST = '127.0.0.1', PORT = '8080', METRICS_TOKEN, SLOW_MILLISECONDS } = process.env
const store = await openSqlStore(options)
const rest = createRestHandler(store, {
  users: restOptions.users,
  health: true,
  // Both are off unless the environment asks for them.
  ...(METRICS_TOKEN && {
    metrics: ({ header }) => header('authorization') === `Bearer ${METRICS_TOKEN}`,
  }),
  ...(SLOW_MILLISECONDS && {
    slow: {
      milliseconds: Number(SLOW_MILLISECONDS),
      report: (request) => console.error(slowText(request)),
    },
  }),
})
const server = createServer(toNodeHandler(rest))
server.on('clientError', rest.onClientError)
server.listen(Number(PORT), HOST)
await once(server, 'listening')
const address = /** @type {import('node:net').AddressInfo} */ (server.address())
console.log(`Ask http://${HOST}:${address.port}/rest/Flight (Ctrl+C stops)`)

/** Seconds until proxies that ask for `$health/ready` have noticed; 0 without such a proxy. */
const delay = Number(process.env.STOP_DELAY ?? 0)

async function stop() {
  rest.prepareToStop()
  rest.endStreams()
  await wait(delay * 1000)
  rest.endStreams()
  // First the server with its running requests, then the store with its connections.
  setTimeout(() => server.closeAllConnections(), 10_000).unref()
  await new Promise((resolve) => server.close(resolve))
  await store.close()
}
process.once('SIGINT', stop)
process.once('SIGTERM', stop)
