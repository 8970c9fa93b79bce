import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler, toNodeHandler } from '@entia/rest'
import { employeeAttributes } from '../../data-classes.js'
import { versionOf } from '../../package-version.js'
import { listen } from '../listen.js'

const Employee = defineDataClass('Employee', {
  ...employeeAttributes,
  companyID: attribute.long({ indexed: true }),
})

const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true, autoSequence: true }),
  title: attribute.string(),
  author: attribute.string(),
  pinned: attribute.bool(),
  rank: attribute.long(),
  text: attribute.string(),
})

/**
 * Entia's handler on node:http, through its public interface. @type
 * {import('./server.js').BenchServer}
 */
export default {
  name: 'entia',
  version: versionOf('@entia/rest'),
  start(data) {
    const store = createDataStore({ name: 'bench', dataClasses: [Employee, Note] })
    store.Employee.load(data.employees)
    return listen(toNodeHandler(createRestHandler(store)))
  },
  onePath: (id) => `/rest/Employee(${id})`,
  pagePath: (low, high) => {
    const filter = encodeURIComponent(`"salary >= ${low} and salary <= ${high}"`)
    return `/rest/Employee?$filter=${filter}&$top=100`
  },
  post: (values) => ({ path: '/rest/Note?$method=update', body: JSON.stringify(values) }),
  readOne: (body) => body,
  readPage: ({ __COUNT, __ENTITIES }) => ({ count: __COUNT, entities: __ENTITIES }),
  readNote: (body) => body,
}
