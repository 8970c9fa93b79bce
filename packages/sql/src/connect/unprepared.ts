import type { SqlConnection } from './port.ts'

/**
 * A connection for long transactions that run once, whose statements have no names: a pooler that
 * shares connections would lose them, or have them already, and a migration would make them stale.
 * Within a transaction the pool cannot send such a statement again.
 */
export const unprepared = ({ send }: SqlConnection): SqlConnection => ({
  send: (statements) => send(statements.map((statement) => ({ ...statement, name: '' }))),
})
