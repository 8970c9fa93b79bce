// The options of the store: the model of the flights, and the database.
import { model } from '@entia/example-flights/flights.mjs'
import { pgPool } from '@entia/sql/pg'
import { pglitePool } from '@entia/sql/pglite'

const { DATABASE_URL, DATA = './data' } = process.env

/** PostgreSQL inside this process unless there is the address of a server. */
export const database =
  DATABASE_URL === undefined
    ? pglitePool({ dataDir: DATA })
    : pgPool({ connectionString: DATABASE_URL })

/** @type {import('@entia/sql').SqlStoreOptions} */
export const options = {
  ...model,
  database,
  // The function `worst` orders all 20,000 flights, and functions run in this process.
  reading: { maxResidualRows: 50_000 },
}
