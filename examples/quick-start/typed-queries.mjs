import { attribute, createDataStore, defineDataClass, where } from '@entia/core'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
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

const zurich = store.Company.insert({ city: 'Zürich' })
store.Employee.load([
  { lastName: 'Byron', salary: 61_000, employer: zurich.ID },
  { lastName: 'Babbage', salary: 48_000, employer: zurich.ID },
  { lastName: 'Hopper', salary: 70_000 },
])

// An editor completes paths and operators. A misspelled name or a value of another type does not
// compile; an editor also checks a JavaScript file that begins with `// @ts-check`.
const inZurich = store.Employee.query((e) => e('employer.city', '=', 'zurich'))
console.log(inZurich.select('lastName'))

// Conditions are values: keep them, combine them, print them.
const e = where(store.Employee)
const paid = e('salary', '>=', 50_000)
const free = e('employer', '=', null)
console.log(String(paid.and(free.not())))
console.log(store.Employee.query(paid.and(free.not())).orderBy('salary desc').select('lastName'))
