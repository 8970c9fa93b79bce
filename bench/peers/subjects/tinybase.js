import { createIndexes, createStore } from 'tinybase'
import { pageSize } from '../../subjects/subject.js'
import { versionOf } from '../package-version.js'

/**
 * TinyBase: tables of cells under text row ids, and an index (slices of rows by value) per indexed
 * attribute. It has no ranges, and queries must be declared in advance. Without an index the
 * subject walks the rows, and for prefixes the slices. A sort uses one cell. Live metrics would be
 * precomputed answers and are not used.
 * @type {import('../../subjects/subject.js').Subject}
 */
export default {
  name: 'tinybase',
  version: versionOf('tinybase'),
  open({ companies, employees }) {
    const store = createStore()
    const indexes = createIndexes(store)
    store.setTables({
      companies: Object.fromEntries(companies.map((row) => [row.ID, { ...row }])),
      employees: Object.fromEntries(employees.map((row) => [row.ID, { ...row, stamp: 1 }])),
    })
    indexes.setIndexDefinition('city', 'companies', 'city')
    for (const name of ['lastName', 'email', 'salary', 'companyID'])
      indexes.setIndexDefinition(name, 'employees', name)
    return operationsOn(store, indexes)
  },
}

/** @returns {import('../../subjects/subject.js').SubjectStore} */
function operationsOn(store, indexes) {
  const get = (id) => store.getRow('employees', id)
  const cell = (id, name) => store.getCell('employees', id, name)
  const counted = (ids) => ({ count: ids.length, entities: ids.slice(0, pageSize).map(get) })
  const inSlices = (indexId, isWanted) => {
    const found = { count: 0, members: [] }
    for (const sliceId of indexes.getSliceIds(indexId)) {
      if (!isWanted(sliceId)) continue
      const ids = indexes.getSliceRowIds(indexId, sliceId)
      found.count += ids.length
      for (let i = 0; i < ids.length && found.members.length < pageSize; i++)
        found.members.push(ids[i])
    }
    return found
  }
  const asEntities = ({ count, members }) => ({ count, entities: members.map(get) })
  const bySalary = (low, high) =>
    inSlices('salary', (salary) => Number(salary) >= low && Number(salary) <= high)
  const byPrefix = (prefix) => inSlices('lastName', (name) => name.startsWith(prefix))
  const byLastName = (name) => indexes.getSliceRowIds('lastName', name)
  const bornBefore = (before) => {
    const ids = store.getRowIds('employees')
    return before === null ? ids : ids.filter((id) => cell(id, 'birthDate') < before)
  }
  const update = ({ id, stamp, salary }) => {
    if (cell(id, 'stamp') !== stamp) return false
    store.setPartialRow('employees', id, { salary, stamp: stamp + 1 })
    return true
  }
  const insert = (values) => store.setRow('employees', values.ID, { ...values, stamp: 1 })

  return {
    get,
    selectByLastName: (name) => {
      const ids = byLastName(name)
      return { count: ids.length, members: ids.slice(0, pageSize) }
    },
    entitiesByLastName: (name) => byLastName(name).map(get),
    selectBySalary: bySalary,
    entitiesBySalary: (low, high) => asEntities(bySalary(low, high)),
    selectByPrefix: byPrefix,
    entitiesByPrefix: (prefix) => asEntities(byPrefix(prefix)),
    memberIds: (ids) => ids.map(Number),
    scan: (before, firstName) =>
      counted(
        store
          .getRowIds('employees')
          .filter(
            (id) =>
              cell(id, 'firstName') === firstName &&
              cell(id, 'birthDate') < before &&
              cell(id, 'active') === true,
          ),
      ),
    compound: (lastName, salary, before) =>
      byLastName(lastName)
        .filter(
          (id) =>
            cell(id, 'salary') > salary && cell(id, 'active') && cell(id, 'birthDate') < before,
        )
        .map(get),
    related: (city, salary) =>
      counted(
        indexes
          .getSliceRowIds('city', city)
          .flatMap((companyId) => indexes.getSliceRowIds('companyID', companyId))
          .filter((id) => cell(id, 'salary') > salary),
      ),
    aggregate: (before) => {
      const ids = bornBefore(before)
      const aggregate = { count: ids.length, sum: 0, average: 0, min: Infinity, max: -Infinity }
      for (const id of ids) {
        const salary = cell(id, 'salary')
        aggregate.sum += salary
        if (salary < aggregate.min) aggregate.min = salary
        if (salary > aggregate.max) aggregate.max = salary
      }
      aggregate.average = aggregate.sum / aggregate.count
      return aggregate
    },
    distinctLastNames: () => indexes.getSliceIds('lastName'),
    pageAsJson: (firstId) =>
      JSON.stringify(Array.from({ length: pageSize }, (_, index) => get(firstId + index))),
    update: (id, stamp, salary) => update({ id, stamp, salary }),
    updateAll: (changes) => {
      let isRefused = false
      store.transaction(
        () => {
          isRefused = !changes.every(update)
        },
        () => isRefused,
      )
      return !isRefused
    },
    insert,
    reinsert: (values) => {
      store.delRow('employees', values.ID)
      return insert(values)
    },
    count: () => store.getRowCount('employees'),
  }
}
