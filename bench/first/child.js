// A process of its own for one kind and one subject: makes a store, and asks for the first time. Prints microseconds as JSON.

import { readFileSync } from 'node:fs'
import { makeData } from '../data.js'
import { argumentsOf, isSameEmployee, kinds } from './kinds.js'

const [subjectUrl, kind, employeeCount, count] = process.argv.slice(2)
const data = makeData(Number(employeeCount))
// What a store is given is its own: no later write shows in the rows.
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
 * What this thread has worked, where the system tells it (Linux), else the time. On a busy machine most of the time between the first
 * operation and the last is that of other programs.
 */
function workedMicroseconds() {
  try {
    // The system writes it down when a thread stops running.
    Atomics.wait(sleeping, 0, 0, 1)
    return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ', 1)[0]) / 1000
  } catch {
    return performance.now() * 1000
  }
}

/** The first answer that is not that of plain rows, or what a write has left; null when all is right. */
function whatIsWrong() {
  const { isRight, apply } = kinds[kind]
  if (isRight !== undefined) {
    const wrong = answers.findIndex((answer, i) => !isRight(rows, given[i], answer))
    return wrong < 0 ? null : `${kind}(${JSON.stringify(given[wrong])})`
  }
  const wanted = given.reduce((all, parameters) => apply(all, parameters), rows).filter((row) => row !== undefined)
  const found = new Map(store.all().map((row) => [row.ID, row]))
  const isLeft =
    found.size === wanted.length && wanted.every((row) => found.has(row.ID) && isSameEmployee(found.get(row.ID), row))
  return isLeft ? null : `what ${given.length} times ${kind} have left`
}
