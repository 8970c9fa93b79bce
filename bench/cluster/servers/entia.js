import { createDataStore } from '@entia/core'
import { createRestHandler, toNodeHandler } from '@entia/rest'
import { copyStore, migrateDatabase, openSqlStore } from '@entia/sql'
import { pgPool } from '@entia/sql/pg'
import { Company, Employee } from '../../data-classes.js'
import { listen } from '../../http/listen.js'
import office from '../../mixed/http/servers/entia.js'
import { Item } from '../../mixed/subjects/entia-records.js'
import { versionOf } from '../../package-version.js'

const dataClasses = { office: [Company, Employee], records: [Item] }

const get = (path) => ({ method: 'GET', path })
const save = (values) => ({
  method: 'POST',
  path: '/rest/Item?$method=update',
  body: JSON.stringify(values),
})
const ofRecords = {
  read: ({ key }) => get(`/rest/Item(${key})`),
  update: ({ key, field, value }) => save({ __KEY: key, [field]: value }),
  insert: ({ record }) => save(record),
  scan: ({ key, length }) =>
    get(
      `/rest/Item?$filter=${encodeURIComponent('"key >= :1"')}` +
        `&$params=${encodeURIComponent(JSON.stringify([key]))}&$orderby=key&$top=${length}`,
    ),
}

/**
 * Entia's handler on node:http over `openSqlStore`.
 * @type {import('./server.js').ClusterServer}
 */
export default {
  name: 'entia',
  version: versionOf('@entia/sql'),
  async load(place, data) {
    const options = storeOptions(place)
    const memory = createDataStore({ name: 'bench', dataClasses: options.dataClasses })
    if (place.family === 'records') memory.Item.load(data.records)
    else {
      memory.Company.load(data.companies)
      memory.Employee.load(data.employees)
    }
    await migrateDatabase(options)
    await copyStore(memory, options)
    memory.close()
    await options.database.close()
  },
  async start(place) {
    const store = await openSqlStore(storeOptions(place))
    return listen(toNodeHandler(createRestHandler(store)))
  },
  request: (operation) =>
    'key' in operation || 'record' in operation
      ? ofRecords[operation.kind](operation)
      : office.request(operation),
  read(operation, body) {
    if (operation.kind === 'read') return body
    if (operation.kind === 'scan') return body.__ENTITIES
    return office.read(operation, body)
  },
}

const storeOptions = ({ database, schema, family, applicationName, connections }) => ({
  name: 'bench',
  dataClasses: dataClasses[family],
  database: pgPool({
    connectionString: database,
    max: connections,
    applicationName,
    idleMilliseconds: 2000,
  }),
  schema,
})
