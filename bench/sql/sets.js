// Large entity sets in the database and in Valkey: the time to create, page and combine them, and
// the memory that this process needs.

import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { openSqlStore } from '@entia/sql'
import { pgPool } from '@entia/sql/pg'
import { valkeyState } from '@entia/valkey'
import { Redis } from 'iovalkey'
import { openEmployees, optionsOf } from './data.js'
import { entiaSubject } from './subjects.js'

const { values: given } = parseArgs({
  options: {
    database: { type: 'string', default: 'postgres://postgres@127.0.0.1:5432/postgres' },
    valkey: { type: 'string', default: 'redis://127.0.0.1:6379' },
    members: { type: 'string', default: '1000000' },
    pages: { type: 'string', default: '200' },
  },
})
const members = Number(given.members)
const SCHEMA = `bench_${process.pid}`

const database = pgPool({ connectionString: given.database, max: 2, statementMilliseconds: 0 })
const client = new Redis(given.valkey)
try {
  const inDatabase = await openEmployees(database, SCHEMA, members)
  const volatileState = valkeyState({ client, prefix: SCHEMA })
  const inValkey = await openSqlStore({ ...optionsOf(database, SCHEMA), volatileState })
  console.log(`${members} members, Node ${process.version}`)
  await measure('database', entiaSubject(inDatabase))
  await measure('Valkey', entiaSubject(inValkey))
} finally {
  const keys = await client.keys(`{${SCHEMA}}:*`)
  if (keys.length > 0) await client.unlink(keys)
  client.disconnect()
  await database.query({ name: '', text: `DROP SCHEMA IF EXISTS "${SCHEMA}" CASCADE`, values: [] })
  await database.close()
}

async function measure(place, { ask }) {
  const kept = async (filter) => {
    const url = `Employee?$filter="${filter}"&$top=1&$method=entityset`
    return JSON.parse(await ask(url))
      .__ENTITYSET.split('/')
      .at(-1)
  }
  const all = await timed(`${place}: set of all`, () => kept('ID>0'))
  const half = await timed(`${place}: set of half`, () => kept(`ID>${members >> 1}`))
  const times = []
  for (let at = 0; at < Number(given.pages); at++) {
    const start = performance.now()
    await ask(`Employee/$entityset/${all}?$skip=${(at * 7919) % members}&$top=100`)
    times.push(performance.now() - start)
  }
  times.sort((a, b) => a - b)
  const at = (part) => times[Math.floor(part * (times.length - 1))].toFixed(2)
  console.log(`${place}: page of 100: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`)
  for (const operator of ['AND', 'OR', 'EXCEPT'])
    await timed(`${place}: all ${operator} half, page of 100`, () =>
      ask(`Employee/$entityset/${all}?$logicOperator=${operator}&$otherCollection=${half}`),
    )
}

async function timed(title, body) {
  global.gc?.()
  const used = () => {
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const before = used()
  let highest = before
  const sampler = setInterval(() => {
    highest = Math.max(highest, used())
  }, 5)
  const start = performance.now()
  const result = await body()
  const milliseconds = (performance.now() - start).toFixed(0)
  clearInterval(sampler)
  const megabytes = (Math.max(0, highest - before) / 2 ** 20).toFixed(1)
  console.log(`${title}: ${milliseconds} ms, memory of Node + ${megabytes} MB`)
  return result
}
