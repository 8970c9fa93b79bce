import { createRequire } from 'node:module'
import { WatchedByHand } from '../../mixed/watched-by-hand.js'
import { aggregateOf } from '../operations/aggregate.js'
import { versionOf } from '../package-version.js'

const Datastore = createRequire(import.meta.url)('@seald-io/nedb')

const withoutId = { _id: 0 }

/**
 * NeDB in memory, with an index per queried attribute; it copies every document that it returns.
 */
/** @type {import('../../mixed/mixes/mix.js').MixSubject} */
export default {
  name: 'nedb',
  version: versionOf('@seald-io/nedb'),
  isAsynchronous: true,
  async office({ companies, employees }) {
    const companyTable = new Datastore()
    await companyTable.ensureIndexAsync({ fieldName: 'ID', unique: true })
    await companyTable.ensureIndexAsync({ fieldName: 'city' })
    await companyTable.insertAsync(companies)
    const table = new Datastore()
    for (const fieldName of ['ID', 'email'])
      await table.ensureIndexAsync({ fieldName, unique: true })
    for (const fieldName of ['salary', 'lastName', 'companyID'])
      await table.ensureIndexAsync({ fieldName })
    await table.insertAsync(employees)
    return {
      ...readsOf(table, companyTable),
      ...writesOf(table),
      ...heldIn(table),
      ...watchedIn(table),
    }
  },
  async records({ records }) {
    const table = new Datastore()
    await table.ensureIndexAsync({ fieldName: 'key', unique: true })
    await table.insertAsync(records)
    const read = ({ key }) => table.findOneAsync({ key }, withoutId)
    const update = ({ key, field, value }) =>
      table.updateAsync({ key }, { $set: { [field]: value } }, {})
    return {
      read,
      update,
      insert: ({ record }) => table.insertAsync(record),
      scan: ({ key, length }) =>
        table
          .findAsync({ key: { $gte: key } }, withoutId)
          .sort({ key: 1 })
          .limit(length),
      modify: async ({ key, field, suffix }) => {
        const found = await read({ key })
        await update({ key, field, value: found[field].slice(suffix.length) + suffix })
        return found
      },
      all: () => table.findAsync({}),
    }
  },
}

function readsOf(table, companies) {
  const page = (filter, order, { skip, top }) =>
    table.findAsync(filter, withoutId).sort(order).skip(skip).limit(top)
  const inCity = async (city) => ({
    companyID: { $in: (await companies.findAsync({ city })).map(({ ID }) => ID) },
  })
  const salariesWhere = async (filter) =>
    aggregateOf((await table.findAsync(filter, { salary: 1 })).map(({ salary }) => salary))
  const get = ({ id }) => table.findOneAsync({ ID: id }, withoutId)
  return {
    get,
    pageByName: (operation) => page({ lastName: operation.lastName }, { firstName: 1 }, operation),
    pageBornBefore: (operation) =>
      page({ birthDate: { $lt: operation.before } }, { salary: -1, lastName: 1 }, operation),
    pageByCity: async (operation) =>
      page(
        { ...(await inCity(operation.city)), salary: { $gt: operation.salary } },
        { salary: -1 },
        operation,
      ),
    pageByPrefix: (operation) =>
      page(
        { lastName: { $gte: operation.prefix, $lt: `${operation.prefix}\uffff` } },
        { lastName: 1, firstName: 1 },
        operation,
      ),
    pageBySalary: (operation) =>
      page({ salary: { $gte: operation.low, $lte: operation.high } }, { salary: 1 }, operation),
    companyOf: async ({ id }) =>
      companies.findOneAsync({ ID: (await get({ id })).companyID }, withoutId),
    staffOf: ({ companyId }) => table.findAsync({ companyID: companyId }, withoutId),
    aggregateOfCity: async ({ city }) => salariesWhere(await inCity(city)),
    aggregateBornBefore: ({ before }) => salariesWhere({ birthDate: { $lt: before } }),
    all: () => table.findAsync({}),
  }
}

function writesOf(table) {
  return {
    update: ({ id, patch }) => table.updateAsync({ ID: id }, { $set: patch }, {}),
    insert: ({ values }) => table.insertAsync(values),
    remove: ({ id }) => table.removeAsync({ ID: id }, {}),
  }
}

/** The members are an array of keys. */
function heldIn(table) {
  let held = []
  return {
    hold: async ({ low, high, isOrdered }) => {
      const found = table.findAsync({ salary: { $gte: low, $lte: high } }, { ID: 1 })
      held = (await (isOrdered ? found.sort({ email: 1 }) : found)).map(({ ID }) => ID)
      return held.length
    },
    pageOfHeld: async ({ skip, top }) => {
      const ids = held.slice(skip, skip + top)
      const found = await table.findAsync({ ID: { $in: ids } }, withoutId)
      const byId = new Map(found.map((row) => [row.ID, row]))
      return ids.flatMap((id) => byId.get(id) ?? [])
    },
  }
}

function watchedIn(table) {
  return {
    watch(filters) {
      const watched = new WatchedByHand(filters)
      const { update, insert, remove } = this
      const rowOf = (ID) => table.findOneAsync({ ID }, withoutId)
      this.update = async (operation) => {
        const before = await rowOf(operation.id)
        await update(operation)
        return watched.changes(before, { ...before, ...operation.patch })
      }
      this.insert = async (operation) => {
        await insert(operation)
        return watched.changes(undefined, operation.values)
      }
      this.remove = async (operation) => {
        const before = await rowOf(operation.id)
        await remove(operation)
        return watched.changes(before, undefined)
      }
    },
  }
}
