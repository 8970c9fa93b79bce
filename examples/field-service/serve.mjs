import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { createRestHandler, toNodeHandler } from '@entia/rest'
import { createOffice } from './office.mjs'

const TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
])

const BUILT = join(import.meta.dirname, 'dist')

/**
 * Serves the office and the built page on the loopback address; port 0 picks a free port.
 * @param {ReturnType<typeof createOffice>} office
 * @param {number} port
 * @param {string} [folder] where `vite build` wrote the page
 */
export async function serve(office, port, folder = BUILT) {
  const rest = createRestHandler(office, { replicas: true })
  const handle = toNodeHandler(rest)
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const paths = new Map(names.map((name) => [`/${name.replaceAll('\\', '/')}`, join(folder, name)]))
  const server = createServer((request, response) => {
    const path = request.url?.replace(/\?.*/, '') ?? '/'
    if (path.startsWith(`${rest.basePath}/`)) return void handle(request, response)
    const file = paths.get(path === '/' ? '/index.html' : path)
    const type = TYPES.get(extname(file ?? ''))
    if (file === undefined || type === undefined) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': type }).end(readFileSync(file))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = /** @type {import('node:net').AddressInfo} */ (server.address())
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      rest.endStreams()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

if (process.argv[1] === import.meta.filename) {
  const { url } = await serve(createOffice(), Number(process.env.PORT ?? 8080))
  console.log(`Open ${url}, and switch the network off in the tools of the browser (Ctrl+C stops)`)
}
