import { cellText } from '../harness/report-tables.js'
import { ourName } from '../harness/subject-names.js'
import { formatDuration, markdownTable, shareLines } from '../harness/text-table.js'
import { goalsRowCount, latencyGoals, mixGoals } from './mix-goals.js'

/**
 * A run as plain data: the content of the JSON file, and the source of the tables.
 * @typedef {object} MixReport
 * @property {string} node
 * @property {string} machine
 * @property {string} measuredAt
 * @property {number} rows
 * @property {number} rounds
 * @property {number} milliseconds              of a round
 * @property {number} seconds                   of the whole run
 * @property {Record<string, string>} subjects  versions by name
 * @property {Record<string, string>} missing   reasons by name
 * @property {readonly import('./mix-runner.js').MixResult[]} mixes
 */

const percentiles = [
  ['p50', 'p50'],
  ['p99', 'p99'],
  ['p999', 'p99.9'],
  ['largest', 'largest'],
]

/** All printed text: throughput, latencies, goals. @param {MixReport} report */
export function printMixes(report) {
  const several = Object.keys(report.subjects).length > 1
  const latencies = report.mixes.map((mix) => latencySection(mix)).join('\n')
  return `${aboutMixes(report)}\n\n${throughputTable(report)}\n${latencies}${several ? `\n${mixGoalTable(report)}` : ''}${latencyGoalTable(report)}`
}

/**
 * The text that `npm run bench:publish -- --mixed` puts into a page: no goals, and no largest
 * latencies, which are of one operation. @param {MixReport} report
 */
export function publishedMixes(report) {
  const shown = percentiles.filter(([field]) => field !== 'largest')
  const latencies = report.mixes.map((mix) => latencySection(mix, shown)).join('\n')
  return `${aboutMixes(report)}\n\n${throughputTable(report)}\n${latencies}`
}

/** Entia beside the best peer of each mix, without goals. @param {MixReport} report */
export function mixSummary({ mixes }) {
  const rows = mixes.map((mix) => {
    const [best, ours] = [bestPeer(mix), mix.results[ourName]]
    const ratio = ratioToPeer(mix, best)
    return [mix.title, formatCell(ours), best ?? '-', ratio === null ? '-' : `${ratio.toFixed(2)}x`]
  })
  return markdownTable(['mix', 'operations/s', 'best peer', 'times ahead'], rows, 1)
}

/** The conditions of a run in one line. @param {MixReport} report */
function aboutMixes({ rows, rounds, milliseconds, subjects, missing, node, machine, seconds }) {
  const measured = Object.entries(subjects).map(([name, version]) => `${name} (${version})`)
  const absent = Object.keys(missing).map((name) => `${name} (could not be started)`)
  return (
    `${rows} rows, ${rounds} rounds of ${milliseconds / 1000} s, ${[...measured, ...absent].join(', ')}, ` +
    `Node ${node}, ${machine}, ${seconds} s`
  )
}

/** Operations per second of all subjects, the best peer in bold. @param {MixReport} report */
function throughputTable({ subjects, mixes }) {
  const names = Object.keys(subjects)
  const rows = mixes.map((mix) => {
    const best = bestPeer(mix)
    return [
      mix.id,
      ...names.map((name) =>
        name === best ? `**${formatCell(mix.results[name])}**` : formatCell(mix.results[name]),
      ),
    ]
  })
  return markdownTable(['operations/s', ...names], rows, 1)
}

/**
 * The ratio of Entia to the best peer, and the goals if the size matches. @param {MixReport} report
 */
function mixGoalTable({ rows: rowCount, mixes }) {
  const hasGoals = rowCount === goalsRowCount
  const rows = mixes.map((mix) => {
    const best = bestPeer(mix)
    const ours = mix.results[ourName]
    const ratio = ratioToPeer(mix, best)
    const goal = mixGoals.get(mix.id)
    return [
      mix.id,
      mix.title,
      formatCell(ours),
      best ?? '-',
      formatCell(mix.results[best]),
      ratio === null ? '-' : `${ratio.toFixed(2)}x`,
      ...(hasGoals
        ? [
            goal === undefined ? '-' : `${goal.toFixed(2)}x`,
            verdictOn(goal, ratio, (g, r) => r >= g),
          ]
        : []),
    ]
  })
  return markdownTable(
    ['', 'mix', `${ourName}/s`, 'best peer', '', 'ahead', ...(hasGoals ? ['goal', ''] : [])],
    rows,
  )
}

/** The latencies with goals. @param {MixReport} report */
function latencyGoalTable({ rows: rowCount, mixes }) {
  if (rowCount !== goalsRowCount) return ''
  const rows = latencyGoals.flatMap(({ mix: id, kind, percentile, most }) => {
    const ours = mixes.find((mix) => mix.id === id)?.results[ourName]
    if (ours?.kind !== 'measured') return []
    const found = ours.latencies[kind][percentile]
    const label = `${percentiles.find(([name]) => name === percentile)[1]} of ${kind}`
    return [
      [
        id,
        label,
        formatDuration(found),
        formatDuration(most),
        verdictOn(most, found, (g, f) => f < g),
      ],
    ]
  })
  return rows.length === 0 ? '' : `\n${markdownTable(['', ourName, 'measured', 'goal', ''], rows)}`
}

/** Latencies by kind of operation, for Entia and the best peer. */
function latencySection(mix, columns = percentiles) {
  const best = bestPeer(mix)
  const shown = [ourName, ...(best === null ? [] : [best])].filter(
    (name) => mix.results[name]?.kind === 'measured',
  )
  if (shown.length === 0) return `${mix.title}: ${formatCell(mix.results[ourName])}\n`
  const header = [
    mix.id,
    ...shown.flatMap((name) =>
      columns.map(([, label], place) => (place === 0 ? `${name} ${label}` : label)),
    ),
  ]
  const rows = Object.keys(mix.results[shown[0]].latencies).map((kind) => [
    mix.kindTitles?.[kind] ?? kind,
    ...shown.flatMap((name) =>
      columns.map(([field]) => duration(mix.results[name].latencies[kind][field])),
    ),
  ])
  return `${mix.title}, ${mix.rows} rows\n\n${markdownTable(header, rows, 1)}`
}

/** Failures, one per line, and the functions of profiles. @param {MixReport} report */
export function mixNotes({ missing, mixes }) {
  const absent = Object.entries(missing).map(
    ([name, reason]) => `${name} could not be started: ${reason}\n`,
  )
  const found = mixes.flatMap(({ id, results }) =>
    Object.entries(results).map(([name, cell]) => {
      if (cell.kind === 'wrong') return `WRONG ${id} ${name}: ${cell.reason}\n`
      if (cell.kind === 'measured' && cell.functions.length > 0) {
        return `\n${id}, busiest functions of ${name}\n${shareLines(cell.functions)}`
      }
      return ''
    }),
  )
  return [...absent, ...found].join('')
}

export const hasWrongAnswer = ({ mixes }) =>
  mixes.some(({ results }) => Object.values(results).some(({ kind }) => kind === 'wrong'))

const ratioToPeer = ({ results }, best) =>
  best === null || results[ourName]?.kind !== 'measured'
    ? null
    : results[ourName].perSecond / results[best].perSecond

function bestPeer({ results }) {
  const peers = Object.entries(results).filter(
    ([name, { kind }]) => name !== ourName && kind === 'measured',
  )
  if (peers.length === 0) return null
  return peers.reduce((best, peer) => (peer[1].perSecond > best[1].perSecond ? peer : best))[0]
}

const formatCell = (cell) =>
  cellText(cell, ({ perSecond }) =>
    perSecond >= 100 ? perSecond.toFixed(0) : perSecond.toPrecision(3),
  )

const duration = (nanoseconds) => (nanoseconds > 0 ? formatDuration(nanoseconds) : '-')
const verdictOn = (goal, found, isReached) =>
  goal === undefined || found === null ? '-' : isReached(goal, found) ? 'yes' : 'no'
