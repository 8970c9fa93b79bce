import express from 'express'
import { listen } from '../../http/listen.js'
import { PlainTable, plainAddresses } from '../../http/plain-table.js'
import { versionOf } from '../package-version.js'

/**
 * express over plain rows, without the entity tags that it would compute per response. @type
 * {import('../../http/servers/server.js').BenchServer}
 */
export default {
  name: 'express',
  version: versionOf('express'),
  ...plainAddresses,
  start(data) {
    const table = new PlainTable(data)
    const app = express()
    app.disable('etag')
    app.disable('x-powered-by')
    app.use(express.json())
    app.get('/employees/:id', (request, response) =>
      response.json(table.get(Number(request.params.id))),
    )
    app.get('/employees', ({ query }, response) =>
      response.json(table.page(Number(query.low), Number(query.high))),
    )
    app.post('/notes', (request, response) =>
      response.status(201).json(table.addNote(request.body)),
    )
    return listen(app)
  },
}
