import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { createRestHandler, toNodeHandler } from '@entia/rest'
import { createStore } from './store.mjs'

const TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
])

const BUILT = join(import.meta.dirname, 'dist')

/**
 * Serves the store and the built page on the loopback address; port 0 picks a free port.
 * @param {ReturnType<typeof createStore>} store
 * @param {number} port
 * @param {string} [folder] where `vite build` wrote the page
 */
export async function serve(store, port, folder = BUILT) {
  // All visitors without a login count as one session.
  const rest = createRestHandler(store, { live: { maxStreamsPerSession: 100 } })
  const handle = toNodeHandler(rest)
  const files = filesIn(folder)
  const server = createServer((request, response) => {
    const path = request.url?.replace(/\?.*/, '') ?? '/'
    if (path.startsWith(`${rest.basePath}/`)) return void handle(request, response)
    const file = files.get(path === '/' ? '/index.html' : path)
    if (file === undefined) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': file.type }).end(file.bytes)
  })
  server.on('clientError', rest.onClientError)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = /** @type {import('node:net').AddressInfo} */ (server.address())
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      rest.endStreams()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/**
 * The files of a page, by their path in an address.
 * @param {string} folder
 */
function filesIn(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return new Map(
    names.flatMap((name) => {
      const type = TYPES.get(extname(name))
      if (type === undefined) return []
      const path = `/${name.replaceAll('\\', '/')}`
      return [[path, { type, bytes: readFileSync(join(folder, name)) }]]
    }),
  )
}

if (process.argv[1] === import.meta.filename) {
  const { url } = await serve(createStore(), Number(process.env.PORT ?? 8080))
  console.log(`Open ${url} in two tabs (Ctrl+C stops)`)
}
