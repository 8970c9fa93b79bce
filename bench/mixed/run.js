#!/usr/bin/env node
import { writeFileSync } from 'node:fs'
import { progressLine } from '../harness/progress.js'
import { whereAndWhen } from '../harness/report.js'
import { parseMixOptions, usage } from './mix-options.js'
import { runMix } from './mix-runner.js'
import { hasWrongAnswer, mixNotes, printMixes } from './mix-tables.js'

const options = parseMixOptions(process.argv.slice(2))
if (options.kind === 'refused') {
  process.stderr.write(`${options.reason}\n\n${usage}`)
  process.exitCode = 2
} else if (options.kind === 'help') {
  process.stdout.write(usage)
} else {
  await measure()
}

async function measure() {
  const progress = progressLine(process.stderr)
  const started = performance.now()
  const subjects = {}
  const missing = {}
  const found = []
  for (const [place, mix] of options.mixes.entries()) {
    const show = (doing) => progress.show({ workload: mix.id, done: place + 1, total: options.mixes.length, doing })
    const { versions, missing: absent, ...result } = await runMix(mix, options, show)
    Object.assign(subjects, Object.fromEntries(versions))
    Object.assign(missing, Object.fromEntries(absent))
    const kindTitles = Object.fromEntries([...mix.kinds].map(([kind, { title }]) => [kind, title]))
    found.push({ ...result, kindTitles })
  }
  progress.clear()
  const report = {
    ...whereAndWhen(),
    seconds: Math.round((performance.now() - started) / 1000),
    rows: options.rows,
    rounds: options.rounds,
    milliseconds: options.milliseconds,
    subjects,
    missing,
    mixes: found,
  }
  process.stdout.write(printMixes(report) + mixNotes(report))
  if (hasWrongAnswer(report)) process.exitCode = 1
  if (options.jsonFile !== null) writeFileSync(options.jsonFile, `${JSON.stringify(report, null, 2)}\n`)
}
