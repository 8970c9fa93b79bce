import Fastify from 'fastify'
import { PlainTable, plainAddresses } from '../../http/plain-table.js'
import { versionOf } from '../package-version.js'

/** fastify over plain rows. @type {import('../../http/servers/server.js').BenchServer} */
export default {
  name: 'fastify',
  version: versionOf('fastify'),
  ...plainAddresses,
  async start(data) {
    const table = new PlainTable(data)
    const app = Fastify()
    app.get('/employees/:id', ({ params }) => table.get(Number(params.id)))
    app.get('/employees', ({ query }) => table.page(Number(query.low), Number(query.high)))
    app.post('/notes', (request, reply) => reply.code(201).send(table.addNote(request.body)))
    await app.listen({ port: 0, host: '127.0.0.1' })
    return app.server.address().port
  },
}
