import { makeEmployee, pick, randomNumbers } from '../../data.js'
import {
  describeAggregate,
  describeCompany,
  describeEmployee,
  describeEmployees,
  describePage,
  readEmployee,
  readEmployees,
} from '../describe.js'
import { LivingIds } from '../draws.js'

const pageLength = 20

/** A page by a filter in an order. @returns {import('./mix.js').OperationKind} */
const page = (title, orderOf) => ({
  title,
  describe: (answer, operation) => describePage(answer, operation, orderOf),
  read: readEmployees,
})

const readAggregate = ({ count, average }) => count + (average ?? 0)

/**
 * The operations of a web application on employees and companies. @type {Record<string,
 * import('./mix.js').OperationKind>}
 */
export const officeKinds = {
  pageByName: page('page: lastName = x, by firstName', ({ firstName }) => firstName),
  pageBornBefore: page(
    'page: birthDate < d, by salary desc, lastName',
    (row) => `${row.salary} ${row.lastName}`,
  ),
  pageByCity: page('page: company.city = x and salary > s, by salary desc', ({ salary }) =>
    String(salary),
  ),
  pageByPrefix: page(
    'page: lastName begin x, by lastName, firstName',
    (row) => `${row.lastName} ${row.firstName}`,
  ),
  pageBySalary: page('page: salary from a to b, by salary', ({ salary }) => String(salary)),
  get: { title: 'get by key', describe: describeEmployee, read: readEmployee },
  companyOf: {
    title: "an employee's company",
    describe: describeCompany,
    read: ({ name }) => name.length,
  },
  staffOf: { title: "a company's employees", describe: describeEmployees, read: readEmployees },
  update: { title: 'update', isWrite: true },
  insert: { title: 'insert', isWrite: true },
  remove: { title: 'delete', isWrite: true },
  aggregateOfCity: {
    title: 'aggregate: company.city = x',
    describe: describeAggregate,
    read: readAggregate,
  },
  aggregateBornBefore: {
    title: 'aggregate: birthDate < d',
    describe: describeAggregate,
    read: readAggregate,
  },
}

export const pageKinds = [
  'pageByName',
  'pageBornBefore',
  'pageByCity',
  'pageByPrefix',
  'pageBySalary',
]

/**
 * Creates operations with drawn arguments, by kind.
 * @param {import('../../data.js').Vocabulary} vocabulary
 * @param {number} companyCount
 * @param {() => number} random
 * @returns {Record<string, (ids: import('../draws.js').LivingIds) => import('./mix.js').Operation>}
 */
export function makeOffice(vocabulary, companyCount, random) {
  const { lastNames, cities, days } = vocabulary
  // One page in five is the second page.
  const skip = () => (random() < 0.2 ? pageLength : 0)
  const salary = () => 1000 + Math.floor(random() * 199_000)
  const company = () => 1 + Math.floor(random() * companyCount)
  const patch = () => {
    const share = random()
    if (share < 0.5) return { salary: salary() }
    if (share < 0.7) return { lastName: pick(random, lastNames) }
    if (share < 0.9) return { active: random() < 0.7, birthDate: pick(random, days) }
    return { companyID: company() }
  }
  return {
    pageByName: () => ({
      kind: 'pageByName',
      lastName: pick(random, lastNames),
      skip: skip(),
      top: pageLength,
    }),
    pageBornBefore: () => ({
      kind: 'pageBornBefore',
      before: pick(random, days),
      skip: skip(),
      top: pageLength,
    }),
    pageByCity: () => ({
      kind: 'pageByCity',
      city: pick(random, cities),
      salary: salary(),
      skip: skip(),
      top: pageLength,
    }),
    pageByPrefix: () => ({
      kind: 'pageByPrefix',
      prefix: pick(random, lastNames).slice(0, 3),
      skip: skip(),
      top: pageLength,
    }),
    pageBySalary: () => {
      const low = salary()
      return { kind: 'pageBySalary', low, high: low + 5_000, skip: skip(), top: pageLength }
    },
    get: (ids) => ({ kind: 'get', id: ids.draw(random) }),
    companyOf: (ids) => ({ kind: 'companyOf', id: ids.draw(random) }),
    staffOf: () => ({ kind: 'staffOf', companyId: company() }),
    update: (ids) => ({ kind: 'update', id: ids.draw(random), patch: patch() }),
    insert: (ids) => ({ kind: 'insert', values: makeEmployee(ids.add(), random, vocabulary) }),
    remove: (ids) => ({ kind: 'remove', id: ids.remove(random) }),
    aggregateOfCity: () => ({ kind: 'aggregateOfCity', city: pick(random, cities) }),
    aggregateBornBefore: () => ({ kind: 'aggregateBornBefore', before: pick(random, days) }),
  }
}

/**
 * Draws kinds by their shares in percent, after each kind has occurred three times.
 * @param {readonly (readonly [string, number])[]} shares
 * @param {() => number} random
 * @returns {() => string}
 */
export function kindDraws(shares, random) {
  const deck = shares.flatMap(([kind, percent]) => Array(Math.round(percent * 10)).fill(kind))
  const tour = [1, 2, 3].flatMap(() => shares.map(([kind]) => kind))
  return () => tour.pop() ?? deck[Math.floor(random() * deck.length)]
}

/**
 * Draws operations on the existing employees by the shares of their kinds.
 * @param {{ vocabulary: object, employeeCount: number, companies: readonly object[] }} data
 */
export function drawnOperations({ vocabulary, employeeCount, companies }, shares, seed) {
  const random = randomNumbers(seed)
  const make = makeOffice(vocabulary, companies.length, random)
  const ids = new LivingIds(employeeCount)
  const kind = kindDraws(shares, random)
  return () => make[kind()](ids)
}
