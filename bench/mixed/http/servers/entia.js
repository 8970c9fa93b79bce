import { createDataStore } from '@entia/core'
import { createRestHandler, toNodeHandler } from '@entia/rest'
import { Company, Employee } from '../../../data-classes.js'
import { listen } from '../../../http/listen.js'
import { versionOf } from '../../../package-version.js'

const attributes = 'ID,firstName,lastName,email,salary,birthDate,active,companyID'
const encoded = (values) => encodeURIComponent(JSON.stringify(values))

/** The path of a filter of employees with its values. */
const filtered = (start, filter, values) =>
  `${start}$filter=${encodeURIComponent(`"${filter}"`)}&$params=${encoded(values)}`

const page = (filter, values, order, { skip, top }) =>
  get(
    `${filtered('/rest/Employee?', filter, values)}&$orderby=${encodeURIComponent(order)}&$skip=${skip}&$top=${top}` +
      `&$attributes=${attributes}`,
  )
const get = (path) => ({ method: 'GET', path })
const save = (values) => ({
  method: 'POST',
  path: '/rest/Employee?$method=update',
  body: JSON.stringify(values),
})
const compute = (filter, values) =>
  get(`${filtered('/rest/Employee/salary?', filter, values)}&$compute=$all`)

const requests = {
  get: ({ id }) => get(`/rest/Employee(${id})?$attributes=${attributes}`),
  pageByName: (operation) => page('lastName = :1', [operation.lastName], 'firstName', operation),
  pageBornBefore: (operation) =>
    page('birthDate < :1', [operation.before], 'salary desc, lastName', operation),
  pageByCity: (operation) =>
    page(
      'company.city = :1 and salary > :2',
      [operation.city, operation.salary],
      'salary desc',
      operation,
    ),
  pageByPrefix: (operation) =>
    page('lastName begin :1', [operation.prefix], 'lastName, firstName', operation),
  pageBySalary: (operation) =>
    page('salary >= :1 and salary <= :2', [operation.low, operation.high], 'salary', operation),
  companyOf: ({ id }) =>
    get(`/rest/Employee(${id})/company?$attributes=ID,name,city,revenue,sector`),
  staffOf: ({ companyId }) =>
    get(`/rest/Company(${companyId})/employees?$top=1000&$attributes=${attributes}`),
  update: ({ id, patch }) => save({ __KEY: id, ...patch }),
  insert: ({ values }) => save(values),
  remove: ({ id }) => ({ method: 'POST', path: `/rest/Employee(${id})?$method=delete` }),
  aggregateOfCity: ({ city }) => compute('company.city = :1', [city]),
  aggregateBornBefore: ({ before }) => compute('birthDate < :1', [before]),
}

/**
 * Entia's handler on node:http, through its public interface. @type
 * {import('./server.js').MixServer}
 */
export default {
  name: 'entia',
  version: versionOf('@entia/rest'),
  start(data) {
    const store = createDataStore({ name: 'mixed', dataClasses: [Company, Employee] })
    store.Company.load(data.companies)
    store.Employee.load(data.employees)
    return listen(toNodeHandler(createRestHandler(store)))
  },
  request: (operation) => requests[operation.kind](operation),
  read({ kind }, body) {
    if (kind.startsWith('aggregate')) return body.salary
    if (kind === 'companyOf') return body
    return body.__ENTITIES?.map(withDate) ?? withDate(body)
  },
  countPath: '/rest/Employee?$top=0',
  readCount: ({ __COUNT }) => __COUNT,
}

/** The protocol writes dates without a time between exclamation marks. */
const withDate = (entity) => ({ ...entity, birthDate: entity.birthDate?.replaceAll('!', '') })
