import { randomNumbers } from '../data.js'
import { note } from './note.js'

const onePaths = 512
const pagePaths = 16
/** The share of the employees that the filter of a page selects. */
const pageFraction = 0.1

/**
 * The requests for every server. All requests of a kind have the same method and body.
 * @typedef {object} Requests
 * @property {'GET' | 'POST'} method
 * @property {readonly string[]} paths
 * @property {string | null} body
 * @property {(answers: readonly Answer[]) => string | null} findFault takes one response per path,
 * in order
 *
 * @typedef {object} Answer
 * @property {number} status
 * @property {any} body
 * @property {Headers} headers
 */

/**
 * @type {ReadonlyMap<string, (server: import('./servers/server.js').BenchServer, reference:
 * import('../workloads/reference.js').Reference) => Requests | null>}
 */
export const requestKinds = new Map([
  ['one', oneEntity],
  ['page', pageWithCount],
  ['post', storeNote],
])

export const titles = new Map([
  ['one', 'one entity'],
  ['page', 'page of 100 + filter + count'],
  ['post', 'POST of 1 KB, stored'],
])

function oneEntity(server, reference) {
  const random = randomNumbers(31)
  const ids = Array.from(
    { length: onePaths },
    () => 1 + Math.floor(random() * reference.employeeCount),
  )
  return {
    method: 'GET',
    paths: ids.map(server.onePath),
    body: null,
    findFault: (answers) =>
      firstFault(answers, 200, ({ body }, at) =>
        isEmployee(reference, server.readOne(body), ids[at]),
      ),
  }
}

function pageWithCount(server, reference) {
  const random = randomNumbers(32)
  const ranges = Array.from({ length: pagePaths }, () => {
    const from = random() * (1 - pageFraction)
    return { low: reference.salaryAt(from), high: reference.salaryAt(from + pageFraction) }
  })
  return {
    method: 'GET',
    paths: ranges.map(({ low, high }) => server.pagePath(low, high)),
    body: null,
    findFault: (answers) =>
      firstFault(answers, 200, ({ body, headers }, at) => {
        const { low, high } = ranges[at]
        const { count, entities } = server.readPage(body, headers)
        const isIn = ({ salary }) => salary >= low && salary <= high
        return (
          count === reference.countWhere(isIn) &&
          entities.length === 100 &&
          new Set(entities.map(({ ID }) => ID)).size === 100 &&
          entities.every(
            (entity) =>
              isEmployee(reference, entity, entity.ID) && isIn(reference.employees[entity.ID - 1]),
          )
        )
      }),
  }
}

function storeNote(server) {
  if (server.post === undefined) return null
  const { path, body } = server.post(note)
  return {
    method: 'POST',
    paths: [path],
    body,
    findFault: (answers) =>
      firstFault(answers, null, (answer) => {
        const kept = server.readNote(answer.body)
        return Object.entries(note).every(([name, value]) => kept[name] === value)
      }),
  }
}

/** Compares all attributes except the birth date, whose format differs between servers. */
function isEmployee(reference, entity, id) {
  const { birthDate: _, ...row } = reference.employees[id - 1]
  return Object.entries(row).every(
    ([name, value]) => (name === 'active' ? Boolean(entity[name]) : entity[name]) === value,
  )
}

function firstFault(answers, status, isRight) {
  for (const [at, answer] of answers.entries()) {
    const isExpected =
      status === null ? answer.status === 200 || answer.status === 201 : answer.status === status
    if (!isExpected)
      return `response ${at + 1} has status ${answer.status}: ${JSON.stringify(answer.body).slice(0, 200)}`
    if (!isRight(answer, at))
      return `response ${at + 1} is wrong: ${JSON.stringify(answer.body).slice(0, 200)}`
  }
  return null
}
