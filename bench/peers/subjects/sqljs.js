import { createRequire } from 'node:module'
import { fill, sqliteOperations } from '../operations/sqlite.js'
import { versionOf } from '../package-version.js'

const initSqlJs = createRequire(import.meta.url)('sql.js')

/** SQLite compiled to WebAssembly. @type {import('../../subjects/subject.js').Subject} */
export default {
  name: 'sqljs',
  version: versionOf('sql.js'),
  async open(data) {
    const { Database } = await initSqlJs()
    const database = new Database()
    fill(database, data)
    return { ...sqliteOperations(connectionTo(database)), close: () => database.close() }
  },
}

/** @returns {import('../operations/sqlite.js').Connection} */
export function connectionTo(database) {
  return {
    prepare(sql) {
      const statement = database.prepare(sql)
      const each = (values, read) => {
        const found = []
        statement.bind(values)
        while (statement.step()) found.push(read())
        statement.reset()
        return found
      }
      return {
        row: (...values) => {
          statement.bind(values)
          const row = statement.step() ? statement.getAsObject() : undefined
          statement.reset()
          return row
        },
        rows: (...values) => each(values, () => statement.getAsObject()),
        values: (...values) => each(values, () => statement.get()[0]),
        change: (...values) => {
          statement.run(values)
          return database.getRowsModified()
        },
      }
    },
    // Statements live outside the JavaScript heap: free a statement that is used once.
    firstRow(sql) {
      const statement = database.prepare(sql)
      const row = statement.step() ? statement.getAsObject() : undefined
      statement.free()
      return row
    },
    compile: (sql) => database.prepare(sql).free(),
    execute: (sql) => database.exec(sql),
    transact(work) {
      database.exec('begin')
      try {
        work()
        database.exec('commit')
      } catch (error) {
        database.exec('rollback')
        throw error
      }
    },
  }
}
