#!/usr/bin/env node
import { writeFileSync } from 'node:fs'
import { parseOptions, usage } from './harness/options.js'
import { progressLine } from './harness/progress.js'
import { jsonReport, listFaults, printTable } from './harness/report.js'
import { runBenchmark } from './harness/runner.js'

const options = parseOptions(process.argv.slice(2))
if (options.kind === 'refused') {
  process.stderr.write(`${options.reason}\n\n${usage}`)
  process.exitCode = 2
} else if (options.kind === 'help') {
  process.stdout.write(usage)
} else {
  const progress = progressLine(process.stderr)
  const result = await runBenchmark(options, progress.show)
  progress.clear()
  process.stdout.write(printTable(result))
  const faults = listFaults(result)
  if (faults !== '') process.exitCode = 1
  process.stdout.write(faults)
  if (options.jsonFile !== null) writeFileSync(options.jsonFile, `${JSON.stringify(jsonReport(result), null, 2)}\n`)
}
