import Database from 'better-sqlite3'
import { sqliteOffice } from '../operations/sqlite-office.js'
import { sqliteRecords } from '../operations/sqlite-records.js'
import { versionOf } from '../package-version.js'
import { connectionTo } from '../subjects/better-sqlite3.js'

/** Opens an empty database in memory. */
export const openSqlite = () => connectionTo(new Database(':memory:'))

/**
 * SQLite in memory, through its fastest binding. @type
 * {import('../../mixed/mixes/mix.js').MixSubject}
 */
export default {
  name: 'better-sqlite3',
  version: versionOf('better-sqlite3'),
  office: (data) => sqliteOffice(openSqlite(), data),
  records: (data) => sqliteRecords(openSqlite(), data),
}
