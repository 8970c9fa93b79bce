import { createDataStore, isEntiaError } from '@entia/core'
import { Company, Employee } from '../data-classes.js'
import { versionOf } from '../package-version.js'
import { pageSize } from './subject.js'

/** Entia, through its public interface only. @type {import('./subject.js').Subject} */
export default {
  name: 'entia',
  version: versionOf('@entia/core'),
  open(data) {
    const store = createDataStore({ name: 'bench', dataClasses: [Company, Employee] })
    store.Company.load(data.companies)
    store.Employee.load(data.employees)
    return operationsOn(store)
  },
}

/** @returns {import('./subject.js').SubjectStore} */
function operationsOn(store) {
  const employees = store.Employee
  let left = employees.empty()
  let right = employees.empty()
  let snapshot
  return {
    get: (id) => employees.get(id),
    selectByLastName: (name) => asSelected(employees.query('lastName = :1', [name])),
    entitiesByLastName: (name) => employees.query('lastName = :1', [name]).toArray(),
    selectBySalary: (low, high) =>
      asSelected(employees.query('salary >= :1 and salary <= :2', [low, high])),
    entitiesBySalary: (low, high) =>
      asCounted(employees.query('salary >= :1 and salary <= :2', [low, high])),
    selectByPrefix: (prefix) => asSelected(employees.query('lastName begin :1', [prefix])),
    entitiesByPrefix: (prefix) => asCounted(employees.query('lastName begin :1', [prefix])),
    memberIds: (keys) => keys,
    scan: (before, firstName) =>
      asCounted(
        employees.query('active = true and birthDate < :1 and firstName = :2', [before, firstName]),
      ),
    compound: (lastName, salary, before) =>
      employees
        .query('lastName = :1 and salary > :2 and active = true and birthDate < :3', [
          lastName,
          salary,
          before,
        ])
        .toArray(),
    related: (city, salary) =>
      asCounted(employees.query('company.city = :1 and salary > :2', [city, salary])),
    pageOfAll: (skip, top) =>
      employees.all().orderBy('salary desc, lastName').page(skip, top).toArray(),
    pageOfBornBefore: (before, skip, top) =>
      employees
        .query('birthDate < :1', [before])
        .orderBy('salary desc, lastName')
        .page(skip, top)
        .toArray(),
    aggregate: (before) =>
      (before === null ? employees.all() : employees.query('birthDate < :1', [before])).compute(
        'salary',
      ),
    distinctLastNames: () => employees.all().distinct('lastName'),
    groupByFirstName: (before) =>
      asGroups(
        before === null ? employees.all() : employees.query('birthDate < :1', [before]),
        'firstName',
      ),
    groupByCity: () => asGroups(employees.all(), 'company.city'),
    saveSelections: (salary, before) => {
      left = employees.query('salary >= :1', [salary])
      right = employees.query('birthDate < :1', [before])
    },
    combine: (operator) => left[operator](right).count,
    pageAsJson: (firstId) =>
      employees
        .all()
        .page(firstId - 1, pageSize)
        .json('ID, firstName, lastName, email, salary, birthDate, active, companyID, stamp'),
    findByText: (text) => employees.query(text).first(),
    compile: (text) => employees.query(text),
    update: (id, stamp, salary) => succeeds(() => employees.update(id, { salary }, { stamp })),
    updateAll: (changes) =>
      succeeds(() =>
        employees.updateAll(
          changes.map(({ id, stamp, salary }) => ({ key: id, patch: { salary }, stamp })),
        ),
      ),
    insert: (values) => employees.insert(values),
    reinsert: (values) => {
      employees.remove(values.ID)
      return employees.insert(values)
    },
    remove: (id) => employees.remove(id),
    mark: () => {
      snapshot?.dispose()
      snapshot = store.snapshot()
    },
    goBack: () => store.restore(snapshot),
    count: () => employees.count,
    verify: () => store.verify(),
    close: () => store.close(),
  }
}

/** Reads the keys, so that the first members are really computed. */
function asSelected(selection) {
  const page = selection.page(0, pageSize)
  return { count: selection.count, known: page.count, members: page.keys() }
}

function asCounted(selection) {
  return { count: selection.count, entities: selection.page(0, pageSize).toArray() }
}

function asGroups(selection, path) {
  const groups = selection.groupBy(path, { count: true, salary: ['average', 'max'] }).toArray()
  return groups.map(({ [path]: name, count, salary: { average, max } }) => ({
    name,
    count,
    average,
    max,
  }))
}

/** Returns whether the write succeeds; false for a stale stamp. */
function succeeds(write) {
  try {
    write()
    return true
  } catch (error) {
    if (isEntiaError(error) && error.code === 'stampChanged') return false
    throw error
  }
}
