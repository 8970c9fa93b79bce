#!/usr/bin/env node
// Writes measured numbers into docs/explanation/performance.md, and draws its chart:
//   npm run bench:publish -- run1.json run2.json run3.json --http http.json --million million.json --growth growth.json
//   npm run bench:publish -- --mixed mixed.json         the output of npm run bench:mixed
//   npm run bench:publish -- --first first.json         the output of npm run bench:first -- --json first.json
//   npm run bench:publish -- --matrix matrix.json       the output of node bench/mixed/matrix.js --json matrix.json
//   npm run bench:publish -- --flights flights.txt      the output of npm start --silent --workspace examples/flights-3m
// Several runs are shown as their medians; --million and --growth can be repeated, too. The program
// replaces only the text between two markers of the page, and wraps lines of prose. --page names
// another page.

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { drawChart } from './chart.js'
import { aboutFirst, firstTable } from './first/first-table.js'
import { fromCaller } from './harness/command-line.js'
import { growthTable, mergeGrowths } from './harness/growth.js'
import { withBlock, wrapProse } from './harness/page-block.js'
import { mergeReports } from './harness/report.js'
import {
  aboutGrowth,
  aboutRun,
  goalTable,
  printTables,
  valueTable,
} from './harness/report-tables.js'
import { aboutHttp, goalTable as httpGoalTable, loadTable } from './http/http-table.js'
import { publishedMixes } from './mixed/mix-tables.js'
import { pairTable } from './mixed/report-pairs.js'

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
const page =
  values.page === undefined
    ? fileURLToPath(new URL('../docs/explanation/performance.md', import.meta.url))
    : fromCaller(values.page)
const pageName = values.page ?? 'docs/explanation/performance.md'
const readText = (file) => readFileSync(fromCaller(file), 'utf8')
const read = (file) => JSON.parse(readText(file))

let text = readFileSync(page, 'utf8')
try {
  if (positionals.length > 0) {
    const report = mergeReports(positionals.map(read))
    put('goals', `${aboutRun(report)}\n\n${goalTable(report)}`)
    put('peers', valueTable(report))
    writeFileSync(chart, drawChart(report))
  }
  if (values.million.length > 0) put('million', printTables(mergeReports(values.million.map(read))))
  if (values.growth.length > 0) {
    const growth = mergeGrowths(values.growth.map(read))
    put('growth', `${aboutGrowth(growth)}\n\n${growthTable(growth)}`)
  }
  if (values.flights !== undefined)
    put('flights', `\`\`\`\n${readText(values.flights).trim()}\n\`\`\`\n`)
  if (values.http !== undefined) {
    const report = read(values.http)
    put('http', `${aboutHttp(report)}\n\n${loadTable(report)}\n${httpGoalTable(report)}`)
  }
  if (values.mixed !== undefined) put('mixed', publishedMixes(read(values.mixed)))
  if (values.first !== undefined) {
    const report = read(values.first)
    put('first', `${aboutFirst(report)}\n\n${firstTable(report)}`)
  }
  if (values.matrix !== undefined) put('matrix', pairTable(read(values.matrix)))
  writeFileSync(page, text)
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

/** Replaces the text between the markers of that name. */
function put(name, content) {
  text = withBlock({ text, name: pageName }, name, wrapProse(content))
}
