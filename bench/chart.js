import { bestPeer, measuredPeers } from './harness/report-tables.js'
import { baselineName, ourName } from './harness/subject-names.js'

const width = 860
const rowHeight = 21
const plotLeft = 292
const plotRight = 660
const top = 74
const bottom = 40
/**
 * Multiples of the baseline that the axis shows. Values beyond it are left out, except for the best
 * peer.
 */
const axisFrom = 0.3
const axisTo = 10_000
const gridLines = [1, 10, 100, 1_000, 10_000]

const labels = new Map([
  ['W1', 'bulk load'],
  ['W1m', 'memory'],
  ['W2', 'get by key'],
  ['W2b', 'get by key, all attributes'],
  ['W3', 'indexed =, selection'],
  ['W3e', 'indexed =, entities'],
  ['W4a', 'range 0.1 %, selection'],
  ['W4ea', 'range 0.1 %, 100 entities'],
  ['W4b', 'range 1 %, selection'],
  ['W4eb', 'range 1 %, 100 entities'],
  ['W4c', 'range 10 %, selection'],
  ['W4ec', 'range 10 %, 100 entities'],
  ['W5', 'scan of three terms'],
  ['W6', 'index and three terms'],
  ['W7', 'through a relation'],
  ['W8a', 'ordered page of all'],
  ['W8b', 'ordered page of 10 %'],
  ['W9', 'prefix, selection'],
  ['W9e', 'prefix, 100 entities'],
  ['W10a', 'aggregates of all'],
  ['W10b', 'aggregates of 30 %'],
  ['W11', 'distinct'],
  ['W20a', 'groups of all'],
  ['W20b', 'groups of 30 %'],
  ['W20c', 'groups through a relation'],
  ['W12a', 'set: and'],
  ['W12b', 'set: or'],
  ['W12c', 'set: except'],
  ['W17', 'JSON of 100'],
  ['W18a', 'fresh text by key'],
  ['W18b', 'compile fresh text'],
  ['W13', 'update with stamp'],
  ['W14', 'insert'],
  ['W15a', 'batch of 1000, rolled back'],
  ['W15b', 'batch of 1000, committed'],
  ['W16', 'delete and insert'],
])

/** Readable on light and dark pages. Shapes repeat the meaning of the colours. */
const style = `
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .soft { fill: #59636e } .title { font-size: 15px; font-weight: 600 }
  .grid { stroke: #d1d9e0 } .baseline { stroke: #59636e; stroke-width: 2 }
  .ours { fill: #1f6fd1 } .best { fill: #c2540a } .other { fill: none; stroke: #8c959f; stroke-width: 1.2 }
  .span { stroke: #c8d1da; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .soft { fill: #9198a1 }
    .grid { stroke: #2f3742 } .baseline { stroke: #9198a1 }
    .ours { fill: #58a6ff } .best { fill: #f0883e } .other { stroke: #6e7681 } .span { stroke: #3d4550 }
  }`

/**
 * Draws a run as a dot plot: per workload the baseline, Entia, the best peer and the others, as
 * multiples of the baseline on a logarithmic axis.
 * @param {import('./harness/report.js').Report} report
 * @returns {string} SVG
 */
export function drawChart(report) {
  const rows = report.workloads.filter(({ results }) => results[baselineName]?.kind === 'measured')
  const height = top + rows.length * rowHeight + bottom
  const end = height - bottom + 4
  const grid = gridLines.map((ratio) => {
    const x = round(xOf(ratio))
    const line = `<line class="${ratio === 1 ? 'baseline' : 'grid'}" x1="${x}" y1="${top - 8}" x2="${x}" y2="${end}"/>`
    return `${line}<text class="soft" x="${x}" y="${end + 16}" text-anchor="middle">${ratio === 1 ? 'baseline' : `${ratio.toLocaleString('en')}x`}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title about">
<title id="title">Time of each workload as a multiple of the hand-written baseline</title>
<desc id="about">One row per workload, logarithmic axis; the tables next to this chart have the same numbers.</desc>
<style>${style}</style>
<text class="title" x="14" y="24">Multiples of the hand-written baseline, ${report.employeeCount.toLocaleString('en')} employees (less is better)</text>
${legend()}
${grid.join('\n')}
${rows.map((workload, row) => drawRow(report, workload, top + row * rowHeight + rowHeight / 2)).join('\n')}
</svg>
`
}

function legend() {
  const y = 46
  return [
    `<line class="baseline" x1="18" y1="${y - 7}" x2="18" y2="${y + 7}"/><text x="28" y="${y + 4}">baseline</text>`,
    `<circle class="ours" cx="108" cy="${y}" r="5.5"/><text x="119" y="${y + 4}">entia</text>`,
    `${diamond('best', 180, y)}<text x="191" y="${y + 4}">best peer (named on the right)</text>`,
    `<circle class="other" cx="388" cy="${y}" r="3.5"/><text x="397" y="${y + 4}">other peers, where less than 10,000x</text>`,
  ].join('\n')
}

function drawRow(report, workload, y) {
  const { id, results } = workload
  const baseline = results[baselineName].value
  const best = bestPeer(report, workload)
  const ours = results[ourName]?.kind === 'measured' ? results[ourName].value / baseline : null
  const others = [...measuredPeers(report, workload)].filter(
    ([name, value]) => name !== best?.name && value / baseline <= axisTo,
  )
  const parts = [
    `<text x="14" y="${y + 4}">${id}</text><text class="soft" x="62" y="${y + 4}">${escaped(labels.get(id) ?? workload.title)}</text>`,
    ...others.map(([name, value]) =>
      mark(
        `<circle class="other" cx="${round(xOf(value / baseline))}" cy="${y}" r="3.5"/>`,
        name,
        value / baseline,
      ),
    ),
  ]
  if (ours !== null && best !== null)
    parts.splice(
      1,
      0,
      `<line class="span" x1="${round(xOf(ours))}" y1="${y}" x2="${round(xOf(best.value / baseline))}" y2="${y}"/>`,
    )
  if (best !== null) {
    const ratio = best.value / baseline
    parts.push(mark(diamond('best', round(xOf(ratio)), y), best.name, ratio))
    parts.push(
      `<text x="${plotRight + 18}" y="${y + 4}">${escaped(best.name)} <tspan class="soft">${short(ratio)}</tspan></text>`,
    )
  }
  if (ours !== null) {
    parts.push(
      mark(`<circle class="ours" cx="${round(xOf(ours))}" cy="${y}" r="5.5"/>`, ourName, ours),
    )
    parts.push(`<text x="${plotLeft - 14}" y="${y + 4}" text-anchor="end">${short(ours)}</text>`)
  }
  return `<g>${parts.join('')}</g>`
}

const mark = (shape, name, ratio) =>
  `<g><title>${escaped(name)} ${short(ratio)}</title>${shape}</g>`
const diamond = (className, x, y) =>
  `<path class="${className}" d="M${x} ${y - 6}L${x + 6} ${y}L${x} ${y + 6}L${x - 6} ${y}Z"/>`
const short = (ratio) =>
  `${ratio >= 100 ? Math.round(ratio).toLocaleString('en') : ratio.toPrecision(2)}x`
const round = (value) => Math.round(value * 10) / 10
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

function xOf(ratio) {
  const place = (Math.log(ratio) - Math.log(axisFrom)) / (Math.log(axisTo) - Math.log(axisFrom))
  return plotLeft + Math.min(1, Math.max(0, place)) * (plotRight - plotLeft)
}
