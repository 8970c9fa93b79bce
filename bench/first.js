#!/usr/bin/env node
// The first operations of a fresh process, compared with SQLite and LokiJS: the cost for a command
// or a test, before V8 compiles anything.
//
//   npm run bench:first -- [--count 1000] [--n 10000] [--rounds 7] [--only get,update] [--subjects entia] [--json first.json]

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { aboutFirst, firstTable, missedFirst } from './first/first-table.js'
import { kinds } from './first/kinds.js'
import { fromCaller, requirePeers, splitList } from './harness/command-line.js'
import { progressLine } from './harness/progress.js'
import { whereAndWhen } from './harness/report.js'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1000' },
    n: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '7' },
    only: { type: 'string', default: Object.keys(kinds).join() },
    subjects: { type: 'string', default: 'entia,better-sqlite3,lokijs' },
    json: { type: 'string' },
  },
})
const [count, employeeCount, rounds] = [values.count, values.n, values.rounds].map(Number)
const names = splitList(values.subjects)
try {
  requirePeers(names.some((name) => name === 'better-sqlite3' || name === 'lokijs'))
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exit(2)
}
const child = fileURLToPath(new URL('./first/child.js', import.meta.url))
const progress = progressLine(process.stderr)

const measured = splitList(values.only).map((kind) => ({
  kind,
  title: kinds[kind].title,
  results: Object.fromEntries(names.map((name) => [name, []])),
}))
const subjects = {}
for (let round = 0; round < rounds; round++) {
  for (const [done, { kind, results }] of measured.entries()) {
    progress.show({ workload: `${round + 1}: ${kind}`, done, total: measured.length, doing: '' })
    // Alternate the order of the subjects, so that noise affects all of them alike.
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const { version, wrong, ...result } = measure(name, kind)
      if (wrong !== null) throw new Error(`${name} returned a wrong result for ${wrong}.`)
      subjects[name] = version
      results[name].push(result)
    }
  }
}
progress.clear()

const report = {
  ...whereAndWhen(),
  employeeCount,
  count,
  rounds,
  subjects: inOrder(subjects),
  kinds: measured,
}
process.stdout.write(`${aboutFirst(report)}\n\n${firstTable(report)}${missedFirst(report)}`)
if (values.json !== undefined)
  writeFileSync(fromCaller(values.json), `${JSON.stringify(report, null, 2)}\n`)

/** Measures a subject: a name in `first/subjects`, or the path of another module. */
function measure(name, kind) {
  const url = new URL(
    name.includes('/') ? `file://${fromCaller(name)}` : `./first/subjects/${name}.js`,
    import.meta.url,
  )
  const parameters = [child, url.href, kind, String(employeeCount), String(count)]
  return JSON.parse(execFileSync(process.execPath, parameters, { encoding: 'utf8' }))
}

function inOrder(versions) {
  return Object.fromEntries(names.map((name) => [name, versions[name]]))
}
