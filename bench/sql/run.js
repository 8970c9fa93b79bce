// Requests to a store over PostgreSQL, beside the same SQL sent by `pg` and beside json_agg. Blocks
// of the subjects alternate in one process.

import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { pgPool } from '@entia/sql/pg'
import { openEmployees } from './data.js'
import { REQUESTS } from './requests.js'
import {
  aggregateSubject,
  directPool,
  entiaSubject,
  rowsSubject,
  statementsOf,
} from './subjects.js'

const { values: given } = parseArgs({
  options: {
    database: { type: 'string', default: 'postgres://postgres@127.0.0.1:5432/postgres' },
    rows: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '9' },
    block: { type: 'string', default: '100' },
    connections: { type: 'string', default: '1' },
  },
})
const rows = Number(given.rows)
const rounds = Number(given.rounds)
const block = Number(given.block)
const connections = Number(given.connections)
const SCHEMA = `bench_${process.pid}`

const sent = []
const database = pgPool({
  connectionString: given.database,
  max: connections,
  statementMilliseconds: 0,
  onSend: (statements) => void sent.push(...statements),
})
const direct = directPool(given.database, connections)
try {
  const store = await openEmployees(database, SCHEMA, rows)
  const entia = entiaSubject(store)
  console.log(
    `${rows} employees, ${connections} connections, ${rounds} rounds of ${block} requests, Node ${process.version}`,
  )
  for (const [title, urlOf] of REQUESTS) {
    const urls = Array.from({ length: block }, (_, at) => urlOf(at, rows))
    // Twice, so that counts are known and statements are prepared.
    await statementsOf(entia, sent, urls)
    const statements = await statementsOf(entia, sent, urls)
    const subjects = [entia, rowsSubject(direct, statements), aggregateSubject(direct, statements)]
    const results = new Map(subjects.map(({ name }) => [name, []]))
    for (const subject of subjects) await runBlock(subject, urls)
    for (let round = 0; round < rounds; round++)
      for (const subject of subjects) results.get(subject.name).push(await runBlock(subject, urls))
    report(title, results)
  }
  console.log(`resident ${Math.round(process.memoryUsage().rss / 2 ** 20)} MB`)
} finally {
  await direct.end()
  await database.query({ name: '', text: `DROP SCHEMA IF EXISTS "${SCHEMA}" CASCADE`, values: [] })
  await database.close()
}

/** Asks all addresses, as many at a time as there are connections. */
async function runBlock(subject, urls) {
  const latencies = []
  let next = 0
  sent.length = 0
  const cpu = process.cpuUsage()
  const start = performance.now()
  const lane = async () => {
    while (next < urls.length) {
      const url = urls[next++]
      const began = performance.now()
      await subject.ask(url)
      latencies.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: connections }, lane))
  const milliseconds = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  return {
    rate: (1000 * urls.length) / milliseconds,
    cpu: (user + system) / 1000 / urls.length,
    latencies,
  }
}

function report(title, results) {
  console.log(`\n${title}`)
  console.log('            requests/s  of pg   CPU ms of Node     p50 ms   p99 ms')
  const rates = results.get('pg').map(({ rate }) => rate)
  for (const [name, blocks] of results) {
    const ratio = median(blocks.map(({ rate }, at) => rate / rates[at]))
    const latencies = blocks.flatMap((each) => each.latencies).sort((a, b) => a - b)
    const at = (part) => latencies[Math.floor(part * (latencies.length - 1))]
    console.log(
      name.padEnd(12) +
        median(blocks.map(({ rate }) => rate))
          .toFixed(0)
          .padStart(10) +
        `${(100 * ratio).toFixed(0)} %`.padStart(8) +
        median(blocks.map(({ cpu }) => cpu))
          .toFixed(3)
          .padStart(15) +
        at(0.5).toFixed(2).padStart(13) +
        at(0.99).toFixed(2).padStart(9),
    )
  }
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]
}
