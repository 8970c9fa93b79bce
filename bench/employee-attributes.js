import { attribute } from '@entia/core'

/** The stored attributes of an employee, as every measurement of our own store has them. */
export const employeeAttributes = {
  ID: attribute.long({ key: true }),
  firstName: attribute.string(),
  lastName: attribute.string({ indexed: true }),
  email: attribute.string({ unique: true, collation: 'exact' }),
  salary: attribute.number({ indexed: true }),
  birthDate: attribute.date({ dateOnly: true }),
  active: attribute.bool(),
}
