import { createDataStore } from '@entia/core'
import { Company, Employee } from '../../data-classes.js'
import { versionOf } from '../../package-version.js'
import { pageSize } from '../kinds.js'

export const version = versionOf('@entia/core')

/** @param {import('../../data.js').BenchData} data @returns {import('../kinds.js').FirstStore} */
export function open({ companies, employees: rows }) {
  const store = createDataStore({ name: 'first', dataClasses: [Company, Employee] })
  store.Company.load(companies)
  store.Employee.load(rows)
  const employees = store.Employee
  return {
    get: (id) => employees.get(id),
    findBy: (email) => employees.findBy('email', email),
    page: (lastName, salary) =>
      employees
        .query('lastName = :1 and salary > :2', [lastName, salary])
        .page(0, pageSize)
        .toArray(),
    text: (lastName, salary) =>
      employees.query(`lastName = '${lastName}' and salary > ${salary}`).toArray(),
    ordered: (skip) => employees.all().orderBy('salary desc').page(skip, pageSize).toArray(),
    aggregate: (lastName) => employees.query('lastName = :1', [lastName]).compute('salary'),
    insert: (row) => employees.insert(row),
    update: (id, salary) => employees.update(id, { salary }),
    remove: (id) => employees.remove(id),
    transact: (changes) =>
      store.transact(() => changes.map(([id, salary]) => employees.update(id, { salary }))),
    all: () => employees.all().toArray(),
  }
}
