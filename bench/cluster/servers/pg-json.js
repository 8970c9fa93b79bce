import pg from 'pg'
import { listen } from '../../http/listen.js'
import { fieldNames } from '../../mixed/ycsb-data.js'
import { versionOf } from '../../package-version.js'
import { loadPlainTables } from './plain-tables.js'

const employee =
  'id AS "ID", first_name AS "firstName", last_name AS "lastName", email, salary, ' +
  'birth_date AS "birthDate", active, company_id AS "companyID"'
const company = 'id AS "ID", name, city, revenue, sector'
const columnOf = new Map(
  Object.entries({
    firstName: 'first_name',
    lastName: 'last_name',
    email: 'email',
    salary: 'salary',
    birthDate: 'birth_date',
    active: 'active',
    companyID: 'company_id',
    ...Object.fromEntries(fieldNames.map((name) => [name, name])),
  }),
)

const list = (query) => `SELECT coalesce(json_agg(x), '[]')::text FROM (${query}) AS x`
const one = (query) => `SELECT row_to_json(x)::text FROM (${query}) AS x`
const page = (rest, parameters) =>
  list(
    `SELECT ${employee} FROM employee WHERE ${rest} OFFSET $${parameters + 1} LIMIT $${parameters + 2}`,
  )
const figures =
  'SELECT count(*), sum(salary), avg(salary) AS average, min(salary), max(salary) FROM employee'
const inCity = 'company_id IN (SELECT id FROM company WHERE city = $1)'

/** The statement of a read, and its values from those of the address. */
const reads = new Map([
  ['read', [one('SELECT * FROM item WHERE key = $1'), ['key']]],
  ['scan', [list('SELECT * FROM item WHERE key >= $1 ORDER BY key LIMIT $2'), ['key', 'length']]],
  ['get', [one(`SELECT ${employee} FROM employee WHERE id = $1`), ['id']]],
  [
    'companyOf',
    [
      one(
        `SELECT ${company} FROM company WHERE id = (SELECT company_id FROM employee WHERE id = $1)`,
      ),
      ['id'],
    ],
  ],
  ['staffOf', [list(`SELECT ${employee} FROM employee WHERE company_id = $1`), ['companyId']]],
  ['pageByName', [page('last_name = $1 ORDER BY first_name', 1), ['lastName', 'skip', 'top']]],
  [
    'pageBornBefore',
    [page('birth_date < $1 ORDER BY salary DESC, last_name', 1), ['before', 'skip', 'top']],
  ],
  [
    'pageByCity',
    [page(`${inCity} AND salary > $2 ORDER BY salary DESC`, 2), ['city', 'salary', 'skip', 'top']],
  ],
  [
    'pageByPrefix',
    [page(`last_name LIKE $1 || '%' ORDER BY last_name, first_name`, 1), ['prefix', 'skip', 'top']],
  ],
  [
    'pageBySalary',
    [page('salary >= $1 AND salary <= $2 ORDER BY salary', 2), ['low', 'high', 'skip', 'top']],
  ],
  ['aggregateOfCity', [one(`${figures} WHERE ${inCity}`), ['city']]],
  ['aggregateBornBefore', [one(`${figures} WHERE birth_date < $1`), ['before']]],
])

const insertOffice = `WITH made AS (INSERT INTO employee VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  RETURNING *) ${one(`SELECT ${employee} FROM made`)}`
const insertRecord = `WITH made AS (INSERT INTO item VALUES (${['key', ...fieldNames].map((_, at) => `$${at + 1}`).join(', ')})
  RETURNING *) ${one('SELECT * FROM made')}`
const tables = new Map([
  ['employee', { key: 'id', shown: employee }],
  ['item', { key: 'key', shown: '*' }],
])

const get = (kind, values) => ({ method: 'GET', path: `/${kind}?${new URLSearchParams(values)}` })

/**
 * PostgREST's way by hand: one prepared statement per request, whose JSON the database writes with
 * `json_agg`, and node:http, which hands it on. No stamps, rules, permissions or counts.
 * @type {import('./server.js').ClusterServer}
 */
export default {
  name: 'pg-json',
  version: `pg ${versionOf('pg')}`,
  load: (place, data) => loadPlainTables(place, data),
  start({ database, schema, applicationName, connections }) {
    const pool = new pg.Pool({
      connectionString: database,
      max: connections,
      application_name: applicationName,
      options: `-c search_path=${schema}`,
      idleTimeoutMillis: 2000,
    })
    pool.on('error', () => {})
    return listen((request, response) => {
      const chunks = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        answerOf(pool, request, Buffer.concat(chunks)).then(
          (text) => send(response, text === null ? 404 : 200, text ?? 'null'),
          (error) => send(response, 500, JSON.stringify({ error: error.message })),
        )
      })
    })
  },
  request(operation) {
    const { kind, ...values } = operation
    const body = (method, path, content) => ({ method, path, body: JSON.stringify(content) })
    if (kind === 'insert')
      return operation.record === undefined
        ? body('POST', '/employee', operation.values)
        : body('POST', '/item', operation.record)
    if (kind === 'remove') return { method: 'DELETE', path: `/employee?key=${operation.id}` }
    if (kind !== 'update') return get(kind, values)
    return operation.key === undefined
      ? body('PATCH', `/employee?key=${operation.id}`, operation.patch)
      : body('PATCH', `/item?key=${operation.key}`, { [operation.field]: operation.value })
  },
  read: (_operation, body) => body,
}

async function answerOf(pool, { method, url }, content) {
  const [path, query] = url.split('?', 2)
  const given = new URLSearchParams(query)
  const name = path.slice(1)
  const run = async (title, text, values) => {
    const { rows } = await pool.query({ name: title, text, values, rowMode: 'array' })
    return rows[0]?.[0] ?? null
  }
  if (method === 'GET') {
    const [text, names] = reads.get(name)
    return run(
      name,
      text,
      names.map((each) => given.get(each)),
    )
  }
  const { key, shown } = tables.get(name)
  if (method === 'POST')
    return run(
      `insert ${name}`,
      name === 'item' ? insertRecord : insertOffice,
      Object.values(JSON.parse(content.toString())),
    )
  if (method === 'DELETE')
    return run(`delete ${name}`, `DELETE FROM ${name} WHERE ${key} = $1 RETURNING 'true'`, [
      given.get('key'),
    ])
  const patch = Object.entries(JSON.parse(content.toString()))
  const columns = patch.map(([attribute]) => columnOf.get(attribute))
  const set = columns.map((column, at) => `${column} = $${at + 2}`).join(', ')
  return run(
    `update ${name} ${columns.join(' ')}`,
    `WITH changed AS (UPDATE ${name} SET ${set} WHERE ${key} = $1 RETURNING *)
      ${one(`SELECT ${shown} FROM changed`)}`,
    [given.get('key'), ...patch.map(([, value]) => value)],
  )
}

function send(response, status, text) {
  const body = Buffer.from(text)
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
  })
  response.end(body)
}
