import { sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import type { SqlConnection, SqlPool, Statement } from './port.ts'

const WITHOUT_LIMIT: Statement = statementOf(sql`SET LOCAL statement_timeout = 0`)

/**
 * Keeps a connection for one long transaction, which `body` begins with its first statement. Its
 * statements may take any time, by the limits of the driver and of the database. They have no
 * names: a pooler that shares connections would lose them, or have them already, and a migration
 * would make them stale. Within a transaction the pool cannot send such a statement again.
 */
export function connectLong<R>(
  pool: SqlPool,
  body: (connection: SqlConnection) => Promise<R>,
): Promise<R> {
  return pool.connect((leased) => {
    leased.liftLimit?.()
    let isOpen = false
    const send: SqlConnection['send'] = async (statements) => {
      const unnamed = (all: readonly Statement[]): readonly Statement[] =>
        all.map((statement) => ({ ...statement, name: '' }))
      if (isOpen) return leased.send(unnamed(statements))
      isOpen = true
      const [begin, ...rest] = statements
      // Before anything that may wait for a migration.
      const [begun, , ...results] = await leased.send(unnamed([begin!, WITHOUT_LIMIT, ...rest]))
      return [begun!, ...results]
    }
    return body({ send })
  })
}
