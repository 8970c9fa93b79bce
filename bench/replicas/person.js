import { attribute, defineDataClass } from '@entia/core'

/** The dataclass of Entia's server and replica. */
export const Person = defineDataClass('Person', {
  ID: attribute.string({ key: true }),
  firstName: attribute.string(),
  lastName: attribute.string(),
  email: attribute.string(),
  city: attribute.string({ indexed: true }),
  company: attribute.string(),
  salary: attribute.number({ indexed: true }),
  born: attribute.string(),
  active: attribute.bool(),
  notes: attribute.string(),
})
