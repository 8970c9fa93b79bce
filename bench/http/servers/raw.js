import { listen } from '../listen.js'
import { note } from '../note.js'
import { PlainTable, plainAddresses } from '../plain-table.js'

/**
 * node:http with prepared bytes: the cost of HTTP itself. @type {import('./server.js').BenchServer}
 */
export default {
  name: 'raw',
  version: `node:http ${process.versions.node}`,
  isPrepared: true,
  ...plainAddresses,
  start(data) {
    const table = new PlainTable(data)
    const one = Buffer.from(JSON.stringify(table.get(1)))
    const page = Buffer.from(JSON.stringify(table.page(50_000, 70_000)))
    const stored = Buffer.from(JSON.stringify(table.addNote(note)))
    const send = (response, status, body) => {
      response.writeHead(status, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': body.length,
      })
      response.end(body)
    }
    return listen((request, response) => {
      if (request.method === 'POST') {
        const chunks = []
        request.on('data', (chunk) => chunks.push(chunk))
        request.on('end', () => send(response, 201, stored))
      } else {
        send(response, 200, request.url.startsWith('/employees/') ? one : page)
      }
    })
  },
}
