import { bySalaryDownThenLastName, describeCount, describeOrder, describeSet } from './reference.js'

const skip = 1000
const top = 100

/** Ordered pages deep in the table. */
/** @type {import('./workload.js').ReadWorkload[]} */
export const orderedReads = [
  {
    kind: 'read',
    id: 'W8a',
    title: 'order salary desc, lastName; skip 1000, take 100 (whole table)',
    needs: ['pageOfAll'],
    argumentsOf: () => [null],
    run: (store) => store.pageOfAll(skip, top),
    expected: (reference) => describeOrder(pageOf(reference.employees)),
    found: describeOrder,
  },
  {
    kind: 'read',
    id: 'W8b',
    title: 'same over a 10 % filter (birthDate <)',
    needs: ['pageOfBornBefore'],
    argumentsOf: (reference) => [reference.dateAt(0.1)],
    run: (store, before) => store.pageOfBornBefore(before, skip, top),
    expected: (reference, before) => describeOrder(pageOf(reference.where(bornBefore(before)))),
    found: describeOrder,
  },
]

/** Aggregates and distinct values. */
/** @type {import('./workload.js').ReadWorkload[]} */
export const aggregateReads = [
  {
    kind: 'read',
    id: 'W10a',
    title: 'count, sum, average, min, max of salary, all',
    needs: ['aggregate'],
    argumentsOf: () => [null],
    run: (store) => store.aggregate(null),
    expected: (reference) => describeAggregate(aggregate(reference.employees)),
    found: describeAggregate,
  },
  {
    kind: 'read',
    id: 'W10b',
    title: 'same over birthDate < d (30 %)',
    needs: ['aggregate'],
    argumentsOf: (reference) => [0.3, 0.29, 0.31].map((fraction) => reference.dateAt(fraction)),
    run: (store, before) => store.aggregate(before),
    expected: (reference, before) =>
      describeAggregate(aggregate(reference.where(bornBefore(before)))),
    found: describeAggregate,
  },
  {
    kind: 'read',
    id: 'W11',
    title: 'distinct lastName',
    needs: ['distinctLastNames'],
    argumentsOf: () => [null],
    run: (store) => store.distinctLastNames(),
    expected: (reference) =>
      describeSet([...new Set(reference.employees.map(({ lastName }) => lastName))]),
    found: (names) => describeSet([...names]),
  },
]

/** Count, average and maximum by group. */
/** @type {import('./workload.js').ReadWorkload[]} */
export const groupReads = [
  {
    kind: 'read',
    id: 'W20a',
    title: 'count, average, max of salary by firstName, all',
    needs: ['groupByFirstName'],
    argumentsOf: () => [null],
    run: (store) => store.groupByFirstName(null),
    expected: (reference) => describeGroups(groups(reference.employees, byFirstName)),
    found: describeGroups,
  },
  {
    kind: 'read',
    id: 'W20b',
    title: 'same over birthDate < d (30 %)',
    needs: ['groupByFirstName'],
    argumentsOf: (reference) => [0.3, 0.29, 0.31].map((fraction) => reference.dateAt(fraction)),
    run: (store, before) => store.groupByFirstName(before),
    expected: (reference, before) =>
      describeGroups(groups(reference.where(bornBefore(before)), byFirstName)),
    found: describeGroups,
  },
  {
    kind: 'read',
    id: 'W20c',
    title: 'same by the city of the company, all',
    needs: ['groupByCity'],
    argumentsOf: () => [null],
    run: (store) => store.groupByCity(),
    expected: (reference) =>
      describeGroups(
        groups(reference.employees, ({ companyID }) => reference.cityOfCompany.get(companyID)),
      ),
    found: describeGroups,
  },
]

/** Set algebra on two saved selections: the best paid 30 %, and the 40 % born first. */
/** @type {import('./workload.js').ReadWorkload[]} */
export const setReads = [
  ['W12a', 'and', (left, right) => left && right],
  ['W12b', 'or', (left, right) => left || right],
  ['W12c', 'except', (left, right) => left && !right],
].map(([id, operator, isMember]) => ({
  kind: 'read',
  id,
  title: `set ${operator} of saved selections (30 % / 40 %), counted`,
  needs: ['saveSelections', 'combine'],
  prepare: (store, reference) =>
    store.saveSelections(reference.salaryAt(0.7), reference.dateAt(0.4)),
  argumentsOf: () => [operator],
  run: (store, name) => store.combine(name),
  expected: (reference) => {
    const leastSalary = reference.salaryAt(0.7)
    const isInRight = bornBefore(reference.dateAt(0.4))
    return describeCount(
      reference.countWhere((e) => isMember(e.salary >= leastSalary, isInRight(e))),
    )
  },
  found: describeCount,
}))

const bornBefore =
  (before) =>
  ({ birthDate }) =>
    birthDate < before

function pageOf(employees) {
  return employees
    .slice()
    .sort(bySalaryDownThenLastName)
    .slice(skip, skip + top)
}

function aggregate(employees) {
  let sum = 0
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  for (const { salary } of employees) {
    sum += salary
    min = Math.min(min, salary)
    max = Math.max(max, salary)
  }
  return { count: employees.length, sum, average: sum / employees.length, min, max }
}

const byFirstName = ({ firstName }) => firstName

function groups(employees, nameOf) {
  const salaries = new Map()
  for (const employee of employees) {
    const name = nameOf(employee)
    const known = salaries.get(name)
    if (known === undefined) salaries.set(name, [employee.salary])
    else known.push(employee.salary)
  }
  return [...salaries].map(([name, values]) => ({
    name,
    count: values.length,
    average: values.reduce((sum, value) => sum + value, 0) / values.length,
    max: values.reduce((largest, value) => Math.max(largest, value)),
  }))
}

/**
 * Averages that are computed incrementally differ in their last digits, so no average may be where
 * rounding could go either way.
 */
function describeGroups(found) {
  return describeSet(
    found.map(
      ({ name, count, average, max }) =>
        `${name} ${Number(count)} ${Math.round(average * 1000 + 0.123)} ${Number(max)}`,
    ),
  )
}

function describeAggregate({ count, sum, average, min, max }) {
  return [count, sum, Math.round(average * 1000), min, max].map(Number).join(' ')
}
