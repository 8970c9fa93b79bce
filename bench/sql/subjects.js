import { createRestHandler } from '@entia/rest'
import pg from 'pg'

/**
 * @typedef {object} Subject
 * @property {string} name
 * @property {(url: string) => Promise<string>} ask answers JSON text
 */

/** The interface: from a request to the text of its reply. @returns {Subject} */
export function entiaSubject(store) {
  const rest = createRestHandler(store)
  return {
    name: 'entia',
    async ask(url) {
      const { status, body } = await rest.handle({
        method: 'GET',
        url: `/rest/${url}`,
        headers: { host: 'localhost' },
        remoteAddress: '127.0.0.1',
      })
      if (status !== 200) throw new Error(`${url}: ${status} ${body}`)
      return body
    },
  }
}

/** The statements that the interface sends for each request, by the address of the request. */
export async function statementsOf(subject, sent, urls) {
  const statements = new Map()
  for (const url of urls) {
    sent.length = 0
    await subject.ask(url)
    statements.set(url, sent[0])
  }
  return statements
}

/** The same SQL sent by `pg`: rows as arrays, as JSON. @returns {Subject} */
export function rowsSubject(pool, statements) {
  return {
    name: 'pg',
    async ask(url) {
      const { name, text, values } = statements.get(url)
      const { rows } = await pool.query({ name, text, values: [...values], rowMode: 'array' })
      return JSON.stringify(rows)
    },
  }
}

/**
 * The same SQL sent by `pg`, and the same reply: what an application would write by hand for this
 * one dataclass. @returns {Subject}
 */
export function replySubject(pool, statements) {
  return {
    name: 'pg, reply',
    async ask(url) {
      const { name, text, values } = statements.get(url)
      const { rows } = await pool.query({ name, text, values: [...values], rowMode: 'array' })
      const [globalStamp, , count, mark] = rows[0]
      if (!url.includes('?'))
        return JSON.stringify({
          __entityModel: 'Employee',
          __DATACLASS: 'Employee',
          ...entity(rows[0]),
        })
      const entities = mark === null ? [] : rows.map(entity)
      return JSON.stringify({
        __entityModel: 'Employee',
        __DATACLASS: 'Employee',
        __GlobalStamp: Number(globalStamp),
        __COUNT: Number(count),
        __FIRST: 0,
        __ENTITIES: entities,
        __SENT: entities.length,
      })
    },
  }
}

function entity(row) {
  const [
    key,
    stamp,
    timestamp,
    ID,
    firstName,
    lastName,
    email,
    salary,
    birthDate,
    active,
    employer,
  ] = row.slice(4)
  return {
    __KEY: String(key),
    __TIMESTAMP: new Date(Number(timestamp)).toISOString(),
    __STAMP: stamp,
    ID,
    firstName,
    lastName,
    email,
    salary,
    birthDate: new Date(Number(birthDate)).toISOString(),
    active,
    employer: { __deferred: { uri: `/rest/Company[${employer}]`, __KEY: String(employer) } },
  }
}

/** The same SQL with json_agg: the database creates the text. @returns {Subject} */
export function aggregateSubject(pool, statements) {
  return {
    name: 'json_agg',
    async ask(url) {
      const { name, text, values } = statements.get(url)
      const { rows } = await pool.query({
        name: `j${name}`,
        // The columns have no names.
        text: `SELECT json_agg(x)::text FROM (${text}) AS x (${columns(text)})`,
        values: [...values],
        rowMode: 'array',
      })
      return rows[0][0]
    },
  }
}

/** Names for the first columns of a statement; it never has fewer columns. */
const columns = (text) =>
  Array.from({ length: /^SELECT g\.stamp, /.test(text) ? 3 : 1 }, (_, at) => `c${at}`).join(', ')

/** Without JIT, as in the pools of the store. */
export const directPool = (connectionString, max) =>
  new pg.Pool({ connectionString, max, options: '-c jit=off' })
