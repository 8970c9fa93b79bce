import { createRequire } from 'node:module'
import { WatchedByHand } from '../../mixed/watched-by-hand.js'
import { aggregateOf } from '../operations/aggregate.js'
import { keyValueRecords } from '../operations/key-value-records.js'
import { versionOf } from '../package-version.js'

const Loki = createRequire(import.meta.url)('lokijs')
const cloning = { clone: true, cloneMethod: 'shallow-assign', disableMeta: true }

/**
 * LokiJS with unique and binary indexes; it clones results with its cheapest method. A compound
 * sort uses no index.
 * @type {import('../../mixed/mixes/mix.js').MixSubject}
 */
export default {
  name: 'lokijs-clone',
  version: `${versionOf('lokijs')}, clone: true`,
  office({ companies, employees }) {
    const database = new Loki('mixed', { autosave: false })
    const companyTable = database.addCollection('companies', {
      unique: ['ID'],
      indices: ['city'],
      ...cloning,
    })
    companyTable.insert(companies.map((row) => ({ ...row })))
    const table = database.addCollection('employees', {
      unique: ['ID', 'email'],
      indices: ['salary', 'lastName', 'companyID'],
      ...cloning,
    })
    table.insert(employees.map((row) => ({ ...row })))
    return {
      ...readsOf(table, companyTable),
      ...writesOf(table),
      ...heldIn(table),
      ...reloadOf(table),
      ...watchedIn(table),
      all: () => table.chain().data(),
    }
  },
  records: recordsIn,
}

/** A scan is an open range of the binary index of the key: LokiJS has no limit for it. */
function recordsIn({ records }) {
  const table = new Loki('ycsb', { autosave: false }).addCollection('items', {
    unique: ['key'],
    indices: ['key'],
    ...cloning,
  })
  table.insert(records.map((record) => ({ ...record })))
  return keyValueRecords({
    get: (key) => table.by('key', key),
    patch: (key, patch) => table.update(Object.assign(table.by('key', key), patch)),
    insert: (record) => table.insert({ ...record }),
    scan: (key, length) =>
      table
        .chain()
        .find({ key: { $gte: key } })
        .limit(length)
        .data(),
    all: () => table.chain().data(),
  })
}

function readsOf(table, companies) {
  const ordered = (chain, order, skip, top) =>
    chain.compoundsort(order).offset(skip).limit(top).data()
  const inCity = (city) => ({ companyID: { $in: companies.find({ city }).map(({ ID }) => ID) } })
  return {
    get: ({ id }) => table.by('ID', id),
    pageByName: ({ lastName, skip, top }) =>
      ordered(table.chain().find({ lastName }), ['firstName'], skip, top),
    pageBornBefore: ({ before, skip, top }) =>
      ordered(
        table.chain().find({ birthDate: { $lt: before } }),
        [['salary', true], 'lastName'],
        skip,
        top,
      ),
    pageByCity: ({ city, salary, skip, top }) =>
      ordered(
        table
          .chain()
          .find(inCity(city))
          .find({ salary: { $gt: salary } }),
        [['salary', true]],
        skip,
        top,
      ),
    pageByPrefix: ({ prefix, skip, top }) =>
      ordered(
        table.chain().find({ lastName: { $between: [prefix, `${prefix}\uffff`] } }),
        ['lastName', 'firstName'],
        skip,
        top,
      ),
    // The result of the index range is already sorted.
    pageBySalary: ({ low, high, skip, top }) =>
      table
        .chain()
        .find({ salary: { $between: [low, high] } })
        .offset(skip)
        .limit(top)
        .data(),
    companyOf: ({ id }) => companies.by('ID', table.by('ID', id).companyID),
    staffOf: ({ companyId }) => table.chain().find({ companyID: companyId }).data(),
    aggregateOfCity: ({ city }) => aggregate(table.chain().find(inCity(city))),
    aggregateBornBefore: ({ before }) =>
      aggregate(table.chain().find({ birthDate: { $lt: before } })),
  }
}

function writesOf(table) {
  return {
    update: ({ id, patch }) => table.update(Object.assign(table.by('ID', id), patch)),
    insert: ({ values }) => table.insert({ ...values }),
    remove: ({ id }) => table.remove(table.by('ID', id)),
  }
}

/** The members are an array of keys. */
function heldIn(table) {
  let held = []
  return {
    hold: ({ low, high, isOrdered }) => {
      const found = table.chain().find({ salary: { $between: [low, high] } })
      held = (isOrdered ? found.simplesort('email') : found).filteredrows.map(
        (position) => table.data[position].ID,
      )
      return held.length
    },
    pageOfHeld: ({ skip, top }) =>
      held.slice(skip, skip + top).flatMap((id) => table.by('ID', id) ?? []),
  }
}

/** Inserts the rows again: its transactions would clone the whole collection. */
function reloadOf(table) {
  let filled = []
  return {
    mark: () => {
      filled = table.chain().data({ removeMeta: true })
    },
    restore: () => {
      table.clear({ removeIndices: false })
      table.insert(filled)
    },
  }
}

function watchedIn(table) {
  return {
    watch(filters) {
      const watched = new WatchedByHand(filters)
      this.update = ({ id, patch }) => {
        const before = table.by('ID', id)
        const now = { ...before, ...patch }
        table.update(now)
        return watched.changes(before, now)
      }
      this.insert = ({ values }) => watched.changes(undefined, table.insert({ ...values }))
      this.remove = ({ id }) => {
        const before = table.by('ID', id)
        table.remove(before)
        return watched.changes(before, undefined)
      }
    },
  }
}

function aggregate(chain) {
  return chain.mapReduce(({ salary }) => salary, aggregateOf)
}
