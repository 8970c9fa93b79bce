import { createRequire } from 'node:module'
import { pageSize } from '../../subjects/subject.js'
import { versionOf } from '../package-version.js'

const Datastore = createRequire(import.meta.url)('@seald-io/nedb')
const onlyIds = { ID: 1, _id: 0 }

/**
 * NeDB in memory, with an index per attribute; it copies every document that it returns. There are
 * no transactions, no set algebra and no text queries. A count and a page are two queries.
 * @type {import('../../subjects/subject.js').Subject}
 */
export default {
  name: 'nedb',
  version: versionOf('@seald-io/nedb'),
  isAsynchronous: true,
  async open({ companies, employees }) {
    const companyTable = new Datastore()
    await companyTable.ensureIndexAsync({ fieldName: 'ID', unique: true })
    await companyTable.ensureIndexAsync({ fieldName: 'city' })
    await companyTable.insertAsync(companies)
    const table = new Datastore()
    for (const fieldName of ['ID', 'email'])
      await table.ensureIndexAsync({ fieldName, unique: true })
    for (const fieldName of ['salary', 'lastName', 'companyID'])
      await table.ensureIndexAsync({ fieldName })
    await table.insertAsync(employees.map((row) => ({ ...row, stamp: 1 })))
    return operationsOn(companyTable, table)
  },
}

/** @returns {import('../../subjects/subject.js').SubjectStore} */
function operationsOn(companyTable, table) {
  const salaryIn = (low, high) => ({ salary: { $gte: low, $lte: high } })
  const prefixed = (prefix) => ({ lastName: { $gte: prefix, $lt: `${prefix}\uffff` } })
  const bornBefore = (before) => (before === null ? {} : { birthDate: { $lt: before } })
  const selected = async (filter) => ({
    count: await table.countAsync(filter),
    members: await table.findAsync(filter, onlyIds).limit(pageSize),
  })
  const counted = async (filter) => ({
    count: await table.countAsync(filter),
    entities: await table.findAsync(filter).limit(pageSize),
  })
  const firstOf = (rows) => ({ count: rows.length, entities: rows.slice(0, pageSize) })
  const ordered = (filter, skip, top) =>
    table.findAsync(filter).sort({ salary: -1, lastName: 1 }).skip(skip).limit(top)
  const insert = (values) => table.insertAsync({ ...values, stamp: 1 })

  return {
    get: (id) => table.findOneAsync({ ID: id }),
    selectByLastName: async (lastName) => {
      const members = await table.findAsync({ lastName }, onlyIds)
      return { count: members.length, members: members.slice(0, pageSize) }
    },
    entitiesByLastName: (lastName) => table.findAsync({ lastName }),
    selectBySalary: (low, high) => selected(salaryIn(low, high)),
    entitiesBySalary: (low, high) => counted(salaryIn(low, high)),
    selectByPrefix: (prefix) => selected(prefixed(prefix)),
    entitiesByPrefix: (prefix) => counted(prefixed(prefix)),
    memberIds: (members) => members.map(({ ID }) => ID),
    scan: async (before, firstName) =>
      firstOf(await table.findAsync({ firstName, active: true, birthDate: { $lt: before } })),
    compound: (lastName, salary, before) =>
      table.findAsync({
        lastName,
        salary: { $gt: salary },
        active: true,
        birthDate: { $lt: before },
      }),
    related: async (city, salary) => {
      const ids = (await companyTable.findAsync({ city }, onlyIds)).map(({ ID }) => ID)
      return firstOf(await table.findAsync({ companyID: { $in: ids }, salary: { $gt: salary } }))
    },
    pageOfAll: (skip, top) => ordered({}, skip, top),
    pageOfBornBefore: (before, skip, top) => ordered(bornBefore(before), skip, top),
    aggregate: async (before) => {
      const rows = await table.findAsync(bornBefore(before), { salary: 1, _id: 0 })
      const aggregate = { count: rows.length, sum: 0, average: 0, min: Infinity, max: -Infinity }
      for (const { salary } of rows) {
        aggregate.sum += salary
        if (salary < aggregate.min) aggregate.min = salary
        if (salary > aggregate.max) aggregate.max = salary
      }
      aggregate.average = aggregate.sum / aggregate.count
      return aggregate
    },
    distinctLastNames: async () => {
      const rows = await table.findAsync({}, { lastName: 1, _id: 0 })
      return [...new Set(rows.map(({ lastName }) => lastName))]
    },
    pageAsJson: async (firstId) =>
      JSON.stringify(
        await table.findAsync({ ID: { $gte: firstId, $lt: firstId + pageSize } }).sort({ ID: 1 }),
      ),
    update: async (id, stamp, salary) => {
      const changed = await table.updateAsync(
        { ID: id, stamp },
        { $set: { salary }, $inc: { stamp: 1 } },
        {},
      )
      return changed.numAffected === 1
    },
    insert,
    reinsert: async (values) => {
      await table.removeAsync({ ID: values.ID }, {})
      return insert(values)
    },
    count: () => table.countAsync({}),
  }
}
