import { createRequire } from 'node:module'
import { listen } from '../../http/listen.js'
import { plainAddresses } from '../../http/plain-table.js'
import { versionOf } from '../package-version.js'

const jsonServer = createRequire(import.meta.url)('json-server')

/**
 * json-server over an object in memory, without its logger. @type
 * {import('../../http/servers/server.js').BenchServer}
 */
export default {
  name: 'json-server',
  version: versionOf('json-server'),
  ...plainAddresses,
  pagePath: (low, high) => `/employees?salary_gte=${low}&salary_lte=${high}&_page=1&_limit=100`,
  readPage: (entities, headers) => ({ count: Number(headers.get('x-total-count')), entities }),
  start({ employees }) {
    const app = jsonServer.create()
    app.use(jsonServer.defaults({ logger: false }))
    app.use(
      jsonServer.router({
        employees: employees.map((row) => ({ id: row.ID, ...row, stamp: 1 })),
        notes: [],
      }),
    )
    return listen(app)
  },
}
