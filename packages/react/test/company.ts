import { attribute, createDataStore, defineDataClass } from '@entia/core'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string(),
  staff: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  lastName: attribute.string({ indexed: true }),
  salary: attribute.number({ indexed: true }),
  employer: attribute.relatedEntity('Company'),
})
/** `key` and `stamp` are attributes here. */
const Seal = defineDataClass('Seal', {
  code: attribute.string({ key: true }),
  key: attribute.string(),
  stamp: attribute.string(),
  picture: attribute.image(),
  parts: attribute.relatedEntities('Part', 'seal'),
  about: attribute.object(),
})
const Part = defineDataClass('Part', {
  ID: attribute.long({ key: true }),
  seal: attribute.relatedEntity('Seal'),
  content: attribute.blob(),
})

/** Two companies, and employees Ng (70 000), Ada (40 000) and Zola (90 000). */
export function createCompany() {
  const store = createDataStore({ name: 'hr', dataClasses: [Company, Employee, Seal, Part] })
  store.Company.load([{ name: 'Acme' }, { name: 'Globex' }])
  store.Employee.load([
    { lastName: 'Ng', salary: 70_000, employer: 1 },
    { lastName: 'Ada', salary: 40_000, employer: 1 },
    { lastName: 'Zola', salary: 90_000, employer: 2 },
  ])
  store.Seal.load([
    { code: 'a', key: 'k', stamp: 's' },
    { code: 'a@', key: 'l', stamp: 's' },
  ])
  return store
}
export type CompanyStore = ReturnType<typeof createCompany>
