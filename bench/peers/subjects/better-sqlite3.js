import Database from 'better-sqlite3'
import { fill, sqliteOperations } from '../operations/sqlite.js'
import { versionOf } from '../package-version.js'

/**
 * SQLite in memory, through its fastest binding. @type
 * {import('../../subjects/subject.js').Subject}
 */
export default {
  name: 'better-sqlite3',
  version: versionOf('better-sqlite3'),
  open(data) {
    const database = new Database(':memory:')
    fill(database, data)
    return {
      ...sqliteOperations(connectionTo(database)),
      nativeBytes: () =>
        database.pragma('page_count', { simple: true }) *
        database.pragma('page_size', { simple: true }),
      close: () => database.close(),
    }
  },
}

/** @returns {import('../operations/sqlite.js').Connection} */
export function connectionTo(database) {
  return {
    prepare(sql) {
      const statement = database.prepare(sql)
      if (!statement.reader) return { change: (...values) => statement.run(...values).changes }
      let first = null
      return {
        row: (...values) => statement.get(...values),
        rows: (...values) => statement.all(...values),
        // `pluck` changes the statement, so reading values needs a separate statement.
        values: (...values) => (first ??= database.prepare(sql).pluck()).all(...values),
      }
    },
    firstRow: (sql) => database.prepare(sql).get(),
    compile: (sql) => database.prepare(sql),
    execute: (sql) => database.exec(sql),
    transact: (work) => database.transaction(work)(),
  }
}
