// The time until another process sees a commit, with and without wake-ups through Valkey, the
// number of statements that it sends while idle, and the age of what replicas of its mirror show.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createRestHandler } from '@entia/rest'
import { openSqlStore } from '@entia/sql'
import { pgPool } from '@entia/sql/pg'
import { valkeyState } from '@entia/valkey'
import { Redis } from 'iovalkey'
import { createEmployees, optionsOf } from './data.js'

const { values: given } = parseArgs({
  options: {
    database: { type: 'string', default: 'postgres://postgres@127.0.0.1:5432/postgres' },
    valkey: { type: 'string', default: 'redis://127.0.0.1:6379' },
    commits: { type: 'string', default: '200' },
    idle: { type: 'string', default: '10' },
    // Commits per second, for so many seconds, that concern one of so many replicas each.
    rate: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '10' },
    replicas: { type: 'string', default: '1000' },
    // Passed only to the writing process, which this program starts.
    schema: { type: 'string', default: '' },
    wakes: { type: 'boolean', default: false },
  },
})
/** The clock is shared by all processes of a machine. */
const now = () => performance.timeOrigin + performance.now()

/** Commits of the other process that are being made. */
const MAX_RUNNING = 200

if (given.schema === '') await measure()
else await write()

/**
 * The other process makes a commit, or as many as it can up to a rate, on request. It answers with
 * the time of each commit.
 */
async function write() {
  const { store, close } = await open(given.schema, { wakes: given.wakes, connections: 8 })
  process.on('message', async ({ at, total, rate }) => {
    if (total === undefined) {
      await store.Company.update(1, { name: `Company ${at} ${given.wakes}` })
      process.send(now())
      return
    }
    const committed = []
    const begin = now()
    const commit = async (each) => {
      await store.Company.update(1 + (each % Number(given.replicas)), { city: `${at + each}` })
      committed[each] = now()
    }
    const running = new Set()
    for (let each = 0; each < total; ) {
      const due = Math.min(total, Math.floor(((now() - begin) * rate) / 1000))
      // More would wait for each other for longer and longer.
      for (; each < due && running.size < MAX_RUNNING; each++) {
        const one = commit(each).finally(() => running.delete(one))
        running.add(one)
      }
      await wait(1)
    }
    await Promise.all(running)
    process.send({ committed, seconds: (now() - begin) / 1000 })
  })
  process.once('disconnect', close)
  process.send('ready')
}

async function measure() {
  const schema = `bench_${process.pid}`
  const database = pgPool({ connectionString: given.database, max: 2 })
  try {
    // Twenty employees have a company.
    await createEmployees(database, schema, 20 * Number(given.replicas))
    let since = 1
    for (const wakes of [false, true]) since = await read(schema, wakes, since)
    for (const wakes of [false, true]) await follow(schema, wakes)
  } finally {
    const text = `DROP SCHEMA IF EXISTS "${schema}" CASCADE`
    await database.query({ name: '', text, values: [] })
    await database.close()
  }
}

/** Returns the last global stamp. */
async function read(schema, wakes, since) {
  const { store, sent, close } = await open(schema, { wakes })
  const writer = await startWriter(schema, wakes)
  const stop = new AbortController()
  const commits = store.changes({ since, signal: stop.signal })[Symbol.asyncIterator]()
  const latencies = []
  let last = since
  for (let at = 0; at <= Number(given.commits); at++) {
    const next = commits.next().then(({ value }) => [now(), value.globalStamp])
    await wait(at === 0 ? 1000 : 5 + ((at * 37) % 150))
    const answered = once(writer, 'message')
    writer.send({ at })
    const [committed] = await answered
    const [seen, stamp] = await next
    last = stamp
    // The first commit opens connections.
    if (at > 0) latencies.push(Math.max(0, seen - committed))
  }
  sent.count = 0
  const pending = commits.next().catch(() => {})
  await wait(Number(given.idle) * 1000)
  const idle = (sent.count / Number(given.idle)).toFixed(1)
  stop.abort()
  await pending
  writer.disconnect()
  await once(writer, 'exit')
  const latency = quantilesOf(latencies)
  console.log(
    `${named(wakes)}: ${latency} after the commit was answered; idle: ${idle} statements per second`,
  )
  await close()
  return last
}

/** Prints the age of what replicas show when it reaches them: they are read in this process. */
async function follow(schema, wakes) {
  const { store, close } = await open(schema, { wakes, mirror: { dataClasses: ['Company'] } })
  await store.mirror.filled()
  const rest = createRestHandler(store, { replicas: { maxStreams: 100_000 } })
  const replicas = Number(given.replicas)
  /** When the value of each commit was here. */
  const seen = new Map()
  const streams = []
  for (let number = 1; number <= replicas; number++)
    streams.push(await openStream(rest, number, (value) => seen.set(value, now())))
  const writer = await startWriter(schema, wakes)
  const rate = Number(given.rate)
  // First the code is compiled and the connections are open.
  for (const seconds of [2, Number(given.seconds)]) {
    seen.clear()
    const answered = once(writer, 'message')
    const at = seconds * 1_000_000
    const cpu = process.cpuUsage()
    writer.send({ at, total: rate * seconds, rate })
    const [{ committed, seconds: took }] = await answered
    const { user, system } = process.cpuUsage(cpu)
    await wait(500)
    const ages = committed.flatMap((time, each) => {
      const here = seen.get(`${at + each}`)
      return here === undefined ? [] : [Math.max(0, here - time)]
    })
    if (seconds !== Number(given.seconds)) continue
    const reached = (committed.length / took).toFixed(0)
    console.log(
      `${named(wakes)}: ${reached} commits per second, ${replicas} replicas of a mirror: ${quantilesOf(ages)} after the commit was answered (${ages.length} of ${committed.length} seen, ${((user + system) / 1e4 / took).toFixed(0)} % of a processor)`,
    )
  }
  writer.disconnect()
  await once(writer, 'exit')
  await Promise.all(streams.map((lines) => lines.return()))
  await close()
}

/** Opens the stream of one replica; resolves when its first moment is here. */
async function openStream(rest, number, onCity) {
  const answer = await rest.handle({
    method: 'POST',
    url: '/rest/$replica',
    headers: {},
    body: JSON.stringify({
      replica: `replica${String(number).padStart(20, '0')}`,
      shapes: { Company: { filter: 'ID === :1', params: [number], attributes: ['city'] } },
    }),
  })
  if (answer.stream === undefined) throw new Error(JSON.stringify(answer.body))
  const lines = answer.stream[Symbol.asyncIterator]()
  let begin
  const isHere = new Promise((resolve) => {
    begin = resolve
  })
  const read = async () => {
    for (;;) {
      const { done, value } = await lines.next()
      if (done) return
      for (const line of value.split('\n')) {
        if (line.startsWith('["="')) begin()
        // A change of the city alone.
        const change = /^\[0,\d+,\d+,\d+,\["(\d+)"\],/.exec(line)
        if (change !== null) onCity(change[1])
      }
    }
  }
  void read()
  await isHere
  return lines
}

function named(wakes) {
  return `${wakes ? 'with' : 'without'} wake-ups`
}

function quantilesOf(times) {
  times.sort((a, b) => a - b)
  const at = (part) => times[Math.floor(part * (times.length - 1))]?.toFixed(1)
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`
}

async function startWriter(schema, wakes) {
  const more = ['--database', given.database, '--valkey', given.valkey]
  const own = ['--schema', schema, '--replicas', given.replicas, ...(wakes ? ['--wakes'] : [])]
  const writer = fork(fileURLToPath(import.meta.url), [...own, ...more])
  await once(writer, 'message')
  return writer
}

async function open(schema, { wakes, connections = 2, mirror }) {
  const sent = { count: 0 }
  const onSend = () => {
    sent.count += 1
  }
  const database = pgPool({ connectionString: given.database, max: connections, onSend })
  const client = wakes ? new Redis(given.valkey) : null
  const place = client === null ? {} : { volatileState: valkeyState({ client, prefix: schema }) }
  const store = await openSqlStore({
    ...optionsOf(database, schema),
    ...place,
    ...(mirror === undefined ? {} : { mirror }),
  })
  return {
    store,
    sent,
    async close() {
      await store.close()
      client?.disconnect()
    },
  }
}
