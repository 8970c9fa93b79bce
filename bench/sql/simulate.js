#!/usr/bin/env node
// Simulates many processes over one database, and compares the simulation with a run of `npm run
// bench:cluster -- --json FILE`.

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { fromCaller } from '../harness/command-line.js'
import { median } from '../harness/runner.js'
import { markdownTable } from '../harness/text-table.js'
import { simulate } from './simulation.js'

const { values } = parseArgs({
  options: {
    check: { type: 'string' },
    seconds: { type: 'string', default: '4' },
    seed: { type: 'string', default: '1' },
  },
})
const run = { milliseconds: 1000 * Number(values.seconds), seed: Number(values.seed) }

/**
 * A dataset of 10^9 entities on one large server. Processor times are those of YCSB B in
 * `bench:cluster` with one process, rounded up. The other values are assumptions: change them and
 * run again.
 */
const PLAN = {
  processes: 1000,
  poolSize: 10,
  poolerSize: 200,
  databaseCores: 64,
  sharedCores: 0,
  client: 0,
  nodeRead: 1.0,
  nodeWrite: 3.0,
  // An index of 10^9 keys has five levels instead of three; some pages come from the disk.
  databaseRead: 0.6,
  // A count of 10 000 entities.
  databaseCount: 3,
  databaseWrite: 3.0,
  // A durable write of the log, on a server disk with a battery-backed cache or in a cloud.
  flush: 0.5,
  roundTrip: 0.3,
  writeShare: 0.05,
  countShare: 0.5,
  dataClasses: 50,
  filters: 200,
  pollers: 0,
  pollsPerSecond: 10,
  databasePoll: 0.15,
}

if (values.check === undefined) plan()
else check(JSON.parse(readFileSync(fromCaller(values.check), 'utf8')))

function plan() {
  console.log('Requests per second, 5 % of them writes:\n')
  table(
    ['arriving'],
    [1_000, 10_000, 20_000, 40_000].map((perSecond) => [[perSecond], {}, { perSecond }]),
  )
  console.log('Share of writes in 10 000 requests/s:\n')
  table(
    ['writes', 'flush'],
    [
      [0.01, 2],
      [0.05, 2],
      [0.1, 2],
      [0.1, 0.5],
      [0.2, 0.5],
    ].map(([writeShare, flush]) => [
      [`${writeShare * 100} %`, `${flush} ms`],
      { writeShare, flush },
      { perSecond: 10_000 },
    ]),
  )
  console.log('Processes that follow commits, 20 000 requests/s:\n')
  table(
    ['followers', 'polls/s', 'cores'],
    [
      [0, 64],
      [100, 64],
      [1000, 64],
      [0, 48],
      [1000, 48],
    ].map(([pollers, databaseCores]) => [
      [pollers, pollers * PLAN.pollsPerSecond, databaseCores],
      { pollers, databaseCores },
      { perSecond: 20_000 },
    ]),
  )
  console.log('Connections of the pooler, 20 000 requests/s:\n')
  table(
    ['connections', 'in all pools'],
    [20, 40, 60, 100, 200].map((poolerSize) => [
      [poolerSize, PLAN.processes * PLAN.poolSize],
      { poolerSize },
      { perSecond: 20_000 },
    ]),
  )
  counts()
  growth()
}

/** The share of counts that a process has cached in the long run. */
function counts() {
  console.log('Counts that a process knows in the long run, 10 000 counted pages/s:\n')
  const { dataClasses, filters } = PLAN
  const weights = Array.from({ length: filters }, (_, rank) => (rank + 1) ** -0.99)
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  const rows = [4, 40, 400, 1000].map((processes) => [
    String(processes),
    ...[1, 10, 100, 1000].map((commits) => {
      const changes = commits / dataClasses
      // A count is cached if the same filter reached this process after the last change of the
      // dataclass.
      const known = weights.reduce((sum, weight) => {
        const asked = (10_000 / processes / dataClasses) * (weight / all)
        return sum + (weight / all) * (asked / (asked + changes))
      }, 0)
      return `${(100 * known).toFixed(0)} %`
    }),
  ])
  const header = ['processes', '1 commit/s', '10', '100', '1000']
  console.log(markdownTable(header, rows, 0))
}

/** The rows that every write adds, by the options `history` and `sessions`. */
function growth() {
  const bytesPerChange = 450
  const bytesPerCommit = 160
  const bytesPerSession = 600
  console.log('What is kept, by commits per second and the default `history`:\n')
  const rows = [1, 10, 100, 1000, 3000].map((perSecond) => {
    const kept = Math.min(100_000, perSecond * 86_400)
    const ids = Math.max(kept, perSecond * 3600)
    return [
      String(perSecond),
      kept.toLocaleString('en'),
      `${(kept / perSecond / 60).toFixed(0)} min`,
      `${((kept * bytesPerChange) / 2 ** 20).toFixed(0)} MB`,
      `${((ids * bytesPerCommit) / 2 ** 20).toFixed(0)} MB`,
    ]
  })
  console.log(
    markdownTable(['commits/s', 'changes of', 'which is', 'changes', 'ids of commits'], rows, 0),
  )
  console.log(
    `A million sessions are ${((1e6 * bytesPerSession) / 2 ** 20).toFixed(0)} MB; each is renewed at most once a second by each process that it uses.`,
  )
}

function table(names, lines) {
  const rows = lines.map(([cells, change, load]) => {
    const found = simulate({ ...PLAN, ...change }, load, run)
    return [
      ...cells.map(String),
      found.perSecond.toFixed(0),
      found.commitsPerSecond.toFixed(0),
      `${found.read.p50.toFixed(1)} / ${found.read.p99.toFixed(0)} ms`,
      `${found.write.p50.toFixed(1)} / ${found.write.p99.toFixed(0)} ms`,
      `${(100 * found.databaseBusy).toFixed(0)} %`,
      `${(100 * found.nodeBusy).toFixed(0)} %`,
      String(found.waitingForGate),
      String(found.waitingForPooler),
    ]
  })
  const header = [
    ...names,
    'answers/s',
    'commits/s',
    'read p50 / p99',
    'write p50 / p99',
    'database busy',
    'Node busy',
    'at the gate',
    'at the pooler',
  ]
  console.log(markdownTable(header, rows, 0))
}

/**
 * Compares measured values with simulated ones. Processor times come from the run with the fewest
 * processes, so the comparison tests the growth only.
 */
function check({ mixes, connections, processes }) {
  const rows = mixes.flatMap((mix) => {
    const of = (count) =>
      mix.results.filter((each) => each.server === 'entia' && each.processes === count)
    const first = of(processes[0])
    if (first.length === 0) return []
    const perAnswer = (name) => median(first.map((each) => (1000 * each[name]) / each.perSecond))
    return processes.map((count) => {
      const rounds = of(count)
      const measured = median(rounds.map(({ perSecond }) => perSecond))
      const cores = median(
        rounds.map(
          ({ nodeCores, databaseCores, loadCores }) => nodeCores + databaseCores + loadCores,
        ),
      )
      const shareOf = (kind) =>
        rounds[0].latencies[kind].count /
        (rounds[0].latencies.read.count + rounds[0].latencies.write.count)
      const found = simulate(
        {
          ...PLAN,
          processes: count,
          poolerSize: 0,
          // Other programs use the rest of the processor, so each step takes longer by that
          // factor.
          sharedCores: 2,
          client: (perAnswer('loadCores') * 2) / cores,
          nodeRead: (perAnswer('nodeCores') * 2) / cores,
          nodeWrite: (perAnswer('nodeCores') * 2) / cores,
          databaseRead: (perAnswer('databaseCores') * 2) / cores,
          databaseWrite: (perAnswer('databaseCores') * 2) / cores,
          countShare: 0,
          flush: 0.02,
          roundTrip: 0.05,
          writeShare: shareOf('write'),
        },
        { clients: connections },
        run,
      )
      return [
        mix.id,
        String(count),
        measured.toFixed(0),
        found.perSecond.toFixed(0),
        `${(found.perSecond / measured).toFixed(2)}x`,
      ]
    })
  })
  console.log(markdownTable(['mix', 'processes', 'measured', 'simulated', 'ratio'], rows))
}
