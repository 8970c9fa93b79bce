import { median } from '../harness/runner.js'
import { formatDuration, markdownTable } from '../harness/text-table.js'

/**
 * @typedef {object} MeasuredMix
 * @property {string} id
 * @property {string} title
 * @property {Record<string, string>} faults    wrong answers by server
 * @property {readonly object[]} results        of `load`, with server, processes and round
 */

/** All printed text. */
export function printCluster(report) {
  const { rows, rounds, milliseconds, connections, servers, missing, node, machine } = report
  const versions = Object.entries(servers).map(([name, version]) => `${name} (${version})`)
  const absent = Object.entries(missing).map(([name, reason]) => `${name} is missing: ${reason}`)
  const about =
    `${rows} rows, ${connections} connections, ${rounds} rounds of ${milliseconds / 1000} s, ` +
    `${versions.join(', ')}, ${report.database}, Node ${node}, ${machine}`
  return [
    about,
    ...absent,
    growthTable(report),
    ...report.mixes.map((mix) => mixSection(mix)),
  ].join('\n\n')
}

/** Answers per second of all mixes, by server and number of processes. */
function growthTable({ mixes, servers, processes }) {
  const header = [
    'answers/s',
    ...Object.keys(servers).flatMap((server) => processes.map((count) => `${server} ${count}`)),
  ]
  const lines = mixes.map((mix) => [
    mix.id,
    ...Object.keys(servers).flatMap((server) =>
      processes.map((count) => {
        if (mix.faults[server] !== undefined) return 'WRONG'
        const rounds = roundsOf(mix, server, count)
        return rounds.length === 0
          ? 'n/a'
          : median(rounds.map(({ perSecond }) => perSecond)).toFixed(0)
      }),
    ),
  ])
  return markdownTable(header, lines, 1)
}

const roundsOf = ({ results }, server, count) =>
  results.filter((each) => each.server === server && each.processes === count)

/** Times and processors of one mix. */
function mixSection(mix) {
  const header = [
    mix.id,
    'processes',
    'answers/s',
    'to the first',
    'read p50',
    'p99',
    'p99.9',
    'write p50',
    'p99',
    'p99.9',
    'Node',
    'PostgreSQL',
    'load',
    'mostly waiting for',
  ]
  const seen = new Map()
  for (const { server, processes } of mix.results)
    seen.set(`${server} ${processes}`, [server, processes])
  const lines = [...seen.values()]
    .sort(([a, x], [b, y]) => (a === b ? x - y : 0))
    .map(([server, count]) => {
      const rounds = roundsOf(mix, server, count)
      const of = (value) => median(rounds.map(value))
      const first = Math.min(
        ...mix.results.filter((each) => each.server === server).map(({ processes }) => processes),
      )
      const ofFirst = new Map(
        roundsOf(mix, server, first).map(({ round, perSecond }) => [round, perSecond]),
      )
      const times = ['read', 'write'].flatMap((kind) =>
        ['p50', 'p99', 'p999'].map((name) =>
          rounds[0].latencies[kind].count === 0
            ? '-'
            : formatDuration(of(({ latencies }) => latencies[kind][name])),
        ),
      )
      const milliseconds = (cores) =>
        `${of((round) => (1000 * round[cores]) / round.perSecond).toFixed(2)} ms`
      return [
        server,
        String(count),
        of(({ perSecond }) => perSecond).toFixed(0),
        `${of(({ round, perSecond }) => perSecond / ofFirst.get(round)).toFixed(2)}x`,
        ...times,
        milliseconds('nodeCores'),
        milliseconds('databaseCores'),
        milliseconds('loadCores'),
        waitsOf(rounds),
      ]
    })
  const faults = Object.entries(mix.faults).map(
    ([server, fault]) => `${server} is WRONG: ${fault}\n`,
  )
  return `${mix.title}. Node, PostgreSQL and load: processor time per answer.\n\n${markdownTable(header, lines, 1)}${faults.join('')}`
}

/** The most frequent wait states of busy connections, with their shares. */
function waitsOf(rounds) {
  const counts = new Map()
  for (const { waits } of rounds)
    for (const [wait, count] of Object.entries(waits))
      counts.set(wait, (counts.get(wait) ?? 0) + count)
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 2)
    .map(([wait, count]) => `${wait} ${Math.round((100 * count) / all)} %`)
    .join(', ')
}
