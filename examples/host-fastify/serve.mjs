import { createRestHandler, toFastifyPlugin, toNodeHandler } from '@entia/rest'
import Fastify from 'fastify'
import { createStore } from './store.mjs'

/**
 * Serves on the loopback address; port 0 picks a free port.
 * @param {import('@entia/rest').RestHandler} rest
 * @param {number} port
 */
export async function serve(rest, port) {
  const answer = toNodeHandler(rest)
  const app = Fastify({
    clientErrorHandler: rest.onClientError,
    // Addresses that fastify's router cannot decode never reach a plugin.
    frameworkErrors: (_error, request, reply) => void answer(request.raw, reply.hijack().raw),
    forceCloseConnections: true,
  })
  app.register(toFastifyPlugin(rest))
  const url = await app.listen({ port, host: '127.0.0.1' })
  return { url, close: () => app.close() }
}

if (process.argv[1] === import.meta.filename) {
  const { url } = await serve(createRestHandler(createStore()), Number(process.env.PORT ?? 8080))
  console.log(`Ask ${url}/rest/Employee (Ctrl+C stops)`)
}
