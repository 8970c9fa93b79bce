import { attribute, createDataStore, defineDataClass } from '@entia/core'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true, indexed: true }),
  city: attribute.string({ indexed: true }),
  employees: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  lastName: attribute.string({ notNull: true, indexed: true }),
  salary: attribute.number({ indexed: true, min: 0 }),
  employer: attribute.relatedEntity('Company'),
})
const store = createDataStore({ name: 'hr', dataClasses: [Company, Employee] })

const engines = store.Company.insert({ name: 'Analytical Engines', city: 'Zürich' })
store.Employee.load([
  { lastName: 'Byron', salary: 61_000, employer: engines.ID },
  { lastName: 'Babbage', salary: 48_000, employer: engines.ID },
])

const wellPaid = store.Employee.query('salary > :1 and employer.city === :2', [50_000, 'zurich'])
console.log(wellPaid.count, wellPaid.select('lastName, employer.name'))
console.log(String(wellPaid.explain()))
