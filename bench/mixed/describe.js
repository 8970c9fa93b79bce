// Answers as text, so that those of a subject can be compared with those of the reference; and their reading, which is timed.

const employeeText = ({ ID, firstName, lastName, email, salary, birthDate, active, companyID }) =>
  `${ID} ${firstName} ${lastName} ${email} ${salary} ${birthDate} ${Number(active)} ${companyID}`
const companyText = ({ ID, name, city, revenue, sector }) => `${ID} ${name} ${city} ${revenue} ${sector}`

export const describeEmployee = (employee) => (employee == null ? 'none' : employeeText(employee))
export const describeCompany = (company) => (company == null ? 'none' : companyText(company))
export const describeEmployees = (employees) => employees.map(employeeText).sort().join('\n')

/**
 * An ordered page. Rows that are equal in the order may stand in any order, and those that are equal to the first or the last row of a
 * page may as well be others: of these only the values of the order count.
 * @param {(row: object) => string} orderOf
 */
export function describePage(employees, { skip, top }, orderOf) {
  const orders = employees.map(orderOf)
  const isCut = (order) =>
    (skip > 0 && order === orders[0]) || (employees.length === top && order === orders[orders.length - 1])
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

/** The rows of a whole table as one number. @param {readonly string[]} texts */
export function digest(texts) {
  let hash = 17
  for (const text of texts.sort()) {
    for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0
    hash = Math.imul(hash, 31) | 0
  }
  return `${texts.length} rows, ${hash >>> 0}`
}

export const digestEmployees = (employees) => digest(employees.map(employeeText))

/** Reads the eight stored attributes, so that a lazy view pays for what it defers. */
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
