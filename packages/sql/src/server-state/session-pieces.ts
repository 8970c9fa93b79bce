import type { SessionInfo } from '@entia/core'
import { sessionRefused, userOf } from '@entia/core/internal'
import type { SqlRows } from '../connect/port.ts'
import { type Sql, sql } from '../sql-builder/sql.ts'
import type { StatePort } from './state-port.ts'

type Port = Pick<StatePort, 'tables' | 'time'>

/** The columns that `sessionInfo` reads, of the table `entia_session AS s`. */
export const sessionColumns = ({ time }: Pick<Port, 'time'>): Sql =>
  sql`s.id, s."user", s.lifetime, s.expires, s.host, s.address, s.agent, s.expires - ${time()}`

/** A session as a statement found it. */
export interface SessionRow {
  readonly info: SessionInfo
  /** Milliseconds until it expires. */
  readonly left: number
}

/** Reads `sessionColumns` from the given place on. Null where an outer join found no session. */
export function sessionRow(row: readonly unknown[] = [null], from = 0): SessionRow | null {
  const [id, user, lifetimeSeconds, expires, host, ipAddress, userAgent, left] = row.slice(from)
  if (id === null) return null
  const info: SessionInfo = Object.freeze({
    id: id as string,
    user: user === null ? null : userOf(JSON.parse(user as string)),
    lifetimeSeconds: lifetimeSeconds as number,
    expires: Math.round(expires as number),
    host: host as string,
    ipAddress: ipAddress as string,
    userAgent: userAgent as string,
  })
  return { info, left: left as number }
}

/**
 * A statement for a transaction that writes as a session. While it holds the row, the session
 * cannot end: a logout waits for the transaction, and later writes find no session.
 */
export const holdSession = (port: Port, id: string): Sql =>
  sql`SELECT ${sessionColumns(port)} FROM ${port.tables.session} s
    WHERE s.id = ${id} AND s.expires > ${port.time()} FOR KEY SHARE`

/** The rows of `holdSession`. Throws `argumentInvalid` if the session has ended. */
export function heldSession({ rows }: SqlRows): SessionInfo {
  const found = sessionRow(rows[0])
  if (found === null) throw sessionRefused('one that has ended')
  return found.info
}
