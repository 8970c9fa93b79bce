import { createRestHandler } from '@entia/rest'
import { H3, serve as listen } from 'h3'
import { createStore } from './store.mjs'

/**
 * Serves on the loopback address; port 0 picks a free port.
 * @param {import('@entia/rest').RestHandler} rest
 * @param {number} port
 */
export async function serve(rest, port) {
  const app = new H3({ allowMalformedURL: true }) // the handler refuses these itself
  app.all(`${rest.basePath}/**`, (event) => rest.fetch(event.req))
  const server = listen(app, { port, hostname: '127.0.0.1', silent: true, gracefulShutdown: false })
  server.node?.server?.on('clientError', rest.onClientError)
  await server.ready()
  return { url: String(server.url).replace(/\/$/, ''), close: () => server.close(true) }
}

if (process.argv[1] === import.meta.filename) {
  const { url } = await serve(createRestHandler(createStore()), Number(process.env.PORT ?? 8080))
  console.log(`Ask ${url}/rest/Employee (Ctrl+C stops)`)
}
