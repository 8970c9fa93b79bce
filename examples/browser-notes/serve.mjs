import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, extname, join, sep } from 'node:path'

const require = createRequire(import.meta.url)
// The versions that core depends on, which may not be those that other examples install.
const requireOfCore = createRequire(require.resolve('@entia/core'))

/** The beginning of an address -> the folder of its files. */
const folders = new Map([
  ['/modules/@entia/core/', dirname(require.resolve('@entia/core'))],
  ['/modules/immer/', join(dirname(requireOfCore.resolve('immer/package.json')), 'dist')],
  ['/modules/lru-cache/', join(folderOf('lru-cache'), 'dist/esm/browser')],
  ['/', import.meta.dirname],
])
const types = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.mjs', 'text/javascript; charset=utf-8'],
])

/** The folder of a package that does not export its package.json. @param {string} name */
function folderOf(name) {
  const file = requireOfCore.resolve(name)
  const inside = join('node_modules', name)
  return file.slice(0, file.lastIndexOf(inside) + inside.length)
}

/** The file of an address; null if it is not one of a page or module. @param {string} path */
function fileOf(path) {
  const wanted = path === '/' ? '/index.html' : path
  const prefix = [...folders.keys()].find((one) => wanted.startsWith(one)) ?? '/'
  const folder = folders.get(prefix) ?? ''
  const file = join(folder, wanted.slice(prefix.length))
  return file.startsWith(folder + sep) && types.has(extname(file)) ? file : null
}

const server = createServer(async (request, response) => {
  const file = fileOf(new URL(request.url ?? '/', 'http://localhost').pathname)
  try {
    if (file === null) throw new Error('not a file of the page')
    const text = await readFile(file)
    response.setHeader('content-type', types.get(extname(file)) ?? '')
    response.end(text)
  } catch {
    response.statusCode = 404
    response.end()
  }
})
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1')
await once(server, 'listening')
const address = /** @type {import('node:net').AddressInfo} */ (server.address())
// Browsers treat localhost as a secure origin, which Web Locks need.
console.log(`Open http://localhost:${address.port} in two tabs (Ctrl+C stops)`)
