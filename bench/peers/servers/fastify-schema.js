import Fastify from 'fastify'
import { PlainTable, plainAddresses } from '../../http/plain-table.js'
import { versionOf } from '../package-version.js'

const text = { type: 'string' }
const whole = { type: 'integer' }
const flag = { type: 'boolean' }
const employee = {
  type: 'object',
  properties: {
    ...{ ID: whole, firstName: text, lastName: text, email: text, salary: whole },
    ...{ birthDate: text, active: flag, companyID: whole, stamp: whole },
  },
}
const noteValues = { title: text, author: text, pinned: flag, rank: whole, text }
const page = {
  type: 'object',
  properties: { count: whole, entities: { type: 'array', items: employee } },
}

/**
 * fastify with response schemas, from which it generates serializers. @type
 * {import('../../http/servers/server.js').BenchServer}
 */
export default {
  name: 'fastify-schema',
  version: `${versionOf('fastify')}, with schemas`,
  ...plainAddresses,
  async start(data) {
    const table = new PlainTable(data)
    const app = Fastify()
    app.get('/employees/:id', { schema: { response: { 200: employee } } }, ({ params }) =>
      table.get(Number(params.id)),
    )
    app.get('/employees', { schema: { response: { 200: page } } }, ({ query }) =>
      table.page(Number(query.low), Number(query.high)),
    )
    const schema = {
      body: { type: 'object', properties: noteValues },
      response: { 201: { type: 'object', properties: { ID: whole, ...noteValues, stamp: whole } } },
    }
    app.post('/notes', { schema }, (request, reply) =>
      reply.code(201).send(table.addNote(request.body)),
    )
    await app.listen({ port: 0, host: '127.0.0.1' })
    return app.server.address().port
  },
}
