import { once } from 'node:events'
import { createServer } from 'node:http'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { openJournal } from '@entia/core/node'
import { createRestHandler, toNodeHandler } from '@entia/rest'

const Book = defineDataClass('Book', {
  ID: attribute.long({ key: true, autoSequence: true }),
  title: attribute.string({ notNull: true, indexed: true }),
  author: attribute.string({ indexed: true }),
})
const store = createDataStore({ name: 'books', dataClasses: [Book] })

// Open the journal first: the content of its folder replaces that of the store. Then fill a new
// store.
const journal = await openJournal(store, process.env.DATA ?? './data')
if (store.Book.count === 0) {
  store.Book.load([
    { title: 'Notes', author: 'Ada Byron' },
    { title: 'Passages', author: 'Charles Babbage' },
  ])
}

// The handler sends an answer when every commit that it may show is on the disk.
const rest = createRestHandler(store, { durable: () => journal.flush() })
const server = createServer(toNodeHandler(rest))
server.on('clientError', rest.onClientError)
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1')
await once(server, 'listening')
const address = /** @type {import('node:net').AddressInfo} */ (server.address())
console.log(`Ask http://127.0.0.1:${address.port}/rest/Book (Ctrl+C stops)`)

// Stop in this order: the server with its running requests, the journal, the store.
async function stop() {
  setTimeout(() => server.closeAllConnections(), 5_000).unref()
  await new Promise((resolve) => server.close(resolve))
  await journal.close()
  store.close()
}
process.once('SIGINT', stop)
process.once('SIGTERM', stop)
