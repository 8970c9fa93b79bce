import { createRequire } from 'node:module'
import { pageSize } from '../../subjects/subject.js'

const Loki = createRequire(import.meta.url)('lokijs')

/**
 * Both LokiJS subjects: a collection with unique and binary indexes, filled with one insert.
 *
 * A selection is the list of positions that a chain has found; LokiJS pages and sorts it. Set
 * algebra and text queries do not exist. Transactions clone the whole collection and are left out.
 * A compound sort uses no index.
 * @param {import('../../data.js').BenchData} data
 * @param {object} collectionOptions   how objects are returned
 * @returns {import('../../subjects/subject.js').SubjectStore}
 */
export function lokiOperations({ companies, employees }, collectionOptions) {
  const database = new Loki('bench', { autosave: false })
  const companyTable = database.addCollection('companies', {
    unique: ['ID'],
    indices: ['city'],
    disableMeta: true,
  })
  companyTable.insert(companies.map((row) => ({ ...row })))
  const table = database.addCollection('employees', {
    unique: ['ID', 'email'],
    indices: ['salary', 'lastName', 'companyID'],
    disableMeta: true,
    ...collectionOptions,
  })
  // LokiJS stores the given objects themselves, and adds its key to them.
  table.insert(employees.map((row) => ({ ...row, stamp: 1 })))

  const salaryIn = (low, high) => table.chain().find({ salary: { $between: [low, high] } })
  const prefixed = (prefix) =>
    table.chain().find({ lastName: { $between: [prefix, `${prefix}\uffff`] } })
  const ordered = (chain, skip, top) =>
    chain
      .compoundsort([['salary', true], 'lastName'])
      .offset(skip)
      .limit(top)
      .data()

  return {
    get: (id) => table.by('ID', id),
    selectByLastName: (name) => selected(table.chain().find({ lastName: name })),
    entitiesByLastName: (name) => table.chain().find({ lastName: name }).data(),
    selectBySalary: (low, high) => selected(salaryIn(low, high)),
    entitiesBySalary: (low, high) => counted(salaryIn(low, high)),
    selectByPrefix: (prefix) => selected(prefixed(prefix)),
    entitiesByPrefix: (prefix) => counted(prefixed(prefix)),
    memberIds: (positions) => positions.map((position) => table.data[position].ID),
    // Terms are tested in order: an indexed one first, then the most selective one.
    scan: (before, firstName) =>
      counted(
        table
          .chain()
          .find({ firstName })
          .find({ birthDate: { $lt: before } })
          .find({ active: true }),
      ),
    compound: (lastName, salary, before) =>
      table
        .chain()
        .find({ lastName })
        .find({ salary: { $gt: salary } })
        .find({ active: true })
        .find({ birthDate: { $lt: before } })
        .data(),
    related: (city, salary) => {
      const ids = companyTable.find({ city }).map(({ ID }) => ID)
      return counted(
        table
          .chain()
          .find({ companyID: { $in: ids } })
          .find({ salary: { $gt: salary } }),
      )
    },
    pageOfAll: (skip, top) => ordered(table.chain(), skip, top),
    pageOfBornBefore: (before, skip, top) =>
      ordered(table.chain().find({ birthDate: { $lt: before } }), skip, top),
    aggregate: (before) => {
      const chain =
        before === null ? table.chain() : table.chain().find({ birthDate: { $lt: before } })
      return chain.mapReduce(({ salary }) => salary, aggregate)
    },
    distinctLastNames: () =>
      table.mapReduce(
        ({ lastName }) => lastName,
        (names) => [...new Set(names)],
      ),
    pageAsJson: (firstId) =>
      JSON.stringify(
        Array.from({ length: pageSize }, (_, index) => table.by('ID', firstId + index)),
      ),
    update: (id, stamp, salary) => {
      const row = table.by('ID', id)
      if (row.stamp !== stamp) return false
      row.salary = salary
      row.stamp++
      table.update(row)
      return true
    },
    insert: (values) => table.insert({ ...values, stamp: 1 }),
    reinsert: (values) => {
      table.remove(table.by('ID', values.ID))
      return table.insert({ ...values, stamp: 1 })
    },
    count: () => table.count(),
  }
}

function selected({ filteredrows }) {
  return { count: filteredrows.length, members: filteredrows.slice(0, pageSize) }
}

function counted(chain) {
  const count = chain.filteredrows.length
  return { count, entities: chain.limit(pageSize).data() }
}

function aggregate(salaries) {
  let sum = 0
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  for (const salary of salaries) {
    sum += salary
    if (salary < min) min = salary
    if (salary > max) max = salary
  }
  return { count: salaries.length, sum, average: sum / salaries.length, min, max }
}
