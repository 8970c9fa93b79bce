// The time until another process sees a commit, with and without wake-ups through Valkey, and the
// number of statements that it sends while idle.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openSqlStore } from '@entia/sql'
import { pgPool } from '@entia/sql/pg'
import { valkeyState } from '@entia/valkey'
import { Redis } from 'iovalkey'
import { openEmployees, optionsOf } from './data.js'

const { values: given } = parseArgs({
  options: {
    database: { type: 'string', default: 'postgres://postgres@127.0.0.1:5432/postgres' },
    valkey: { type: 'string', default: 'redis://127.0.0.1:6379' },
    commits: { type: 'string', default: '200' },
    idle: { type: 'string', default: '10' },
    // Passed only to the writing process, which this program starts.
    schema: { type: 'string', default: '' },
    wakes: { type: 'boolean', default: false },
  },
})
/** The clock is shared by all processes of a machine. */
const now = () => performance.timeOrigin + performance.now()

if (given.schema === '') await measure()
else await write()

/** The other process commits on request, and returns the time of the commit. */
async function write() {
  const { store, close } = await open(given.schema, given.wakes)
  process.on('message', async (at) => {
    await store.Company.update(1, { name: `Company ${at} ${given.wakes}` })
    process.send(now())
  })
  process.once('disconnect', close)
  process.send('ready')
}

async function measure() {
  const schema = `bench_${process.pid}`
  const database = pgPool({ connectionString: given.database, max: 2 })
  try {
    await openEmployees(database, schema, 10)
    let since = 1
    for (const wakes of [false, true]) since = await read(schema, wakes, since)
  } finally {
    const text = `DROP SCHEMA IF EXISTS "${schema}" CASCADE`
    await database.query({ name: '', text, values: [] })
    await database.close()
  }
}

/** Returns the last global stamp. */
async function read(schema, wakes, since) {
  const { store, sent, close } = await open(schema, wakes)
  const more = ['--database', given.database, '--valkey', given.valkey]
  const own = ['--schema', schema, ...(wakes ? ['--wakes'] : [])]
  const writer = fork(fileURLToPath(import.meta.url), [...own, ...more])
  await once(writer, 'message')
  const stop = new AbortController()
  const commits = store.changes({ since, signal: stop.signal })[Symbol.asyncIterator]()
  const latencies = []
  let last = since
  for (let at = 0; at <= Number(given.commits); at++) {
    const next = commits.next().then(({ value }) => [now(), value.globalStamp])
    await wait(at === 0 ? 1000 : 5 + ((at * 37) % 150))
    const answered = once(writer, 'message')
    writer.send(at)
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
  latencies.sort((a, b) => a - b)
  const at = (part) => latencies[Math.floor(part * (latencies.length - 1))].toFixed(1)
  console.log(
    `${wakes ? 'with' : 'without'} wake-ups: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms after the commit was answered; idle: ${idle} statements per second`,
  )
  await close()
  return last
}

async function open(schema, wakes) {
  const sent = { count: 0 }
  const onSend = () => {
    sent.count += 1
  }
  const database = pgPool({ connectionString: given.database, max: 2, onSend })
  const client = wakes ? new Redis(given.valkey) : null
  const place = client === null ? {} : { volatileState: valkeyState({ client, prefix: schema }) }
  const store = await openSqlStore({ ...optionsOf(database, schema), ...place })
  return {
    store,
    sent,
    async close() {
      await store.close()
      client?.disconnect()
    },
  }
}
