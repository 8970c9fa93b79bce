// Converts answers to text, to compare a subject with the reference; and reads answers, which is
// timed.

const employeeText = ({ ID, firstName, lastName, email, salary, birthDate, active, companyID }) =>
  `${ID} ${firstName} ${lastName} ${email} ${salary} ${birthDate} ${Number(active)} ${companyID}`
const companyText = ({ ID, name, city, revenue, sector }) =>
  `${ID} ${name} ${city} ${revenue} ${sector}`

export const describeEmployee = (employee) => (employee == null ? 'none' : employeeText(employee))
export const describeCompany = (company) => (company == null ? 'none' : companyText(company))
export const describeEmployees = (employees) => employees.map(employeeText).sort().join('\n')

/**
 * An ordered page. Rows that are equal in the order may come in any order. Rows equal to the first
 * or last row of a page may be replaced by others: of these only the sort values count.
 * @param {(row: object) => string} orderOf
 */
export function describePage(employees, { skip, top }, orderOf) {
  const orders = employees.map(orderOf)
  const isCut = (order) =>
    (skip > 0 && order === orders[0]) ||
    (employees.length === top && order === orders[orders.length - 1])
  const groups = []
  for (const [place, order] of orders.entries()) {
    if (place === 0 || order !== orders[place - 1]) groups.push([])
    groups.at(-1).push(isCut(order) ? order : employeeText(employees[place]))
  }
  return groups.map((group) => group.sort().join('\n')).join('\n')
}

export function describeAggregate({ count, sum, average, min, max }) {
  if (count === 0) return '0'
  return [count, sum, Math.round(average * 1000), min, max].map(Number).join(' ')
}

/** A checksum of the rows of a table. @param {readonly string[]} texts */
export function digest(texts) {
  let hash = 17
  for (const text of texts.sort()) {
    for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0
    hash = Math.imul(hash, 31) | 0
  }
  return `${texts.length} rows, ${hash >>> 0}`
}

export const digestEmployees = (employees) => digest(employees.map(employeeText))

/** Reads the eight stored attributes, so that lazy objects pay for deferred work. */
export function readEmployee(employee) {
  if (employee == null) return 0
  return (
    employee.ID +
    employee.salary +
    employee.companyID +
    (employee.active ? 1 : 0) +
    employee.firstName.length +
    employee.lastName.length +
    employee.email.length +
    employee.birthDate.length
  )
}

export function readEmployees(employees) {
  let sum = 0
  for (let i = 0; i < employees.length; i++) sum += readEmployee(employees[i])
  return sum
}
