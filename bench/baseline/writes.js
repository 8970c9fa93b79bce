// Writes update the columns, the unique indexes and the salary index; see BaselineStore for the
// posting lists.

import { textToDay } from '../data.js'
import { append } from './baseline-store.js'

const absent = -1

/** Returns false for a stale stamp. */
export function update(store, id, stamp, salary) {
  const { columns, bySalary } = store
  const record = store.recordOfId[id]
  if (record < 0 || columns.stamps[record] !== stamp) return false
  bySalary.remove(columns.salaries[record], record)
  columns.salaries[record] = salary
  bySalary.insert(salary, record)
  columns.stamps[record] = stamp + 1
  return true
}

export function insert(store, values) {
  if (store.recordOfId[values.ID] >= 0) throw new Error(`The ID ${values.ID} is taken.`)
  const { columns } = store
  const record = store.freeRecords.length > 0 ? store.freeRecords.pop() : store.recordCount++
  store.addRecord(record, values, textToDay(values.birthDate))
  store.bySalary.insert(values.salary, record)
  append(store.arrivals.lastName, columns.lastNames[record], record)
  append(store.arrivals.company, values.companyID, record)
  return true
}

export function remove(store, id) {
  const { columns } = store
  const record = store.recordOfId[id]
  store.recordOfId[id] = absent
  store.recordOfEmail.delete(columns.emails[record])
  store.bySalary.remove(columns.salaries[record], record)
  store.freeRecords.push(record)
  return true
}

/** All or nothing: it checks every stamp first, so that a refused batch needs no rollback. */
export function updateAll(store, changes) {
  const { recordOfId, columns } = store
  for (let i = 0; i < changes.length; i++) {
    const { id, stamp } = changes[i]
    const record = recordOfId[id]
    if (record < 0 || columns.stamps[record] !== stamp) return false
  }
  for (let i = 0; i < changes.length; i++) {
    const { id, stamp, salary } = changes[i]
    update(store, id, stamp, salary)
  }
  return true
}
