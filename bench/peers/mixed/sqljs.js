import { createRequire } from 'node:module'
import { sqliteOffice } from '../operations/sqlite-office.js'
import { sqliteRecords } from '../operations/sqlite-records.js'
import { versionOf } from '../package-version.js'
import { connectionTo } from '../subjects/sqljs.js'

const initSqlJs = createRequire(import.meta.url)('sql.js')

async function open() {
  const { Database } = await initSqlJs()
  return connectionTo(new Database())
}

/** SQLite compiled to WebAssembly. @type {import('../../mixed/mixes/mix.js').MixSubject} */
export default {
  name: 'sqljs',
  version: versionOf('sql.js'),
  office: async (data) => sqliteOffice(await open(), data),
  records: async (data) => sqliteRecords(await open(), data),
}
