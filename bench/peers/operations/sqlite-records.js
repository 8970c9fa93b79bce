import { fieldNames } from '../../mixed/ycsb-data.js'
import { updateStatements } from './sqlite-updates.js'

const columns = ['key', ...fieldNames]
const valuesOf = (record) => columns.map((name) => record[name])

/**
 * The records of YCSB in SQLite. The table has row numbers and a unique index, because records of a
 * kilobyte are too long for a table without row numbers.
 * @param {import('./sqlite.js').Connection} connection   to an empty database in memory
 */
export function sqliteRecords(connection, { records }) {
  connection.execute(
    `create table item (key text primary key, ${fieldNames.map((name) => `${name} text`).join(', ')})`,
  )
  const insert = connection.prepare(
    `insert into item values (${columns.map(() => '?').join(', ')})`,
  )
  connection.transact(() => {
    for (const record of records) insert.change(...valuesOf(record))
  })
  connection.execute('analyze')
  const read = connection.prepare('select * from item where key = ?')
  const scan = connection.prepare('select * from item where key >= ? order by key limit ?')
  const all = connection.prepare('select * from item')
  const update = updateStatements(connection, 'item', 'key')
  return {
    read: ({ key }) => read.row(key),
    update: ({ key, field, value }) => update(key, { [field]: value }),
    insert: ({ record }) => insert.change(...valuesOf(record)),
    scan: ({ key, length }) => scan.rows(key, length),
    modify: ({ key, field, suffix }) => {
      const found = read.row(key)
      update(key, { [field]: found[field].slice(suffix.length) + suffix })
      return found
    },
    all: () => all.rows(),
  }
}
