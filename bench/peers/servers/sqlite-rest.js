import { listen } from '../../http/listen.js'
import { plainAddresses } from '../../http/plain-table.js'
import sqlite from '../subjects/better-sqlite3.js'

/**
 * node:http over better-sqlite3 in memory, statements prepared once: reads only. @type
 * {import('../../http/servers/server.js').BenchServer}
 */
export default {
  name: 'sqlite-rest',
  version: `better-sqlite3 ${sqlite.version}`,
  ...plainAddresses,
  post: undefined,
  start(data) {
    const store = sqlite.open(data)
    const send = (response, answer) => {
      const body = Buffer.from(JSON.stringify(answer))
      response.writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': body.length,
      })
      response.end(body)
    }
    return listen(({ url }, response) => {
      if (url.startsWith('/employees/')) {
        send(response, store.get(Number(url.slice('/employees/'.length))))
      } else {
        const query = new URLSearchParams(url.slice(url.indexOf('?') + 1))
        send(response, store.entitiesBySalary(Number(query.get('low')), Number(query.get('high'))))
      }
    })
  },
}
