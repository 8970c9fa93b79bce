// The kinds of first operations: their arguments, and the check of each answer against plain rows.

import { makeEmployee, pick, randomNumbers } from '../data.js'

export const pageSize = 20

/**
 * @typedef {import('../data.js').EmployeeRow} EmployeeRow
 *
 * @typedef {object} FirstStore the operations of a subject; entities are private copies with the
 * attributes of an employee
 * @property {(id: number) => EmployeeRow} get
 * @property {(email: string) => EmployeeRow} findBy
 * @property {(lastName: string, salary: number) => readonly EmployeeRow[]} page with that name and
 * a higher salary: any 20
 * @property {(lastName: string, salary: number) => readonly EmployeeRow[]} text the same, all of
 * them, by a text that contains both values
 * @property {(skip: number) => readonly EmployeeRow[]} ordered 20 employees by descending salary
 * @property {(lastName: string) => { count: number, sum: number, min: number, max: number }}
 * aggregate of the salary
 * @property {(row: EmployeeRow) => unknown} insert
 * @property {(id: number, salary: number) => unknown} update
 * @property {(id: number) => unknown} remove
 * @property {(changes: readonly (readonly [id: number, salary: number])[]) => unknown} transact all
 * or nothing
 * @property {() => readonly EmployeeRow[]} all
 *
 * @typedef {object} Kind
 * @property {string} title
 * @property {(data: import('../data.js').BenchData, random: () => number, index: number) =>
 * readonly unknown[]} ask the arguments
 * @property {(rows: readonly EmployeeRow[], given: readonly any[], answer: any) => boolean}
 * [isRight]
 * @property {(rows: EmployeeRow[], given: readonly any[]) => EmployeeRow[]} [apply] the rows after
 * a write; ID i is at i - 1
 */

const idOf = ({ employeeCount }, random) => 1 + Math.floor(random() * employeeCount)
const salaryOf = (random) => 1000 + Math.floor(random() * 199_000)
const columns = ['ID', 'firstName', 'lastName', 'email', 'salary', 'companyID']

/** @param {EmployeeRow} one @param {EmployeeRow} other */
export const isSameEmployee = (one, other) =>
  columns.every((name) => one[name] === other[name]) &&
  Boolean(one.active) === Boolean(other.active)

const matching = (rows, lastName, salary) =>
  rows.filter((row) => row.lastName === lastName && row.salary > salary)
const named = ({ vocabulary }, random) => [pick(random, vocabulary.lastNames), salaryOf(random)]
const withSalary = (rows, id, salary) => {
  rows[id - 1] = { ...rows[id - 1], salary }
  return rows
}

/** @type {Readonly<Record<string, Kind>>} */
export const kinds = {
  get: {
    title: '`get` by key',
    ask: (data, random) => [idOf(data, random)],
    isRight: (rows, [id], answer) => isSameEmployee(answer, rows[id - 1]),
  },
  findBy: {
    title: 'one by a unique attribute',
    ask: (data, random) => [data.employees[idOf(data, random) - 1].email],
    isRight: (rows, [email], answer) =>
      isSameEmployee(
        answer,
        rows.find((row) => row.email === email),
      ),
  },
  page: {
    title: 'a query of two terms, the first 20 entities',
    ask: named,
    isRight(rows, [lastName, salary], answer) {
      const found = matching(rows, lastName, salary)
      return (
        answer.length === Math.min(pageSize, found.length) &&
        answer.every((row) => found.some(({ ID }) => ID === row.ID))
      )
    },
  },
  text: {
    title: 'a query of two terms, a fresh text each time',
    ask: named,
    isRight(rows, [lastName, salary], answer) {
      const found = matching(rows, lastName, salary)
      return (
        answer.length === found.length &&
        answer.every((row) => found.some((other) => isSameEmployee(row, other)))
      )
    },
  },
  ordered: {
    title: 'a page of 20 in an order',
    ask: ({ employeeCount }, random) => [
      Math.floor(random() * Math.min(1000, employeeCount - pageSize)),
    ],
    isRight: (rows, [skip], answer) =>
      answer.map(({ salary }) => salary).join() ===
      rows
        .map(({ salary }) => salary)
        .sort((a, b) => b - a)
        .slice(skip, skip + pageSize)
        .join(),
  },
  aggregate: {
    title: 'count, sum, minimum and maximum of a query',
    ask: ({ vocabulary }, random) => [pick(random, vocabulary.lastNames)],
    isRight(rows, [lastName], { count, sum, min, max }) {
      const salaries = matching(rows, lastName, 0).map(({ salary }) => salary)
      const total = salaries.reduce((one, other) => one + other, 0)
      if (count !== salaries.length || (sum ?? 0) !== total) return false
      return count === 0 || (min === Math.min(...salaries) && max === Math.max(...salaries))
    },
  },
  insert: {
    title: '`insert`',
    ask: ({ employeeCount, vocabulary }, random, index) => [
      makeEmployee(employeeCount + 1 + index, random, vocabulary),
    ],
    apply: (rows, [row]) => [...rows, row],
  },
  update: {
    title: '`update` of one attribute',
    ask: (data, random) => [idOf(data, random), salaryOf(random)],
    apply: (rows, [id, salary]) => withSalary(rows, id, salary),
  },
  remove: {
    title: '`remove`',
    // Seven and the number of employees are coprime, so no employee repeats.
    ask: ({ employeeCount }, _random, index) => [1 + ((index * 7) % employeeCount)],
    apply(rows, [id]) {
      delete rows[id - 1]
      return rows
    },
  },
  transact: {
    title: 'ten updates, all or nothing',
    ask: (data, random) => [
      Array.from({ length: 10 }, () => [idOf(data, random), salaryOf(random)]),
    ],
    apply: (rows, [changes]) =>
      changes.reduce((all, [id, salary]) => withSalary(all, id, salary), rows),
  },
}

export const argumentsOf = (kind, data, count) => {
  const random = randomNumbers(77)
  return Array.from({ length: count }, (_, index) => kinds[kind].ask(data, random, index))
}
