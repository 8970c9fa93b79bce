import type { Statement } from '../connect/port.ts'
import { sql } from './sql.ts'
import { statementOf } from './statement.ts'

/**
 * Begins a transaction that writes. Each statement must see what was committed before it: a lock is
 * looked at behind the row that the transaction has waited for. The level is stated because a role
 * or database can have another default.
 */
export const BEGIN: Statement = statementOf(sql`BEGIN ISOLATION LEVEL READ COMMITTED`)

/**
 * Begins a transaction that only reads: all its statements see the same moment. See
 * `beginSnapshot`.
 */
export const BEGIN_SNAPSHOT: Statement = statementOf(
  sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`,
)

/**
 * Begins a transaction whose statements see the same moment, also those that write. A row that
 * another transaction has changed since is SQLSTATE 40001. See `beginSnapshot`.
 */
export const BEGIN_MOMENT: Statement = statementOf(sql`BEGIN ISOLATION LEVEL REPEATABLE READ`)

export const COMMIT: Statement = statementOf(sql`COMMIT`)
