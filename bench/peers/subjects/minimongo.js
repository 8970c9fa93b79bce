import { createRequire } from 'node:module'
import { pageSize } from '../../subjects/subject.js'
import {
  bornBefore,
  byLastName,
  byPrefix,
  bySalary,
  compound,
  related,
  scanned,
} from '../operations/mongo-filters.js'
import { versionOf } from '../package-version.js'

const { MemoryDb } = createRequire(import.meta.url)('minimongo')

/**
 * minimongo in memory. It looks up keys and scans for everything else. Documents are frozen and
 * returned without a copy, which is its faster mode; an upsert replaces the document. Every answer
 * waits for the event loop, about a millisecond. There are no indexes, no counts and no
 * transactions.
 * @type {import('../../subjects/subject.js').Subject}
 */
export default {
  name: 'minimongo',
  version: versionOf('minimongo'),
  isAsynchronous: true,
  isIndexed: false,
  async open({ companies, employees }) {
    const database = new MemoryDb({ safety: 'freeze' })
    database.addCollection('companies')
    database.addCollection('employees')
    const documentOf = (row) => ({ _id: String(row.ID), ...row, stamp: 1 })
    await database.companies.upsert(companies.map(documentOf))
    await database.employees.upsert(employees.map(documentOf))
    return operationsOn(database, documentOf)
  },
}

/** @returns {import('../../subjects/subject.js').SubjectStore} */
function operationsOn({ companies, employees }, documentOf) {
  const find = (filter, options = {}) => employees.find(filter, options).fetch()
  const get = (id) => employees.findOne({ _id: String(id) })
  const selected = async (filter) => {
    const found = await find(filter)
    return { count: found.length, members: found.slice(0, pageSize) }
  }
  const counted = async (filter) => {
    const { count, members } = await selected(filter)
    return { count, entities: members }
  }
  const order = [
    ['salary', 'desc'],
    ['lastName', 'asc'],
  ]
  const ordered = (filter, skip, top) => find(filter, { sort: order, skip, limit: top })
  const insert = (values) => employees.upsert(documentOf(values))

  return {
    get,
    selectByLastName: (name) => selected(byLastName(name)),
    entitiesByLastName: (name) => find(byLastName(name)),
    selectBySalary: (low, high) => selected(bySalary(low, high)),
    entitiesBySalary: (low, high) => counted(bySalary(low, high)),
    selectByPrefix: (prefix) => selected(byPrefix(prefix)),
    entitiesByPrefix: (prefix) => counted(byPrefix(prefix)),
    memberIds: (members) => members.map(({ ID }) => ID),
    scan: (before, firstName) => counted(scanned(before, firstName)),
    compound: (lastName, salary, before) => find(compound(lastName, salary, before)),
    related: async (city, salary) => {
      const found = await companies.find({ city }).fetch()
      return counted(
        related(
          found.map(({ ID }) => ID),
          salary,
        ),
      )
    },
    pageOfAll: (skip, top) => ordered({}, skip, top),
    pageOfBornBefore: (before, skip, top) => ordered(bornBefore(before), skip, top),
    pageAsJson: async (firstId) =>
      JSON.stringify(
        await find({ ID: { $gte: firstId, $lt: firstId + pageSize } }, { sort: ['ID'] }),
      ),
    update: async (id, stamp, salary) => {
      const found = await get(id)
      if (found.stamp !== stamp) return false
      await employees.upsert({ ...found, salary, stamp: stamp + 1 })
      return true
    },
    insert,
    reinsert: async (values) => {
      await employees.remove(String(values.ID))
      return insert(values)
    },
    count: async () => (await find({})).length,
  }
}
