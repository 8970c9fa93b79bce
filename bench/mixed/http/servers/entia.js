import { createDataStore } from '@entia/core'
import { createRestHandler, toNodeHandler } from '@entia/rest'
import { Company, Employee } from '../../../data-classes.js'
import { listen } from '../../../http/listen.js'
import { versionOf } from '../../../package-version.js'

const attributes = 'ID,firstName,lastName,email,salary,birthDate,active,companyID'
const encoded = (values) => encodeURIComponent(JSON.stringify(values))

/** A path of employees by a filter with its values. */
const filtered = (start, filter, values) =>
  `${start}$filter=${encodeURIComponent(`"${filter}"`)}&$params=${encoded(values)}`

const page = (filter, values, order, { skip, top }) =>
  get(
    `${filtered('/rest/Employee?', filter, values)}&$orderby=${encodeURIComponent(order)}&$skip=${skip}&$top=${top}` +
      `&$attributes=${attributes}`,
  )
const get = (path) => ({ method: 'GET', path })
const save = (values) => ({ method: 'POST', path: '/rest/Employee?$method=update', body: JSON.stringify(values) })
const compute = (filter, values) => get(`${filtered('/rest/Employee/salary?', filter, values)}&$compute=$all`)

const requests = {
  get: ({ id }) => get(`/rest/Employee(${id})?$attributes=${attributes}`),
  pageByName: (asked) => page('lastName = :1', [asked.lastName], 'firstName', asked),
  pageBornBefore: (asked) => page('birthDate < :1', [asked.before], 'salary desc, lastName', asked),
  pageByCity: (asked) => page('company.city = :1 and salary > :2', [asked.city, asked.salary], 'salary desc', asked),
  pageByPrefix: (asked) => page('lastName begin :1', [asked.prefix], 'lastName, firstName', asked),
  pageBySalary: (asked) => page('salary >= :1 and salary <= :2', [asked.low, asked.high], 'salary', asked),
  companyOf: ({ id }) => get(`/rest/Employee(${id})/company?$attributes=ID,name,city,revenue,sector`),
  staffOf: ({ companyId }) => get(`/rest/Company(${companyId})/employees?$top=1000&$attributes=${attributes}`),
  update: ({ id, patch }) => save({ __KEY: id, ...patch }),
  insert: ({ values }) => save(values),
  remove: ({ id }) => ({ method: 'POST', path: `/rest/Employee(${id})?$method=delete` }),
  aggregateOfCity: ({ city }) => compute('company.city = :1', [city]),
  aggregateBornBefore: ({ before }) => compute('birthDate < :1', [before]),
}

/** Our own handler on node:http, through its public interface. @type {import('./server.js').MixServer} */
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

/** A date without a time is written between exclamation marks. */
const withDate = (entity) => ({ ...entity, birthDate: entity.birthDate?.replaceAll('!', '') })
