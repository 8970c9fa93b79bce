#!/usr/bin/env node
// Several processes serve one PostgreSQL database; this process sends the load.

import { writeFileSync } from 'node:fs'
import pg from 'pg'
import { progressLine } from '../harness/progress.js'
import { whereAndWhen } from '../harness/report.js'
import { ExpectedAnswers } from '../mixed/expected-answers.js'
import { compare, load } from './measure.js'
import { parseClusterOptions } from './options.js'
import { printCluster } from './report.js'
import { Serving } from './serving.js'

const ANSWERS_COMPARED = 200

const options = parseClusterOptions()
// A separate database: catalogs full of other tables slow down every server that reads them.
const databaseName = `entia_bench_${process.pid}`
const place = new URL(options.database)
place.pathname = `/${databaseName}`
const database = place.href
const progress = progressLine(process.stderr)
const report = {
  ...whereAndWhen(),
  ...options,
  mixes: [],
  servers: {},
  missing: {},
  database: '',
}
await onServer(`CREATE DATABASE "${databaseName}" TEMPLATE template0`)
const client = new pg.Client({ connectionString: database, application_name: 'entia-bench' })
client.on('error', () => {})
try {
  await client.connect()
  const { rows } = await client.query('SHOW server_version')
  report.database = `PostgreSQL ${rows[0].server_version.split(' ', 1)[0]}`
  for (const [place, mix] of options.mixes.entries()) {
    const show = (doing) =>
      progress.show({ workload: mix.id, done: place + 1, total: options.mixes.length, doing })
    report.mixes.push(await runMix(mix, show))
    if (options.jsonFile !== null)
      writeFileSync(options.jsonFile, `${JSON.stringify(report, null, 2)}\n`)
  }
  progress.clear()
  process.stdout.write(printCluster(report))
} finally {
  await client.end()
  await onServer(`DROP DATABASE "${databaseName}" WITH (FORCE)`)
}

/** Runs a statement in the given database, outside that of the run. */
async function onServer(statement) {
  const administrator = new pg.Client({ connectionString: options.database })
  await administrator.connect()
  try {
    await administrator.query(statement)
  } finally {
    await administrator.end()
  }
}

/** @returns {Promise<import('./report.js').MeasuredMix>} */
async function runMix(mix, show) {
  const { rows, rounds, processes } = options
  const data = mix.makeData(rows)
  const expected = new ExpectedAnswers(mix, rows, ANSWERS_COMPARED)
  const runs = []
  const faults = {}
  const results = []
  try {
    for (const located of options.servers) {
      show(`${located.name}: data`)
      const { default: server } = await import(located.url).catch((error) => {
        report.missing[located.name] = error.message.split('\n', 1)[0]
        return {}
      })
      if (server === undefined) continue
      report.servers[server.name] = server.version
      const run = await start({ server, url: located.url }, mix, data)
      runs.push(run)
      show(`${located.name}: answers`)
      const most = processes.at(-1)
      const fault = await run.serving.connected(most, most, (all) =>
        compare(run.serving, mix, run.draw, expected, all),
      )
      if (fault !== null) {
        faults[server.name] = fault
        process.exitCode = 1
        continue
      }
      run.isRight = true
      for (const count of processes) await measure(run, mix, count)
    }
    for (let round = 0; round < rounds; round++)
      for (const run of round % 2 === 0 ? runs : [...runs].reverse())
        for (const count of round % 2 === 0 ? processes : [...processes].reverse()) {
          if (!run.isRight) continue
          const { server } = run.serving
          show(`${server.name}, ${count} processes, round ${round + 1}`)
          const measured = await measure(run, mix, count)
          results.push({ server: server.name, processes: count, round, ...measured })
        }
  } finally {
    for (const { serving, schema } of runs) {
      serving.stop()
      await client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
    }
  }
  return { id: mix.id, title: mix.title, faults, results }
}

/** Loads the data of a server and starts the largest number of processes that it needs. */
async function start(located, mix, data) {
  const { server } = located
  const schema = `bench_${server.name.replaceAll('-', '_')}`
  const place = {
    database,
    schema,
    family: mix.family,
    applicationName: `${databaseName}_${server.name}`,
    connections: 10,
  }
  await server.load(place, data)
  await analyze(schema)
  const serving = await Serving.start(located, place, options.processes.at(-1))
  return { serving, schema, draw: mix.operations(data), isRight: false }
}

async function analyze(schema) {
  const { rows } = await client.query('SELECT tablename FROM pg_tables WHERE schemaname = $1', [
    schema,
  ])
  for (const { tablename } of rows) await client.query(`ANALYZE "${schema}"."${tablename}"`)
}

function measure({ serving, draw }, mix, count) {
  return serving.connected(count, options.connections, (connections) =>
    load({
      serving,
      mix,
      draw,
      client,
      connections,
      pids: serving.pids(count),
      milliseconds: options.milliseconds,
    }),
  )
}
