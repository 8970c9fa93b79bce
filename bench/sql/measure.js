// The cost of metrics and of the option `slow`: CPU per round trip over a pool that answers at
// once, and CPU per request over PostgreSQL.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { createRestHandler } from '@entia/rest'
import { pgPool } from '@entia/sql/pg'
import { build } from 'esbuild'
import { openEmployees } from './data.js'
import { REQUESTS } from './requests.js'

const { values: given } = parseArgs({
  options: {
    database: { type: 'string', default: 'postgres://postgres@127.0.0.1:5432/postgres' },
    rounds: { type: 'string', default: '40' },
    block: { type: 'string', default: '200' },
  },
})
const rounds = Number(given.rounds)
const block = Number(given.block)
const ROWS = 10_000

await roundTrips()
await requests()

/**
 * The pools of the engine are not part of the package's interface, so they are built from the
 * sources.
 */
async function roundTrips() {
  const folder = mkdtempSync(join(tmpdir(), 'entia-measure-'))
  try {
    const outfile = join(folder, 'measures.mjs')
    const source = '../../packages/sql/src/measure/store-measures.ts'
    await build({
      entryPoints: [fileURLToPath(new URL(source, import.meta.url))],
      bundle: true,
      platform: 'node',
      format: 'esm',
      conditions: ['entia-source'],
      outfile,
    })
    const { StoreMeasures } = await import(pathToFileURL(outfile).href)
    const answer = [{ rows: [], count: 0 }]
    const bare = {
      prepares: true,
      query: async () => answer[0],
      connect: async (body) => body({ send: async () => answer }),
      close: async () => {},
    }
    const measures = new StoreMeasures(bare, () => performance.now())
    const statements = [{ name: 'a', text: 'SELECT 1', values: [] }]
    const run = (pool) => () => pool.connect(({ send }) => send(statements))
    const measured = run(measures.poolFor('read'))
    const times = await alternate(
      { bare: run(bare), measured, tallied: () => measures.tallying(tally(), measured) },
      20_000,
    )
    console.log('microseconds of CPU per round trip, over a pool that answers at once')
    for (const [name, value] of times) console.log(`  ${name.padEnd(10)}${value.toFixed(2)}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function requests() {
  const schema = `bench_${process.pid}`
  const [[title, urlOf]] = REQUESTS
  const database = pgPool({ connectionString: given.database, max: 1, statementMilliseconds: 0 })
  try {
    const store = await openEmployees(database, schema, ROWS)
    const ask = (options) => {
      const rest = createRestHandler(store, options)
      let at = 0
      return () =>
        rest.handle({ method: 'GET', url: `/rest/${urlOf(at++, ROWS)}`, headers: { host: 'x' } })
    }
    const plain = ask({})
    const counted = ask({ metrics: true })
    const slow = ask({ slow: { milliseconds: 60_000, report: () => {} } })
    // Node follows requests from the first one that is tallied on, so this block comes first.
    const before = await alternate({ plain, metrics: counted }, block)
    const after = await alternate({ 'slow, others': plain, slow }, block)
    console.log(`microseconds of CPU of Node per request: ${title}`)
    for (const [name, value] of [...before, ...after])
      console.log(`  ${name.padEnd(14)}${value.toFixed(1)}`)
  } finally {
    await database.query({
      name: '',
      text: `DROP SCHEMA IF EXISTS "${schema}" CASCADE`,
      values: [],
    })
    await database.close()
  }
}

/** The median CPU per call of each subject, in microseconds; blocks alternate. */
async function alternate(subjects, calls) {
  const found = new Map(Object.keys(subjects).map((name) => [name, []]))
  for (let round = 0; round < rounds; round++)
    for (const [name, call] of Object.entries(subjects)) {
      const from = process.cpuUsage()
      for (let at = 0; at < calls; at++) await call()
      const { user, system } = process.cpuUsage(from)
      // The first half compiles the code.
      if (round >= rounds / 2) found.get(name).push((user + system) / calls)
    }
  return new Map([...found].map(([name, values]) => [name, median(values)]))
}

function median(values) {
  return values.sort((a, b) => a - b)[values.length >> 1]
}

function tally() {
  return { roundTrips: 0, databaseMilliseconds: 0, waitMilliseconds: 0 }
}
