// Updates of single entities through a store over PostgreSQL: `entia`. For comparison, `pgbench`
// sends the bare statements of an update in the same two round trips, and a single
// UPDATE. Blocks of the subjects alternate.
//
//     npm run build && node bench/sql/commits.js --connections 1,16,64 --seconds 5 --rounds 3

import { spawn } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { createRestHandler } from '@entia/rest'
import { pgPool } from '@entia/sql/pg'
import { openEmployees } from './data.js'

const { values: given } = parseArgs({
  options: {
    database: { type: 'string', default: 'postgres://postgres@127.0.0.1:5432/postgres' },
    rows: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '1,16,64' },
    subjects: { type: 'string', default: 'entia,statements,update' },
    workload: { type: 'string', default: 'update' },
  },
})
const rows = Number(given.rows)
const seconds = Number(given.seconds)

/** @typedef {{ commits: number, p50: number, p99: number }} Measured commits a second; milliseconds */

/**
 * Requests of the entity interface by workload; `at` is a random number below the number of
 * employees.
 */
const REQUESTS = {
  update: (at) => ({ method: 'PUT', url: `Employee(${at + 1})`, body: { salary: random(1e6) } }),
  insert: (at) => ({ method: 'POST', url: 'Employee', body: { lastName: `New ${at}` } }),
}

function random(below) {
  return Math.floor(Math.random() * below)
}

/**
 * Sends requests for some seconds, one at a time on each connection.
 * @returns {Promise<Measured>}
 */
async function measureStore(store, connections) {
  const rest = createRestHandler(store)
  const latencies = []
  const ends = performance.now() + seconds * 1000
  let refused = 0
  const lane = async () => {
    while (performance.now() < ends) {
      const { method, url, body } = REQUESTS[given.workload](random(rows))
      const began = performance.now()
      const reply = await rest.handle({
        method,
        url: `/rest/${url}`,
        headers: { host: 'localhost' },
        remoteAddress: '127.0.0.1',
        body: JSON.stringify(body),
      })
      if (reply.status === 503) refused++
      else if (reply.status !== 200) throw new Error(`${url}: ${reply.status} ${reply.body}`)
      latencies.push(performance.now() - began)
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: connections }, lane))
  const elapsed = (performance.now() - began) / 1000
  if (refused > 0) console.log(`${refused} requests were answered with 503`)
  latencies.sort((a, b) => a - b)
  const at = (share) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))]
  return { commits: (latencies.length - refused) / elapsed, p50: at(0.5), p99: at(0.99) }
}

/** The statements of an update as sent by the store, without a gate. */
const twoRoundTrips = (schema) => `\\set id random(1, ${rows})
\\set salary random(1, 1000000)
\\set a random(1, 1000000000)
\\set b random(1, 1000000000)
\\startpipeline
BEGIN;
SELECT * FROM "${schema}"."Employee" WHERE "ID" = :id FOR NO KEY UPDATE;
\\endpipeline
\\startpipeline
UPDATE "${schema}"."Employee" SET salary = :salary, _stamp = _stamp + 1, _ts = 1 WHERE "ID" = :id;
INSERT INTO "${schema}".entia_change (commit_id, ord, class, key, kind, record, stamp, timestamp, replaced, written) VALUES (:a || '.' || :b || '.' || :client_id, 0, 'Employee', :id, 'update', :id, 2, 0, '{"salary":1}', '{"salary":2}');
INSERT INTO "${schema}".entia_commit (id, stamp, classes) VALUES (:a || '.' || :b || '.' || :client_id, nextval('"${schema}".bench_stamp'), '{Employee}');
COMMIT;
\\endpipeline
`
const oneStatement = (schema) => `\\set id random(1, ${rows})
\\set salary random(1, 1000000)
UPDATE "${schema}"."Employee" SET salary = :salary, _stamp = _stamp + 1, _ts = 1 WHERE "ID" = :id;
`

/** Runs `pgbench`; p50 and p99 come from its log. @returns {Promise<Measured>} */
async function measurePgbench(script, connections) {
  const file = join(tmpdir(), `commits-${process.pid}.sql`)
  await writeFile(file, script)
  const database = new URL(given.database)
  const child = spawn('pgbench', [
    ...['--no-vacuum', '--protocol=prepared', '--progress=1', '--file', file],
    ...['--client', `${connections}`, '--jobs', '1', '--time', `${seconds}`],
    ...['--host', database.hostname, '--port', database.port || '5432'],
    ...['--username', database.username || 'postgres', database.pathname.slice(1)],
  ])
  let text = ''
  child.stdout.on('data', (part) => (text += part))
  child.stderr.on('data', (part) => (text += part))
  const code = await new Promise((resolve) => child.on('close', resolve))
  await rm(file)
  const commits = Number(/tps = ([\d.]+)/.exec(text)?.[1])
  if (code !== 0 || Number.isNaN(commits)) throw new Error(text)
  return { commits, p50: Number(/latency average = ([\d.]+)/.exec(text)?.[1]), p99: Number.NaN }
}

const owner = pgPool({ connectionString: given.database, max: 1, statementMilliseconds: 0 })
const run = (text) => owner.query({ name: '', text, values: [] })
const schemas = []
try {
  console.log(
    `${given.workload}: ${rows} employees, ${given.rounds} rounds of ${seconds} s, Node ${process.version}`,
  )
  for (const connections of given.connections.split(',').map(Number)) {
    /** @type {Map<string, { measure: () => Promise<Measured>, close: () => Promise<void>, all: Measured[] }>} */
    const subjects = new Map()
    for (const name of given.subjects.split(',')) {
      const schema = `commits_${process.pid}_${schemas.length}`
      schemas.push(schema)
      const isStore = name === 'entia'
      const pool = pgPool({
        connectionString: given.database,
        max: isStore ? connections : 1,
        statementMilliseconds: 0,
      })
      const store = await openEmployees(pool, schema, rows)
      await run(`CREATE SEQUENCE "${schema}".bench_stamp`)
      const script = name === 'update' ? oneStatement(schema) : twoRoundTrips(schema)
      subjects.set(name, {
        measure: () =>
          isStore ? measureStore(store, connections) : measurePgbench(script, connections),
        close: () => store.close(),
        all: [],
      })
    }
    for (let round = 0; round < Number(given.rounds); round++)
      for (const { measure, all } of subjects.values()) all.push(await measure())
    for (const { close } of subjects.values()) await close()
    report(connections, subjects)
  }
} finally {
  for (const schema of schemas) await run(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
  await owner.close()
}

/** Prints the medians of all rounds. `pgbench` reports the average in place of the median. */
function report(connections, subjects) {
  const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]
  for (const [name, { all }] of subjects) {
    const [commits, p50, p99] = ['commits', 'p50', 'p99'].map((of) =>
      median(all.map((each) => each[of])),
    )
    const tail = Number.isNaN(p99) ? '' : `, p99 ${p99.toFixed(1)} ms`
    console.log(
      `${`${connections}`.padStart(3)} connections ${name.padEnd(10)} ${commits.toFixed(0).padStart(6)}/s  p50 ${p50.toFixed(1)} ms${tail}`,
    )
  }
}
