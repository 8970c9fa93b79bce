// Requests to a store over PostgreSQL, compared with the same SQL sent by `pg`: with plain rows,
// with a hand-written reply of the interface, and with json_agg. Blocks of the subjects alternate
// in one process.

import { deepStrictEqual } from 'node:assert/strict'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { pgPool } from '@entia/sql/pg'
import { byHand } from './by-hand.js'
import { createEmployees, openStore } from './data.js'
import { DEEP, REQUESTS } from './requests.js'
import {
  aggregateSubject,
  directPool,
  entiaSubject,
  replySubject,
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
    only: { type: 'string', default: '' },
  },
})
const rows = Number(given.rows)
const rounds = Number(given.rounds)
const block = Number(given.block)
const connections = Number(given.connections)
const SCHEMA = `bench_${process.pid}`
const DEEP_PAGES = 6

const sent = []
const database = pgPool({
  connectionString: given.database,
  max: connections,
  statementMilliseconds: 0,
  onSend: (statements) => void sent.push(...statements),
})
const direct = directPool(given.database, connections)
try {
  const start = performance.now()
  const options = await createEmployees(database, SCHEMA, rows)
  const seconds = ((performance.now() - start) / 1000).toFixed(0)
  const store = await openStore(options)
  const entia = entiaSubject(store)
  console.log(
    `${rows} employees in ${seconds} s, ${connections} connections, ${rounds} rounds of ${block} requests, Node ${process.version}`,
  )
  for (const [title, urlOf] of REQUESTS) {
    if (!title.includes(given.only)) continue
    const urls = Array.from({ length: block }, (_, at) => urlOf(at, rows))
    // Twice, so that counts are cached and statements are prepared.
    await statementsOf(entia, sent, urls)
    const statements = await statementsOf(entia, sent, urls)
    const reply = replySubject(direct, statements)
    for (const url of urls.slice(0, 3)) await checkSame(entia, reply, url)
    const rowsOnly = rowsSubject(direct, statements)
    await compare(title, urls, [entia, rowsOnly, reply, aggregateSubject(direct, statements)])
  }
  // Groups and writes: the same work by hand, with statements of its own.
  const numbers = Array.from({ length: block }, (_, at) => at)
  for (const { title, entia, hand } of await byHand(store, direct, SCHEMA, rows)) {
    if (!title.includes(given.only)) continue
    const subjects = [
      { name: 'entia', ask: entia },
      { name: 'by hand', ask: hand },
    ]
    await compare(title, numbers, subjects)
  }
  // A separate engine has no bookmarks, and reading pages in descending order gives it none that
  // help: it sends OFFSET.
  const stranger = entiaSubject(await openStore(options))
  for (const [title, urlOf] of DEEP) {
    if (!title.includes(given.only)) continue
    const urls = Array.from({ length: DEEP_PAGES }, (_, at) => urlOf(at, rows))
    const plain = await statementsOf(stranger, sent, urls.toReversed())
    await statementsOf(entia, sent, urls)
    const skipping = { ...rowsSubject(direct, plain), name: 'pg, OFFSET' }
    // The first page is found by OFFSET too.
    await compare(title, urls.slice(1), [entia, skipping], Math.min(rounds, 3))
  }
  console.log(`resident ${Math.round(process.memoryUsage().rss / 2 ** 20)} MB`)
} finally {
  await direct.end()
  await database.query({ name: '', text: `DROP SCHEMA IF EXISTS "${SCHEMA}" CASCADE`, values: [] })
  await database.close()
}

async function compare(title, urls, subjects, times = rounds) {
  const results = new Map(subjects.map(({ name }) => [name, []]))
  for (const subject of subjects) await runBlock(subject, urls)
  for (let round = 0; round < times; round++)
    for (const subject of subjects) results.get(subject.name).push(await runBlock(subject, urls))
  report(title, results)
}

/** A hand-written reply must have the same entities, otherwise its speed is meaningless. */
async function checkSame(one, other, url) {
  const [first, second] = [one, other].map(async (subject) => JSON.parse(await subject.ask(url)))
  const [{ __ENTITIES: wanted, ...single }, { __ENTITIES: found, ...alone }] = [
    await first,
    await second,
  ]
  deepStrictEqual(found ?? alone, wanted ?? single)
}

/** Requests all addresses, with as many requests at a time as there are connections. */
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

/**
 * Ratios are medians over the rounds. The tenth percentile of the latencies is the time of a
 * request on an otherwise idle machine.
 */
function report(title, results) {
  const [, baseline, reply] = results.keys()
  const shares = [baseline, reply].filter((name) => name !== undefined)
  console.log(`\n${title}`)
  const heads = ['requests/s', ...shares.map((name) => `of ${name}`), 'CPU ms of Node']
  console.log(row('', [...heads, 'p10 ms', 'p50 ms', 'p99 ms']))
  for (const [name, blocks] of results) {
    const ratios = shares.map((share) => {
      const rates = results.get(share).map(({ rate }) => rate)
      return `${(100 * median(blocks.map(({ rate }, at) => rate / rates[at]))).toFixed(0)} %`
    })
    const latencies = blocks.flatMap((each) => each.latencies).sort((a, b) => a - b)
    const at = (part) => latencies[Math.floor(part * (latencies.length - 1))].toFixed(2)
    const rate = median(blocks.map((each) => each.rate)).toFixed(0)
    const cpu = median(blocks.map((each) => each.cpu)).toFixed(3)
    console.log(row(name, [rate, ...ratios, cpu, at(0.1), at(0.5), at(0.99)]))
  }
}

function row(name, cells) {
  return name.padEnd(11) + cells.map((cell) => cell.padStart(15)).join('')
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]
}
