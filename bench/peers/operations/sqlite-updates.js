/**
 * Updates any columns of a row, with one prepared statement per set of columns.
 * @param {import('./sqlite.js').Connection} connection
 * @param {string} table
 * @param {string} key   column
 * @returns {(key: unknown, patch: Record<string, unknown>) => number}   the number of changed rows
 */
export function updateStatements(connection, table, key) {
  const statements = new Map()
  return (value, patch) => {
    const names = Object.keys(patch)
    const columns = names.join()
    let statement = statements.get(columns)
    if (statement === undefined) {
      const assignments = names.map((name) => `${name} = ?`).join(', ')
      statement = connection.prepare(`update ${table} set ${assignments} where ${key} = ?`)
      statements.set(columns, statement)
    }
    return statement.change(...Object.values(patch), value)
  }
}
