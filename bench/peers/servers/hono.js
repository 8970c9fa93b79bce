import { once } from 'node:events'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { PlainTable, plainAddresses } from '../../http/plain-table.js'
import { versionOf } from '../package-version.js'

/** hono on node:http over plain rows. @type {import('../../http/servers/server.js').BenchServer} */
export default {
  name: 'hono',
  version: versionOf('hono'),
  ...plainAddresses,
  async start(data) {
    const table = new PlainTable(data)
    const app = new Hono()
    app.get('/employees/:id', (context) => context.json(table.get(Number(context.req.param('id')))))
    app.get('/employees', (context) =>
      context.json(table.page(Number(context.req.query('low')), Number(context.req.query('high')))),
    )
    app.post('/notes', async (context) =>
      context.json(table.addNote(await context.req.json()), 201),
    )
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
    if (!server.listening) await once(server, 'listening')
    return server.address().port
  },
}
