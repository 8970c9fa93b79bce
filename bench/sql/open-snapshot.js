// The cost of a commit while a transaction of the same database stays open. Each commit updates the
// rows of the gate, and PostgreSQL keeps the old versions for that transaction.
//
//     node bench/sql/open-snapshot.js --database postgres://… --commits 2000 --steps 10

import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { pgPool } from '@entia/sql/pg'
import pg from 'pg'
import { createEmployees } from './data.js'

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'postgres://postgres@127.0.0.1:5432/postgres' },
    // Commits per step.
    commits: { type: 'string', default: '2000' },
    steps: { type: 'string', default: '10' },
  },
})
const commits = Number(values.commits)
const schema = `bench_${process.pid}`
const database = pgPool({ connectionString: values.database, max: 2 })
const client = new pg.Client({ connectionString: values.database })
const holder = new pg.Client({ connectionString: values.database })
await Promise.all([client.connect(), holder.connect()])
try {
  await createEmployees(database, schema, 10)
  // Only the gate, inside the server: without network and disk.
  await client.query('SET synchronous_commit = off')
  await client.query(`CREATE PROCEDURE "${schema}".pass_gate(step text) LANGUAGE plpgsql AS $$
    BEGIN
      FOR at IN 1 .. ${commits} LOOP
        PERFORM "${schema}".entia_gate(0, '{}', '0', '{Employee}', '{0}'::bigint[], step || at);
        COMMIT;
      END LOOP;
    END $$`)
  for (let step = 0; step < 3; step++) await measure('before', step)
  await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await holder.query('SELECT FROM pg_class LIMIT 1')
  for (let step = 0; step < Number(values.steps); step++) await measure('open', step)
  await holder.query('COMMIT')
  for (let step = 0; step < 2; step++) await measure('ended', step)
  for (const table of ['entia_store', 'entia_class'])
    await client.query(`VACUUM "${schema}".${table}`)
  await measure('after VACUUM', 0)
} finally {
  await client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
  await Promise.all([client.end(), holder.end(), database.close()])
}

/** Passes the gate several times, and prints the time of one commit. */
async function measure(title, step) {
  const start = performance.now()
  await client.query(`CALL "${schema}".pass_gate($1::text)`, [`${title}.${step}.`])
  const microseconds = ((performance.now() - start) * 1000) / commits
  const { rows } = await client.query(
    `SELECT pg_relation_size('"${schema}".entia_store') / 8192 AS pages`,
  )
  console.log(
    `${title}, step ${step + 1}: ${microseconds.toFixed(0)} µs for one commit, ${rows[0].pages} pages`,
  )
}
