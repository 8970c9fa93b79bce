import { attribute, defineDataClass } from '@entia/core'

/** The companies of every Entia store that follows relations. */
export const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  city: attribute.string({ indexed: true }),
  revenue: attribute.number(),
  sector: attribute.string(),
  employees: attribute.relatedEntities('Employee', 'company'),
})

/** The stored attributes of an employee in every Entia store. */
export const employeeAttributes = {
  ID: attribute.long({ key: true }),
  firstName: attribute.string(),
  lastName: attribute.string({ indexed: true }),
  email: attribute.string({ unique: true, collation: 'exact' }),
  salary: attribute.number({ indexed: true }),
  birthDate: attribute.date({ dateOnly: true }),
  active: attribute.bool(),
}

/** Employees with a foreign key but without a relation. */
export const Employee = defineDataClass('Employee', {
  ...employeeAttributes,
  companyID: attribute.long(),
  company: attribute.relatedEntity('Company', { foreignKey: 'companyID' }),
})
