import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { buildCatalog } from '../../src/model/build-catalog.ts'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  city: attribute.string(),
  owner: attribute.relatedEntity('Employee'),
  staff: attribute.relatedEntities('Employee', 'employer'),
})

const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true }),
  firstName: attribute.string(),
  lastName: attribute.string(),
  email: attribute.string({ collation: 'exact' }),
  badge: attribute.uuid(),
  age: attribute.long(),
  salary: attribute.number(),
  active: attribute.bool(),
  hired: attribute.date({ dateOnly: true }),
  seen: attribute.date(),
  shift: attribute.duration(),
  notes: attribute.object(),
  photo: attribute.image(),
  employer: attribute.relatedEntity('Company', { foreignKey: 'employerID' }),
  employerID: attribute.long(),
  country: attribute.relatedEntity('Country', { foreignKey: 'countryCode' }),
  countryCode: attribute.string(),
  boss: attribute.relatedEntity('Employee'),
  team: attribute.relatedEntities('Employee', 'boss'),
  employerName: attribute.alias('employer.name'),
  fullName: attribute.computed('string', {
    get: (e: { firstName: string | null }) => e.firstName ?? '',
  }),
})

const Country = defineDataClass('Country', {
  code: attribute.string({ key: true }),
  name: attribute.string(),
})

/**
 * Employees, their companies and countries: every type, both kinds of relations, an alias, a
 * computed attribute.
 */
export const catalog = buildCatalog({ name: 'staff', dataClasses: [Company, Employee, Country] })
export const employee = catalog.byName.get('Employee')!
export const company = catalog.byName.get('Company')!
