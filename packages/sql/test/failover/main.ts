// `npm run test:long -- failover`: see scripts/long.mjs.
import { parseArgs } from 'node:util'
import { pgPool } from '../../src/pg.ts'
import { openBank } from '../races/bank.ts'
import { startChild } from '../races/child.ts'
import { Cluster, FAILURES, serverPrograms } from './cluster.ts'
import { lostAnswer } from './lost-answer.ts'
import { failover, tell } from './round.ts'

const { values } = parseArgs({
  options: {
    failovers: { type: 'string', default: '50' },
    replicas: { type: 'boolean', default: false },
    asynchronous: { type: 'boolean', default: false },
    processes: { type: 'string', default: '2' },
    failure: { type: 'string' },
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
  },
})
const seed = Number(values.seed)

const failures = FAILURES.filter((each) => each === (values.failure ?? each))
if (failures.length === 0)
  throw new Error(`Give --failure ${FAILURES.join(', ')}, or none for all.`)

const bin = serverPrograms()
if (bin === null) {
  console.log('Skipped: no initdb and pg_ctl are found. Set ENTIA_POSTGRES_BIN to their folder.')
  process.exit()
}
const cluster = await Cluster.start(bin, !values.asynchronous)
try {
  const { connectionString, replica } = cluster
  const reads = values.replicas ? { replica } : {}
  const place = { connectionString, schema: 'bank', ...reads }
  await (await openBank(place, true)).close()
  const servers = await Promise.all(
    Array.from({ length: Number(values.processes) }, () =>
      startChild(new URL('process.ts', import.meta.url), place),
    ),
  )
  const pool = pgPool({ connectionString, max: 1 })
  console.log(`processes ${servers.map(({ pid }) => pid).join(', ')}, seed ${seed}`)
  const firsts = new Map<string, number[]>()
  const totals: { [what: string]: number } = {}
  let count = 0
  const options = { cluster, place, pool, servers, seed }
  if (!values.asynchronous) {
    for (const text of await lostAnswer({ ...options, round: -1 })) {
      count++
      console.log(`  ${text}`)
    }
    await cluster.addStandby()
  }
  for (let round = 0; round < Number(values.failovers); round++) {
    const failure = failures[round % failures.length]!
    const { problems, firstCommit, counts } = await failover({ ...options, round, failure })
    count += problems.length
    firsts.set(failure, [...(firsts.get(failure) ?? []), firstCommit])
    for (const [what, number] of Object.entries(counts)) totals[what] = (totals[what] ?? 0) + number
    console.log(
      `failover ${round + 1}, ${failure}: first commit after ${firstCommit.toFixed(0)} ms, ${JSON.stringify(counts)}, ${problems.length} problems`,
    )
    for (const text of problems.slice(0, 10)) console.log(`  ${text.slice(0, 600)}`)
    await cluster.addStandby()
  }
  for (const server of servers) {
    for (const failure of await tell<readonly string[]>(server, { kind: 'close' })) {
      count++
      console.log(`  a failure: ${failure.slice(0, 600)}`)
    }
    await server.end()
  }
  await pool.close()
  console.log(`${values.failovers} failovers, ${JSON.stringify(totals)}`)
  for (const [failure, times] of firsts) {
    times.sort((a, b) => a - b)
    const [median, p90, most] = [0.5, 0.9, 1].map((part) =>
      times[Math.ceil(part * times.length) - 1]!.toFixed(0),
    )
    console.log(
      `${failure}: first commit after the promotion: median ${median}, p90 ${p90}, at most ${most} ms`,
    )
  }
  console.log(`${count} problems`)
  if (count > 0) process.exitCode = 1
} finally {
  cluster.stop()
}
