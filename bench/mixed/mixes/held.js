import { makeData, makeEmployee, randomNumbers } from '../../data.js'
import { describeEmployees, digestEmployees, readEmployees } from '../describe.js'
import { LivingIds } from '../draws.js'
import { OfficeReference } from '../reference/office.js'
import { officeKinds } from './office-operations.js'

const seed = 37
const writesPerCycle = 50
const pageLength = 100
/** The selected share of the salaries, and so of the employees. */
const selectedShare = 0.02
const salaryRange = 199_000

/**
 * A selection is held during fifty writes, then paged through: its members are fixed at its
 * creation, its values are current.
 */
/** @type {import('./mix.js').Mix} */
export const held = {
  id: 'held',
  title: `a selection of 2 % held across ${writesPerCycle} writes, then paged through`,
  family: 'office',
  kinds: new Map([
    [
      'hold',
      { title: 'select 2 % by salary, in every second cycle ordered by email', describe: String },
    ],
    ['update', officeKinds.update],
    ['insert', officeKinds.insert],
    ['remove', officeKinds.remove],
    [
      'pageOfHeld',
      { title: 'a page of 100 of it', describe: pageDescriber(), read: readEmployees },
    ],
  ]),
  makeData: (size) => makeData(size),
  operations: ({ vocabulary, employees, employeeCount }) => {
    const random = randomNumbers(seed)
    const cycles = makeCycles(employees, vocabulary, random, new LivingIds(employeeCount))
    let cycle = []
    let next = 0
    return () => {
      if (next === cycle.length) {
        cycle = cycles.next().value
        next = 0
      }
      return cycle[next++]
    }
  },
  reference: (data) => new OfficeReference(data),
  digest: digestEmployees,
}

/** Half of the updates and deletes concern members. The generator tracks all salaries. */
function makeCycles(employees, vocabulary, random, ids) {
  const salaries = new Map(employees.map(({ ID, salary }) => [ID, salary]))
  return forever(() => {
    const width = Math.floor(salaryRange * selectedShare)
    const low = 1000 + Math.floor(random() * (salaryRange - width))
    const members = membersBetween(salaries, low, low + width)
    const isOrdered = random() < 0.5
    const cycle = [{ kind: 'hold', low, high: low + width, isOrdered }]
    const count = members.length
    /** A member that no write has touched yet, or any existing entity. */
    const target = () => {
      if (random() < 0.5 && members.length > 0)
        return members.splice(Math.floor(random() * members.length), 1)[0]
      const id = ids.draw(random)
      if (members.includes(id)) members.splice(members.indexOf(id), 1)
      return id
    }
    for (let write = 0; write < writesPerCycle; write++) {
      if (write % 5 === 3) {
        const values = makeEmployee(ids.add(), random, vocabulary)
        salaries.set(values.ID, values.salary)
        cycle.push({ kind: 'insert', values })
      } else if (write % 5 === 4) {
        const id = target()
        ids.removeId(id)
        salaries.delete(id)
        cycle.push({ kind: 'remove', id })
      } else {
        const id = target()
        const salary = 1000 + Math.floor(random() * salaryRange)
        salaries.set(id, salary)
        cycle.push({ kind: 'update', id, patch: { salary } })
      }
    }
    for (let skip = 0; skip < count; skip += pageLength) {
      cycle.push({
        kind: 'pageOfHeld',
        skip,
        top: pageLength,
        isOrdered,
        isLast: skip + pageLength >= count,
      })
    }
    return cycle
  })
}

function* forever(make) {
  for (;;) yield make()
}

function membersBetween(salaries, low, high) {
  const found = []
  for (const [id, salary] of salaries) if (salary >= low && salary <= high) found.push(id)
  return found
}

/** Without an order a row may be on any page, so the rows of all pages are compared together. */
function pageDescriber() {
  let rows = []
  return (page, { skip, isOrdered, isLast }) => {
    if (isOrdered) return page.map((row) => describeEmployees([row])).join('\n')
    rows = skip === 0 ? [...page] : [...rows, ...page]
    return isLast ? describeEmployees(rows) : ''
  }
}
