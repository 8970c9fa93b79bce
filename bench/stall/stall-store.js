import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { randomNumbers } from '../data.js'
import { Company, employeeAttributes } from '../data-classes.js'

const Employee = defineDataClass('Employee', {
  ...employeeAttributes,
  /** Texts that hardly repeat, without an index. */
  street: attribute.string(),
  remark: attribute.string({ collation: 'exact' }),
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

/** Three times the entities of the benchmark's employees in width: every kind of attribute that a request can make expensive. */
export function openStallStore({ companies, employees }) {
  const store = createDataStore({ name: 'stall', dataClasses: [Company, Employee] })
  const random = randomNumbers(77)
  store.Company.load(companies)
  store.Employee.load(
    employees.map((row) => ({
      ...row,
      street: `${1 + Math.floor(random() * 999)} ${row.lastName} Street ${row.ID}`,
      remark: `${Math.floor(random() * 1e12).toString(36)} said ${row.firstName}`,
      details: { level: Math.floor(random() * 9), skills: ['a', 'b'], note: row.firstName },
      manager: row.ID === 1 ? null : 1 + Math.floor(random() * Math.min(row.ID - 1, 5000)),
    })),
  )
  return store
}
