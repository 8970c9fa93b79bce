import { createRequire } from 'node:module'
import { versionOf } from '../../peers/package-version.js'
import { pageSize } from '../kinds.js'

const Loki = createRequire(new URL('../../peers/package.json', import.meta.url))('lokijs')

export const version = `${versionOf('lokijs')}, clone: true`

/**
 * Clones results with LokiJS's cheapest method. LokiJS has no text language: a fresh text becomes a
 * fresh query object. Its transactions clone the whole collection, so ten updates run without one.
 * @param {import('../../data.js').BenchData} data
 * @returns {import('../kinds.js').FirstStore}
 */
export function open({ employees: rows }) {
  const employees = new Loki('first', { autosave: false }).addCollection('employees', {
    unique: ['ID', 'email'],
    indices: ['salary', 'lastName', 'companyID'],
    disableMeta: true,
    clone: true,
    cloneMethod: 'shallow-assign',
  })
  employees.insert(rows.map((row) => ({ ...row, stamp: 1 })))
  const found = (lastName, salary) =>
    employees
      .chain()
      .find({ lastName })
      .find({ salary: { $gt: salary } })
  const update = (id, salary) => {
    const row = employees.by('ID', id)
    row.salary = salary
    row.stamp++
    return employees.update(row)
  }
  return {
    get: (id) => employees.by('ID', id),
    findBy: (email) => employees.by('email', email),
    page: (lastName, salary) => found(lastName, salary).limit(pageSize).data(),
    text: (lastName, salary) => found(lastName, salary).data(),
    ordered: (skip) =>
      employees.chain().simplesort('salary', true).offset(skip).limit(pageSize).data(),
    aggregate: (lastName) =>
      employees
        .chain()
        .find({ lastName })
        .mapReduce(
          ({ salary }) => salary,
          (salaries) => ({
            count: salaries.length,
            sum: salaries.reduce((one, other) => one + other, 0),
            min: Math.min(...salaries),
            max: Math.max(...salaries),
          }),
        ),
    insert: (row) => employees.insert({ ...row, stamp: 1 }),
    update,
    remove: (id) => employees.remove(employees.by('ID', id)),
    transact: (changes) => changes.map(([id, salary]) => update(id, salary)),
    all: () => employees.data,
  }
}
