import { createDataStore } from '@entia/core'
import { Company, Employee } from '../../data-classes.js'
import { versionOf } from '../../package-version.js'
import { figuresOf } from './entia-figures.js'
import { entiaRecords } from './entia-records.js'

/** Entia, through its public interface only. @type {import('../mixes/mix.js').MixSubject} */
export default {
  name: 'entia',
  version: versionOf('@entia/core'),
  records: entiaRecords,
  office({ companies, employees }) {
    const store = createDataStore({ name: 'mixed', dataClasses: [Company, Employee] })
    store.Company.load(companies)
    store.Employee.load(employees)
    return {
      ...readsOf(store),
      ...writesOf(store),
      ...heldBy(store),
      ...snapshotOf(store),
      ...liveIn(store),
      ...careOf(store),
    }
  },
}

function readsOf({ Company: companies, Employee: employees }) {
  return {
    get: ({ id }) => employees.get(id),
    pageByName: ({ lastName, skip, top }) =>
      employees.query('lastName = :1', [lastName]).orderBy('firstName').page(skip, top).toArray(),
    pageBornBefore: ({ before, skip, top }) =>
      employees
        .query('birthDate < :1', [before])
        .orderBy('salary desc, lastName')
        .page(skip, top)
        .toArray(),
    pageByCity: ({ city, salary, skip, top }) =>
      employees
        .query('company.city = :1 and salary > :2', [city, salary])
        .orderBy('salary desc')
        .page(skip, top)
        .toArray(),
    pageByPrefix: ({ prefix, skip, top }) =>
      employees
        .query('lastName begin :1', [prefix])
        .orderBy('lastName, firstName')
        .page(skip, top)
        .toArray(),
    pageBySalary: ({ low, high, skip, top }) =>
      employees
        .query('salary >= :1 and salary <= :2', [low, high])
        .orderBy('salary')
        .page(skip, top)
        .toArray(),
    companyOf: ({ id }) => employees.get(id).company,
    staffOf: ({ companyId }) => companies.get(companyId).employees.toArray(),
    aggregateOfCity: ({ city }) => employees.query('company.city = :1', [city]).compute('salary'),
    aggregateBornBefore: ({ before }) =>
      employees.query('birthDate < :1', [before]).compute('salary'),
  }
}

function writesOf({ Employee: employees }) {
  return {
    update: ({ id, patch }) => employees.update(id, patch),
    insert: ({ values }) => employees.insert(values),
    remove: ({ id }) => employees.remove(id),
  }
}

function heldBy({ Employee: employees }) {
  let held = employees.empty()
  return {
    hold: ({ low, high, isOrdered }) => {
      const found = employees.query('salary >= :1 and salary <= :2', [low, high])
      held = isOrdered ? found.orderBy('email') : found
      return held.count
    },
    pageOfHeld: ({ skip, top }) => held.page(skip, top).toArray(),
  }
}

function snapshotOf(store) {
  let filled
  return {
    mark: () => {
      filled = store.snapshot()
    },
    restore: () => store.restore(filled),
  }
}

/** With live queries, each write returns the notifications that it caused. */
function liveIn({ Employee: employees }) {
  const selectionOf = {
    salary: ({ low, high }) => employees.query('salary >= :1 and salary <= :2', [low, high]),
    name: ({ lastName }) => employees.query('lastName = :1', [lastName]),
    prefix: ({ prefix }) => employees.query('lastName begin :1', [prefix]),
    senior: ({ before, salary }) =>
      employees.query('active = true and birthDate < :1 and salary > :2', [before, salary]),
  }
  return {
    watch(filters) {
      let changes = []
      for (const [index, filter] of filters.entries()) {
        selectionOf[filter.kind](filter).live(({ entered, changed, left }) =>
          changes.push({ index, entered, changed, left }),
        )
      }
      for (const kind of ['update', 'insert', 'remove']) {
        const write = this[kind]
        this[kind] = (operation) => {
          changes = []
          write(operation)
          return changes
        }
      }
    },
  }
}

function careOf(store) {
  return {
    all: () => store.Employee.all().toArray(),
    verify: () => store.verify(),
    figures: () => figuresOf(store, store.Employee),
    close: () => store.close(),
  }
}
