import { createCheckpoints, createIndexes, createStore } from 'tinybase'
import { WatchedByHand } from '../../mixed/watched-by-hand.js'
import { aggregateOf } from '../operations/aggregate.js'
import { keyValueRecords } from '../operations/key-value-records.js'
import { versionOf } from '../package-version.js'

const columns = [
  'ID',
  'firstName',
  'lastName',
  'email',
  'salary',
  'birthDate',
  'active',
  'companyID',
]

/**
 * TinyBase: an index per attribute that is queried by value, checkpoints to restore, a row listener
 * for the dashboard. It has no ranges and sorts by one cell. Without an index the subject reads the
 * cells of all rows and sorts the result itself.
 * @type {import('../../mixed/mixes/mix.js').MixSubject}
 */
export default {
  name: 'tinybase',
  version: versionOf('tinybase'),
  office({ companies, employees }, { id: mixId }) {
    const store = createStore()
    const indexes = createIndexes(store)
    store.setTables({
      companies: Object.fromEntries(companies.map((row) => [row.ID, { ...row }])),
      employees: Object.fromEntries(employees.map((row) => [row.ID, { ...row }])),
    })
    indexes.setIndexDefinition('city', 'companies', 'city')
    for (const name of ['lastName', 'companyID'])
      indexes.setIndexDefinition(name, 'employees', name)
    return {
      ...readsOf(store, indexes),
      ...writesOf(store),
      ...heldIn(store),
      // Checkpoints record all writes, so only the mix that restores uses them.
      ...(mixId === 'suite' ? checkpointsOf(store) : {}),
      ...watchedIn(store),
      all: () => Object.values(store.getTable('employees')),
    }
  },
  records: recordsIn,
}

/** A scan needs the sorted keys of all rows; they are sorted again after an insert. */
function recordsIn({ records }) {
  const store = createStore()
  store.setTable('items', Object.fromEntries(records.map((record) => [record.key, record])))
  let sorted = null
  return keyValueRecords({
    get: (key) => store.getRow('items', key),
    patch: (key, patch) => store.setPartialRow('items', key, patch),
    insert: (record) => {
      sorted = null
      store.setRow('items', record.key, record)
    },
    scan: (key, length) => {
      sorted ??= store.getRowIds('items').sort()
      const first = firstFrom(sorted, key)
      return sorted.slice(first, first + length).map((id) => store.getRow('items', id))
    },
    all: () => Object.values(store.getTable('items')),
  })
}

function firstFrom(sorted, key) {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle] < key) low = middle + 1
    else high = middle
  }
  return low
}

function readsOf(store, indexes) {
  const get = (id) => store.getRow('employees', id)
  const cell = (id, name) => store.getCell('employees', id, name)
  /** Sorts by the cells of the order alone, and creates rows only for the page. */
  const page = (ids, order, { skip, top }) =>
    ids
      .map((id) => [id, ...order.map(([name]) => cell(id, name))])
      .sort((a, b) => compare(a, b, order))
      .slice(skip, skip + top)
      .map(([id]) => get(id))
  const idsByName = (isWanted) =>
    indexes
      .getSliceIds('lastName')
      .filter(isWanted)
      .flatMap((name) => indexes.getSliceRowIds('lastName', name))
  const idsInCity = (city) =>
    indexes
      .getSliceRowIds('city', city)
      .flatMap((companyId) => indexes.getSliceRowIds('companyID', companyId))
  const idsWhere = (isWanted) => store.getRowIds('employees').filter(isWanted)
  return {
    get: ({ id }) => found(get(id)),
    pageByName: (request) =>
      page(indexes.getSliceRowIds('lastName', request.lastName), [['firstName', 1]], request),
    pageBornBefore: (request) =>
      page(
        idsWhere((id) => cell(id, 'birthDate') < request.before),
        [
          ['salary', -1],
          ['lastName', 1],
        ],
        request,
      ),
    pageByCity: (request) =>
      page(
        idsInCity(request.city).filter((id) => cell(id, 'salary') > request.salary),
        [['salary', -1]],
        request,
      ),
    pageByPrefix: (request) =>
      page(
        idsByName((name) => name.startsWith(request.prefix)),
        [
          ['lastName', 1],
          ['firstName', 1],
        ],
        request,
      ),
    pageBySalary: (request) =>
      page(
        idsWhere((id) => {
          const salary = cell(id, 'salary')
          return salary >= request.low && salary <= request.high
        }),
        [['salary', 1]],
        request,
      ),
    companyOf: ({ id }) => found(store.getRow('companies', cell(id, 'companyID'))),
    // The keys of slices are texts.
    staffOf: ({ companyId }) => indexes.getSliceRowIds('companyID', String(companyId)).map(get),
    aggregateOfCity: ({ city }) => aggregateOf(idsInCity(city).map((id) => cell(id, 'salary'))),
    aggregateBornBefore: ({ before }) =>
      aggregateOf(idsWhere((id) => cell(id, 'birthDate') < before).map((id) => cell(id, 'salary'))),
  }
}

/** TinyBase returns a missing row as an object without cells. */
const found = (row) => (row.ID === undefined ? undefined : row)

function writesOf(store) {
  return {
    update: ({ id, patch }) => store.setPartialRow('employees', id, patch),
    insert: ({ values }) => store.setRow('employees', values.ID, values),
    remove: ({ id }) => store.delRow('employees', id),
  }
}

/** The members are an array of row ids. */
function heldIn(store) {
  const cell = (id, name) => store.getCell('employees', id, name)
  let held = []
  return {
    hold: ({ low, high, isOrdered }) => {
      held = store.getRowIds('employees').filter((id) => {
        const salary = cell(id, 'salary')
        return salary >= low && salary <= high
      })
      if (isOrdered) {
        const emails = held.map((id) => [cell(id, 'email'), id])
        held = emails.sort((a, b) => compare(a, b, [['email', 1]], 0)).map(([, id]) => id)
      }
      return held.length
    },
    pageOfHeld: ({ skip, top }) =>
      held.slice(skip, skip + top).flatMap((id) => found(store.getRow('employees', id)) ?? []),
  }
}

function checkpointsOf(store) {
  const checkpoints = createCheckpoints(store)
  const [filled] = checkpoints.getCheckpointIds().slice(1)
  return {
    mark: () => checkpoints.clear(),
    restore: () => {
      // The writes since the last checkpoint become a checkpoint; going back one undoes them.
      checkpoints.addCheckpoint()
      checkpoints.goTo(filled)
      checkpoints.clearForward()
    },
  }
}

/** The listener receives each cell with its old and its new value. */
function watchedIn(store) {
  return {
    watch(filters) {
      const watched = new WatchedByHand(filters)
      let changes = []
      store.addRowListener('employees', null, (_store, _table, id, changeOf) => {
        const before = {}
        const now = {}
        for (const name of columns) {
          const [, was, is] = changeOf('employees', id, name)
          if (was !== undefined) before[name] = was
          if (is !== undefined) now[name] = is
        }
        changes = watched.changes(found(before), found(now))
      })
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

/** Compares two lists of values from index `from`; the first value is a row id. */
function compare(a, b, order, from = 1) {
  for (let i = 0; i < order.length; i++) {
    const [left, right] = [a[i + from], b[i + from]]
    if (left !== right) return (left < right ? -1 : 1) * order[i][1]
  }
  return 0
}
