// The store of the office. ReplicaState notes which transactions of replicas it has decided.
import { createDataStore } from '@entia/core'
import { ReplicaState } from '@entia/rest'
import { dataClasses } from './model.mjs'

/** Two visits of Ann and one of Bob. */
export function createOffice() {
  const office = createDataStore({ name: 'field', dataClasses: [...dataClasses, ReplicaState] })
  const mill = office.Customer.insert({ name: 'Mill' })
  const lock = office.Customer.insert({ name: 'Lock' })
  office.Visit.insert({ technician: 'ann', hour: 9, customer: mill })
  office.Visit.insert({ technician: 'ann', hour: 11, customer: lock })
  office.Visit.insert({ technician: 'bob', hour: 9, customer: lock })
  return office
}
