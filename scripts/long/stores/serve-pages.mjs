/** The store behind node:http with the options of the guide. Prints as `entia serve` does. */
import { createServer } from 'node:http'
import { createRestHandler, toNodeHandler } from '@entia/rest'
import store from './pages.mjs'

const rest = createRestHandler(store)
const server = createServer(toNodeHandler(rest))
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  console.log(`Entia serves pages at http://127.0.0.1:${port}`)
})
