import { once } from 'node:events'
import { createServer } from 'node:http'

/**
 * Starts a node:http server on a free port of this machine.
 * @param {import('node:http').RequestListener} listener
 * @returns {Promise<number>} the port
 */
export async function listen(listener) {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server.address().port
}
