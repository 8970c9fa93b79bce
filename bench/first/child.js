// The process for one kind and one subject: creates a store and runs the first operations. Prints
// microseconds as JSON.

import { readFileSync } from 'node:fs'
import { makeData } from '../data.js'
import { argumentsOf, isSameEmployee, kinds } from './kinds.js'

const [subjectUrl, kind, employeeCount, count] = process.argv.slice(2)
const data = makeData(Number(employeeCount))
// The store gets copies, so that its writes do not change the rows.
const rows = data.employees.map((row) => ({ ...row }))
const given = argumentsOf(kind, data, Number(count))

const sleeping = new Int32Array(new SharedArrayBuffer(4))

const importing = workedMicroseconds()
const { open, version } = await import(subjectUrl)
const imported = workedMicroseconds() - importing
const store = open(data)
const operation = store[kind]
const answers = new Array(given.length)

const started = workedMicroseconds()
for (let i = 0; i < given.length; i++) answers[i] = operation(...given[i])
const each = (workedMicroseconds() - started) / given.length
console.log(JSON.stringify({ version, imported, each, wrong: whatIsWrong() }))

/**
 * The processor time of this thread if the system reports it (Linux), otherwise the elapsed time.
 * On a busy machine, other programs take most of the elapsed time.
 */
function workedMicroseconds() {
  try {
    // The system updates the value when a thread stops running.
    Atomics.wait(sleeping, 0, 0, 1)
    return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ', 1)[0]) / 1000
  } catch {
    return performance.now() * 1000
  }
}

/** The first answer or final state that differs from the plain rows; null if all are right. */
function whatIsWrong() {
  const { isRight, apply } = kinds[kind]
  if (isRight !== undefined) {
    const wrong = answers.findIndex((answer, i) => !isRight(rows, given[i], answer))
    return wrong < 0 ? null : `${kind}(${JSON.stringify(given[wrong])})`
  }
  const wanted = given
    .reduce((all, parameters) => apply(all, parameters), rows)
    .filter((row) => row !== undefined)
  const found = new Map(store.all().map((row) => [row.ID, row]))
  const isLeft =
    found.size === wanted.length &&
    wanted.every((row) => found.has(row.ID) && isSameEmployee(found.get(row.ID), row))
  return isLeft ? null : `the rows after ${given.length} operations of ${kind}`
}
