import Database from 'better-sqlite3'
import {
  companyValues,
  employeeValues,
  indexes,
  insertCompany,
  insertEmployee,
  sqliteOperations,
  tables,
} from '../operations/sqlite.js'
import { versionOf } from '../package-version.js'

/** SQLite in memory, through its fastest binding. @type {import('../../subjects/subject.js').Subject} */
export default {
  name: 'better-sqlite3',
  version: versionOf('better-sqlite3'),
  open(data) {
    const database = load(data)
    return {
      ...sqliteOperations(connectionTo(database)),
      nativeBytes: () =>
        database.pragma('page_count', { simple: true }) * database.pragma('page_size', { simple: true }),
      verify: () => {
        const found = database.pragma('integrity_check', { simple: true })
        if (found !== 'ok') throw new Error(found)
      },
      close: () => database.close(),
    }
  },
}

/** A function of its own: what is handed out later must not hold the rows. */
function load({ companies, employees }) {
  const database = new Database(':memory:')
  database.exec(tables)
  const company = database.prepare(insertCompany)
  const employee = database.prepare(insertEmployee)
  database.transaction(() => {
    for (const row of companies) company.run(...companyValues(row))
    for (const row of employees) employee.run(...employeeValues(row))
  })()
  database.exec(indexes)
  database.exec('analyze')
  return database
}

/** @returns {import('../operations/sqlite.js').Connection} */
function connectionTo(database) {
  return {
    prepare(sql) {
      const statement = database.prepare(sql)
      if (!statement.reader) return { change: (...values) => statement.run(...values).changes }
      let first = null
      return {
        row: (...values) => statement.get(...values),
        rows: (...values) => statement.all(...values),
        // Plucking is a setting of the statement: whoever asks for values has a statement of its own.
        values: (...values) => (first ??= database.prepare(sql).pluck()).all(...values),
      }
    },
    firstRow: (sql) => database.prepare(sql).get(),
    compile: (sql) => database.prepare(sql),
    execute: (sql) => database.exec(sql),
    transact: (work) => database.transaction(work)(),
  }
}
