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

/** The statements that the interface sends for each request, by its address. */
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

/** The same SQL within json_agg: the database makes the text. @returns {Subject} */
export function aggregateSubject(pool, statements) {
  return {
    name: 'json_agg',
    async ask(url) {
      const { name, text, values } = statements.get(url)
      const { rows } = await pool.query({
        name: `j${name}`,
        // The columns have no names of their own.
        text: `SELECT json_agg(x)::text FROM (${text}) AS x (${columns(text)})`,
        values: [...values],
        rowMode: 'array',
      })
      return rows[0][0]
    },
  }
}

/** Names for the columns of a statement: as many as it surely has. */
const columns = (text) =>
  Array.from({ length: /^SELECT g\.stamp, /.test(text) ? 3 : 1 }, (_, at) => `c${at}`).join(', ')

export const directPool = (connectionString, max) => new pg.Pool({ connectionString, max })
