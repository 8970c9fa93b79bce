import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { randomNumbers } from '../data.js'
import { Company, employeeAttributes } from '../data-classes.js'

const Employee = defineDataClass('Employee', {
  ...employeeAttributes,
  /** Texts that hardly repeat, without an index. */
  street: attribute.string(),
  remark: attribute.string({ collation: 'exact' }),
  /** 2 000 words of 3 000 characters. */
  story: attribute.string(),
  /** Texts that do not repeat, some of them with 3 000 characters. */
  note: attribute.string(),
  /** The maximum number of words of a dictionary column, each in two spellings. */
  town: attribute.string(),
  details: attribute.object(),
  companyID: attribute.long(),
  company: attribute.relatedEntity('Company', { foreignKey: 'companyID' }),
  manager: attribute.relatedEntity('Employee', { onDelete: 'null' }),
  reports: attribute.relatedEntities('Employee', 'manager'),
  companyCity: attribute.alias('company.city'),
  monthly: attribute.computed('number', {
    get: (employee) => (employee.salary === null ? null : employee.salary / 12),
  }),
})

/**
 * Three times as wide as the employees of the benchmark: every kind of attribute that can make a
 * request expensive.
 */
export function openStallStore({ companies, employees }) {
  const store = createDataStore({ name: 'stall', dataClasses: [Company, Employee] })
  const random = randomNumbers(77)
  const stories = Array.from({ length: 2000 }, () => longText(random))
  store.Company.load(companies)
  store.Employee.load(
    employees.map((row) => ({
      ...row,
      street: `${1 + Math.floor(random() * 999)} ${row.lastName} Street ${row.ID}`,
      remark: `${Math.floor(random() * 1e12).toString(36)} said ${row.firstName}`,
      story: stories[row.ID % stories.length],
      note: row.ID < 3000 ? longText(random) : `Note ${row.ID}`,
      town: `${row.ID % 40_000 < 20_000 ? 'Town' : 'town'} ${((row.ID % 20_000) * 7919) % 20_000}`,
      details: { level: Math.floor(random() * 9), skills: ['a', 'b'], note: row.firstName },
      manager: row.ID === 1 ? null : 1 + Math.floor(random() * Math.min(row.ID - 1, 5000)),
    })),
  )
  return store
}

const longText = (random) =>
  Array.from({ length: 3000 }, () => (random() < 0.5 ? 'a' : 'b')).join('')
