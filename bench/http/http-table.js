import { markdownTable, shareLines } from '../harness/text-table.js'
import { httpGoals } from './http-goals.js'

/** The tables of a run: responses per second, and the goals. @param {object} report */
export function printHttpTable(report) {
  const { faults, profiles } = report
  const faultLines = faults.length === 0 ? '' : `\n${faults.join('\n')}\n`
  return `${aboutHttp(report)}\n\n${loadTable(report)}\n${goalTable(report)}${profileText(profiles)}${faultLines}`
}

/** The conditions of a run in one line. */
export function aboutHttp({
  client,
  connections,
  rounds,
  seconds,
  employeeCount,
  servers,
  node,
  machine,
}) {
  const versions = servers.map(({ name, version }) => `${name} (${version})`).join(', ')
  return (
    `${employeeCount} employees, ${client}, ${connections} connections, ${rounds} alternating rounds of ${seconds} s, ${versions}, ` +
    `Node ${node}, ${machine}`
  )
}

/** Responses per second, the ratio to `raw` in the same round, and the 99th percentile. */
export function loadTable({ servers, kinds }) {
  const header = ['server', ...kinds.map(({ title }) => `${title}: responses/s (of raw, p99)`)]
  const rows = servers.map(({ name }) => [
    name,
    ...kinds.map(({ results }) => describeLoad(results[name])),
  ])
  return markdownTable(header, rows, 1)
}

/** Entia's responses per second as multiples of those of the other servers. */
export function httpSummary({ servers, kinds }) {
  const others = servers.map(({ name }) => name).filter((name) => name !== 'entia')
  const rows = kinds.map(({ title, results }) => [
    title,
    results.entia.perSecond.toFixed(0),
    ...others
      .map((name) => ratioTo(results, name))
      .map((ratio) =>
        ratio === null ? '-' : `${ratio >= 100 ? ratio.toFixed(0) : ratio.toFixed(2)}x`,
      ),
  ])
  return markdownTable(['', 'entia/s', ...others.map((name) => `of ${name}`)], rows, 1)
}

/** Rounds with and without raw differ, so its ratio is the median of rounds. */
function ratioTo({ entia, ...others }, name) {
  const theirs = others[name]
  if (theirs === undefined) return null
  return name === 'raw' ? entia.ofRaw : entia.perSecond / theirs.perSecond
}

/** Entia's results and the goals. */
function goalTable({ kinds }) {
  const rows = kinds.flatMap(({ kind, title, results }) =>
    (httpGoals.get(kind) ?? []).flatMap(({ than, times }) => {
      if (results.entia === undefined) return []
      const ratio = ratioTo(results, than)
      if (ratio === null) return []
      return [
        [
          title,
          than,
          `${ratio.toFixed(2)}x`,
          `${times.toFixed(2)}x`,
          ratio >= times ? 'yes' : 'no',
        ],
      ]
    }),
  )
  return markdownTable(['', 'entia to', 'ratio', 'goal', ''], rows)
}

function describeLoad(measured) {
  if (measured === undefined) return '-'
  const { perSecond, ofRaw, p99, isSequential } = measured
  if (isSequential) return `${perSecond.toFixed(1)} (sequential)`
  return `${perSecond.toFixed(0)} (${Math.round(ofRaw * 100)} %, ${p99.toFixed(1)} ms)`
}

function profileText(profiles) {
  return profiles
    .map(({ kind, functions }) => `\n${kind}, busiest functions of entia\n${shareLines(functions)}`)
    .join('')
}
