#!/usr/bin/env node
// Writes measured numbers into docs/reference/measurements.md, the short tables of
// docs/explanation/performance.md from the same numbers, and its chart:
//   npm run bench:publish -- run1.json run2.json run3.json --http http.json --million million.json --growth growth.json
//   npm run bench:publish -- --mixed mixed.json         the output of npm run bench:mixed
//   npm run bench:publish -- --first first.json         the output of npm run bench:first -- --json first.json
//   npm run bench:publish -- --matrix matrix.json       the output of node bench/mixed/matrix.js --json matrix.json
//   npm run bench:publish -- --flights flights.txt      the output of npm start --silent --workspace examples/flights-3m
// Several runs are shown as their medians; --million and --growth can be repeated, too. The program
// replaces only the text between two markers of a page, and wraps lines of prose. --page names
// one other page, which may lack some of the markers.

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { drawChart } from './chart.js'
import { aboutFirst, firstTable } from './first/first-table.js'
import { fromCaller } from './harness/command-line.js'
import { growthSummary, growthTable, mergeGrowths } from './harness/growth.js'
import { withBlocks, wrapProse } from './harness/page-block.js'
import { mergeReports } from './harness/report.js'
import { aboutGrowth, aboutRun, goalTable, peersOf, valueTable } from './harness/report-tables.js'
import { workloadSummary } from './harness/summary-tables.js'
import { aboutHttp, httpSummary, loadTable } from './http/http-table.js'
import { mixSummary, publishedMixes } from './mixed/mix-tables.js'
import { pairSummary, publishedPairs } from './mixed/report-pairs.js'

const chart = fileURLToPath(new URL('../docs/images/performance.svg', import.meta.url))

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    http: { type: 'string' },
    mixed: { type: 'string' },
    page: { type: 'string' },
    million: { type: 'string', multiple: true, default: [] },
    growth: { type: 'string', multiple: true, default: [] },
    flights: { type: 'string' },
    first: { type: 'string' },
    matrix: { type: 'string' },
  },
})
const names =
  values.page === undefined
    ? ['docs/explanation/performance.md', 'docs/reference/measurements.md']
    : [values.page]
const fileOf = (name) =>
  values.page === undefined
    ? fileURLToPath(new URL(`../${name}`, import.meta.url))
    : fromCaller(name)
const readText = (file) => readFileSync(fromCaller(file), 'utf8')
const read = (file) => JSON.parse(readText(file))

/** The content of each block of the pages, by the name of its markers. */
const blocks = new Map()
try {
  if (positionals.length > 0) {
    const report = mergeReports(positionals.map(read))
    blocks.set('goals', `${aboutRun(report)}\n\n${goalTable(report, { hasGoals: false })}`)
    blocks.set('goals-summary', workloadSummary(report))
    blocks.set('peers', valueTable(report, peersOf(report)))
  }
  if (values.million.length > 0) {
    const report = mergeReports(values.million.map(read))
    blocks.set('million', `${aboutRun(report)}\n\n${goalTable(report)}`)
    blocks.set('million-summary', workloadSummary(report))
  }
  if (values.growth.length > 0) {
    const growth = mergeGrowths(values.growth.map(read))
    blocks.set('growth', `${aboutGrowth(growth)}\n\n${growthTable(growth)}`)
    blocks.set('growth-summary', growthSummary(growth))
  }
  if (values.flights !== undefined)
    blocks.set('flights', `\`\`\`\n${readText(values.flights).trim()}\n\`\`\`\n`)
  if (values.http !== undefined) {
    const report = read(values.http)
    blocks.set('http', `${aboutHttp(report)}\n\n${loadTable(report)}`)
    blocks.set('http-summary', httpSummary(report))
  }
  if (values.mixed !== undefined) {
    const report = read(values.mixed)
    blocks.set('mixed', publishedMixes(report))
    blocks.set('mixed-summary', mixSummary(report))
  }
  if (values.first !== undefined) {
    const report = read(values.first)
    blocks.set('first', `${aboutFirst(report)}\n\n${firstTable(report)}`)
  }
  if (values.matrix !== undefined) {
    const report = read(values.matrix)
    blocks.set('matrix', publishedPairs(report))
    blocks.set('matrix-summary', pairSummary(report))
  }
  const pages = names.map((name) => ({ name, text: readFileSync(fileOf(name), 'utf8') }))
  const wrapped = new Map([...blocks].map(([name, content]) => [name, wrapProse(content)]))
  const written = withBlocks(pages, wrapped, { isPartial: values.page !== undefined })
  for (const { name, text } of written) writeFileSync(fileOf(name), text)
  if (positionals.length > 0) writeFileSync(chart, drawChart(mergeReports(positionals.map(read))))
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
