#!/usr/bin/env node
import { writeFileSync } from 'node:fs'
import { compareBuilds } from './harness/against.js'
import { growthTable, measureGrowth } from './harness/growth.js'
import { parseOptions } from './harness/options.js'
import { progressLine } from './harness/progress.js'
import { listFaults, makeReport, profileText } from './harness/report.js'
import { aboutGrowth, printTables } from './harness/report-tables.js'
import { runBenchmark } from './harness/runner.js'

const options = parseOptions()
if (options.against !== null) {
  const progress = progressLine(process.stderr)
  try {
    const { text, hasSlowed, reports } = await compareBuilds(options, progress)
    process.stdout.write(text)
    if (hasSlowed) process.exitCode = 1
    if (options.jsonFile !== null) writeJson(options.jsonFile, reports)
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 2
  }
} else if (options.sizes !== null) {
  const progress = progressLine(process.stderr)
  const growth = await measureGrowth(options, progress.show)
  progress.clear()
  const faults = growth.reports.map(listFaults).join('')
  if (faults !== '') process.exitCode = 1
  process.stdout.write(`${aboutGrowth(growth)}\n\n${growthTable(growth)}${faults}`)
  if (options.jsonFile !== null) writeJson(options.jsonFile, growth)
} else {
  const progress = progressLine(process.stderr)
  const result = await runBenchmark(options, progress.show)
  progress.clear()
  const report = makeReport(result)
  const faults = listFaults(report)
  if (faults !== '') process.exitCode = 1
  process.stdout.write(`${printTables(report)}${profileText(result)}${faults}`)
  if (options.jsonFile !== null) writeJson(options.jsonFile, report)
}

function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
}
