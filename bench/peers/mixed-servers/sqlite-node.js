import { listen } from '../../http/listen.js'
import sqlite, { openSqlite } from '../mixed/better-sqlite3.js'
import { sqliteOffice } from '../operations/sqlite-office.js'

const numbers = new Set(['skip', 'top', 'low', 'high', 'salary'])

const get = (path) => ({ method: 'GET', path })
const requests = {
  get: ({ id }) => get(`/employees/${id}`),
  companyOf: ({ id }) => get(`/employees/${id}/company`),
  staffOf: ({ companyId }) => get(`/companies/${companyId}/employees`),
  update: ({ id, patch }) => ({
    method: 'PATCH',
    path: `/employees/${id}`,
    body: JSON.stringify(patch),
  }),
  insert: ({ values }) => ({ method: 'POST', path: '/employees', body: JSON.stringify(values) }),
  remove: ({ id }) => ({ method: 'DELETE', path: `/employees/${id}` }),
}

/**
 * node:http over better-sqlite3 in memory, hand-written: statements prepared once, routes by path
 * segments.
 */
/** @type {import('../../mixed/http/servers/server.js').MixServer} */
export default {
  name: 'sqlite-node',
  version: `better-sqlite3 ${sqlite.version}`,
  start(data) {
    const store = sqliteOffice(openSqlite(), data)
    return listen((request, response) => {
      const answer = (status, value) => send(response, status, value)
      if (request.method === 'GET') return read(store, request.url, answer)
      const chunks = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => write(store, request, Buffer.concat(chunks).toString(), answer))
    })
  },
  request: (operation) => {
    const { kind, ...values } = operation
    return requests[kind]?.(operation) ?? get(`/${kind}?${new URLSearchParams(values)}`)
  },
  read: (_operation, body) => body,
  countPath: '/count',
  readCount: ({ count }) => count,
}

function read(store, url, answer) {
  const [path, query] = url.split('?', 2)
  const [, first, key, part] = path.split('/')
  if (first === 'employees') {
    const id = Number(key)
    const found = part === undefined ? store.get({ id }) : store.companyOf({ id })
    return found === undefined ? answer(404, null) : answer(200, found)
  }
  if (first === 'companies') return answer(200, store.staffOf({ companyId: Number(key) }))
  if (first === 'count') return answer(200, { count: store.count() })
  const asked = {}
  for (const [name, value] of new URLSearchParams(query))
    asked[name] = numbers.has(name) ? Number(value) : value
  answer(200, store[first](asked))
}

/** Returns the stored row, as Entia does. */
function write(store, { method, url }, body, answer) {
  if (method === 'POST') {
    const values = JSON.parse(body)
    store.insert({ values })
    return answer(201, store.get({ id: values.ID }))
  }
  const id = Number(url.slice('/employees/'.length))
  if (method === 'DELETE') return answer(200, { ok: store.remove({ id }) === 1 })
  const changed = store.update({ id, patch: JSON.parse(body) })
  return changed === 1 ? answer(200, store.get({ id })) : answer(404, null)
}

function send(response, status, value) {
  const body = Buffer.from(JSON.stringify(value))
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
  })
  response.end(body)
}
