import { attribute, createDataStore, defineDataClass } from '@entia/core'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true }),
  employees: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  lastName: attribute.string({ notNull: true, indexed: true }),
  salary: attribute.number({ min: 0 }),
  employer: attribute.relatedEntity('Company'),
})

/** One company with two people. */
export function createStore() {
  const store = createDataStore({ name: 'hr', dataClasses: [Company, Employee] })
  const engines = store.Company.insert({ name: 'Analytical Engines' })
  store.Employee.insert({ lastName: 'Byron', salary: 61_000, employer: engines.ID })
  store.Employee.insert({ lastName: 'Babbage', salary: 48_000, employer: engines.ID })
  return store
}
