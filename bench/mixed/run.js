#!/usr/bin/env node
import { writeFileSync } from 'node:fs'
import { progressLine } from '../harness/progress.js'
import { whereAndWhen } from '../harness/report.js'
import { compareMixes } from './against.js'
import { heapText, watchHeap } from './heap.js'
import { runHttpMix } from './http/http-mix.js'
import { parseMixOptions } from './mix-options.js'
import { runMix } from './mix-runner.js'
import { hasWrongAnswer, mixNotes, printMixes } from './mix-tables.js'

const options = parseMixOptions()
if (options.kind === 'heap') {
  await watch()
} else if (options.kind === 'against') {
  await compareWithReference()
} else {
  await measure()
}

async function compareWithReference() {
  const progress = progressLine(process.stderr)
  try {
    const { text, results } = await compareMixes(options, progress.show)
    progress.clear()
    process.stdout.write(text)
    writeJson({ ...whereAndWhen(), mixes: results })
  } catch (error) {
    progress.clear()
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 2
  }
}

/** Runs Entia alone and reports whether its heap grows. */
async function watch() {
  const progress = progressLine(process.stderr)
  const mixes = options.mixes.filter(({ isOverHttp }) => !isOverHttp)
  const found = []
  for (const [place, mix] of mixes.entries()) {
    const show = (doing) =>
      progress.show({ workload: mix.id, done: place + 1, total: mixes.length, doing })
    const watched = await watchHeap(mix, options, show)
    progress.clear()
    process.stdout.write(`${heapText(watched)}\n`)
    if (!watched.verdict.isFlat) process.exitCode = 1
    found.push(watched)
  }
  writeJson({ ...whereAndWhen(), mixes: found })
}

async function measure() {
  const progress = progressLine(process.stderr)
  const started = performance.now()
  const subjects = {}
  const missing = {}
  const found = []
  for (const [place, mix] of options.mixes.entries()) {
    const show = (doing) =>
      progress.show({ workload: mix.id, done: place + 1, total: options.mixes.length, doing })
    const {
      versions,
      missing: absent,
      ...result
    } = await (mix.isOverHttp ? runHttpMix : runMix)(mix, options, show)
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
  writeJson(report)
}

function writeJson(value) {
  if (options.jsonFile !== null)
    writeFileSync(options.jsonFile, `${JSON.stringify(value, null, 2)}\n`)
}
