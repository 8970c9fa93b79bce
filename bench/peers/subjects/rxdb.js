import { createRxDatabase } from 'rxdb'
import { getRxStorageMemory } from 'rxdb/plugins/storage-memory'
import { pageSize } from '../../subjects/subject.js'
import { versionOf } from '../package-version.js'

const numberOf = (maximum) => ({ type: 'integer', minimum: 0, maximum, multipleOf: 1 })
const text = (maxLength) => ({ type: 'string', maxLength })

const companySchema = {
  version: 0,
  primaryKey: 'key',
  type: 'object',
  properties: {
    key: text(10),
    ID: numberOf(10_000_000),
    name: text(40),
    city: text(40),
    revenue: numberOf(1_000_000_000),
    sector: text(20),
  },
  required: ['key', 'ID', 'city'],
  indexes: ['city'],
}
const employeeSchema = {
  version: 0,
  primaryKey: 'key',
  type: 'object',
  properties: {
    key: text(10),
    ID: numberOf(10_000_000),
    firstName: text(40),
    lastName: text(40),
    email: text(100),
    salary: numberOf(1_000_000),
    birthDate: text(10),
    active: { type: 'boolean' },
    companyID: numberOf(1_000_000),
    stamp: numberOf(1_000_000),
  },
  required: ['key', 'ID', 'lastName', 'email', 'salary', 'companyID'],
  indexes: ['email', 'salary', 'lastName', 'companyID'],
}
const documentOf = (row) => ({ key: String(row.ID), ...row, stamp: 1 })
let databases = 0

/**
 * RxDB with its memory storage. Keys are texts; the schema declares the indexes, which cannot be
 * unique. Documents are immutable and returned without a copy. A revision check guards saves; there
 * are no transactions.
 * @type {import('../../subjects/subject.js').Subject}
 */
export default {
  name: 'rxdb',
  version: versionOf('rxdb'),
  isAsynchronous: true,
  async open({ companies, employees }) {
    const database = await createRxDatabase({
      name: `bench${++databases}`,
      storage: getRxStorageMemory(),
      multiInstance: false,
      eventReduce: false,
    })
    const collections = await database.addCollections({
      companies: { schema: companySchema },
      employees: { schema: employeeSchema },
    })
    await collections.companies.bulkInsert(
      companies.map((row) => ({ key: String(row.ID), ...row })),
    )
    await collections.employees.bulkInsert(employees.map(documentOf))
    // RxDB builds each index at its first use.
    for (const name of ['email', 'salary', 'lastName', 'companyID']) {
      const value = employees[0][name]
      await collections.employees.count({ selector: { [name]: value }, index: [name] }).exec()
    }
    return operationsOn(database, collections)
  },
}

/** @returns {import('../../subjects/subject.js').SubjectStore} */
function operationsOn(database, { companies, employees }) {
  // RxDB caches the results of repeated queries until a write. A changing number without meaning
  // makes each query distinct, so that the query itself is measured.
  let queryNumber = 0
  const find = (selector, options = {}) =>
    employees.find({ selector, ...options, queryNumber: ++queryNumber }).exec()
  const get = (id) => employees.findOne(String(id)).exec()
  const salaryIn = (low, high) => ({ salary: { $gte: low, $lte: high } })
  const prefixed = (prefix) => ({ lastName: { $gte: prefix, $lt: `${prefix}\uffff` } })
  const counted = async (selector, index) => ({
    count: await employees.count({ selector, index, queryNumber: ++queryNumber }).exec(),
    entities: await find(selector, { index, limit: pageSize }),
  })
  const selected = async (selector, index) => {
    const { count, entities } = await counted(selector, index)
    return { count, members: entities }
  }
  const firstOf = (rows) => ({ count: rows.length, entities: rows.slice(0, pageSize) })
  const ordered = (selector, skip, top) =>
    find(selector, { sort: [{ salary: 'desc' }, { lastName: 'asc' }], skip, limit: top })
  const insert = (values) => employees.insert(documentOf(values))

  return {
    get,
    selectByLastName: async (lastName) => {
      const found = await find({ lastName }, { index: ['lastName'] })
      return { count: found.length, members: found.slice(0, pageSize) }
    },
    entitiesByLastName: (lastName) => find({ lastName }, { index: ['lastName'] }),
    selectBySalary: (low, high) => selected(salaryIn(low, high), ['salary']),
    entitiesBySalary: (low, high) => counted(salaryIn(low, high), ['salary']),
    selectByPrefix: (prefix) => selected(prefixed(prefix), ['lastName']),
    entitiesByPrefix: (prefix) => counted(prefixed(prefix), ['lastName']),
    memberIds: (members) => members.map(({ ID }) => ID),
    scan: async (before, firstName) =>
      firstOf(await find({ firstName, active: true, birthDate: { $lt: before } })),
    compound: (lastName, salary, before) =>
      find(
        { lastName, salary: { $gt: salary }, active: true, birthDate: { $lt: before } },
        { index: ['lastName'] },
      ),
    related: async (city, salary) => {
      const found = await companies
        .find({ selector: { city }, index: ['city'], queryNumber: ++queryNumber })
        .exec()
      const ids = found.map(({ ID }) => ID)
      return firstOf(
        await find({ companyID: { $in: ids }, salary: { $gt: salary } }, { index: ['companyID'] }),
      )
    },
    pageOfAll: (skip, top) => ordered({}, skip, top),
    pageOfBornBefore: (before, skip, top) => ordered({ birthDate: { $lt: before } }, skip, top),
    pageAsJson: async (firstId) => {
      const keys = Array.from({ length: pageSize }, (_, index) => String(firstId + index))
      const found = await employees.findByIds(keys).exec()
      return JSON.stringify(keys.map((key) => found.get(key).toJSON()))
    },
    update: async (id, stamp, salary) => {
      const found = await get(id)
      if (found.stamp !== stamp) return false
      await found.patch({ salary, stamp: stamp + 1 })
      return true
    },
    insert,
    reinsert: async (values) => {
      await (await get(values.ID)).remove()
      return insert(values)
    },
    count: () => employees.count().exec(),
    close: () => database.remove(),
  }
}
