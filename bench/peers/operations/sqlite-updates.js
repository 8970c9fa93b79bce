/**
 * Updates of any columns of a row, a statement prepared once for each set of columns.
 * @param {import('./sqlite.js').Connection} connection
 * @param {string} table
 * @param {string} key   column
 * @returns {(key: unknown, patch: Record<string, unknown>) => number}   how many rows were changed
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
