// `npm run test:long -- failure`: see scripts/long.mjs.
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { pgPool } from '../../src/pg.ts'
import { statementOfText } from '../../src/sql-builder/statement.ts'
import { type CutPlace, type CutResult, countMessages, cutRequest } from './cut-requests.ts'
import { type MessageCut, messageProxy } from './message-proxy.ts'
import { KINDS } from './requests.ts'
import { migrateWorld, openWorld } from './world.ts'

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'postgres://postgres@127.0.0.1:5432/postgres' },
    batches: { type: 'string', default: '500' },
    only: { type: 'string' },
  },
})
const batches = Number(values.batches)
const connectionString = values.database
const schema = `failure_${randomBytes(6).toString('hex')}`
const chosen = values.only === undefined ? null : values.only.split(',')

const pool = pgPool({ connectionString, max: 2 })
const run = (text: string) => pool.query(statementOfText(text, []))
await run(`CREATE SCHEMA "${schema}"`)
const proxy = await messageProxy(connectionString)
try {
  await migrateWorld({ connectionString, schema })
  const world = await openWorld({ connectionString: proxy.connectionString, schema })
  const safe = await openWorld({ connectionString, schema })
  const place: CutPlace = { proxy, world, safe, pool, schema, maxMilliseconds: 10_000 }
  let at = 0
  for (const kind of KINDS) {
    if (chosen !== null && !chosen.includes(kind.name)) continue
    const counts = await countMessages(place, kind, `m${at++}.`)
    const results: CutResult[] = []
    const cuts = everyCut(counts)
    // Each message is cut in each way once; batches as often as requested.
    const rounds = kind.name.endsWith('batch') ? Math.max(batches, cuts.length) : cuts.length
    for (let round = 0; round < rounds; round++) {
      const cut = cuts[round % cuts.length]!
      const result = await cutRequest(place, kind, `m${at++}.`, cut)
      results.push(result)
      for (const violation of result.violations) {
        process.exitCode = 1
        console.log(`  ${kind.name} ${JSON.stringify(cut)}: ${violation.slice(0, 400)}`)
      }
    }
    console.log(
      `${kind.name}: ${summary(results)} (messages ${counts.toServer} + ${counts.toClient})`,
    )
  }
  const internal = world.failures.filter(
    (each) => !(each instanceof Error) || ('failure' in each && each.failure === 'internal'),
  )
  for (const failure of internal) console.log('  an internal error:', failure)
  if (internal.length > 0) process.exitCode = 1
  await new Promise((resolve) => setTimeout(resolve, 500))
  const { rows } = await run(
    `SELECT count(*) FROM pg_stat_activity WHERE application_name = '${schema}'`,
  )
  console.log(`${proxy.broken} connections were broken; ${rows[0]![0]} are open at the end`)
  await Promise.all([world.close(), safe.close()])
} finally {
  await proxy.close()
  await run(`DROP SCHEMA "${schema}" CASCADE`)
  await pool.close()
}

/** Every message in both directions: one connection breaks, or all of them for a while. */
function everyCut(counts: { readonly toServer: number; readonly toClient: number }) {
  const cuts: MessageCut[] = []
  for (const direction of ['toServer', 'toClient'] as const)
    for (let message = 0; message < counts[direction]; message++)
      for (const times of [1, 99])
        for (const isLate of [false, true]) cuts.push({ direction, message, times, isLate })
  return cuts
}

function summary(results: readonly CutResult[]): string {
  const answers = new Map<string, number>()
  for (const { status, isUnknown } of results) {
    const name = isUnknown ? 'not known' : String(status)
    answers.set(name, (answers.get(name) ?? 0) + 1)
  }
  const slowest = Math.max(...results.map(({ milliseconds }) => milliseconds))
  const violations = results.reduce((sum, each) => sum + each.violations.length, 0)
  const counts = [...answers].map(([name, count]) => `${count} × ${name}`).join(', ')
  return `${results.length} cuts, ${counts}, slowest ${Math.round(slowest)} ms, ${violations} violations`
}
