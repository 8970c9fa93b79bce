import type { EntiaError, SessionLimits } from '@entia/core'
import { serverStateError } from '@entia/core/internal'
import type { SqlConnection } from '../connect/port.ts'
import { joined, type Sql, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import type { StatePort } from './state-port.ts'

/** A limit of the number of sessions. Conditions are about `entia_session AS s`. */
interface Bound {
  readonly counted: Sql
  /** Which of them may be ended to make room. */
  readonly victims: Sql
  readonly limit: number
  readonly option: string
}

type Port = Pick<StatePort, 'tables' | 'time'>

/**
 * The limits that a new session must meet, in the order in which the store in memory checks them. A
 * guest pushes out guests only, those of its own address first.
 */
export function boundsOf(
  limits: Required<SessionLimits>,
  isForUser: boolean,
  address: string,
): readonly Bound[] {
  const guests = sql`s."user" IS NULL`
  const everyone = sql`true`
  const bound = (victims: Sql, name: keyof SessionLimits, counted = victims): Bound => {
    const option = `sessions.${name}`
    return { counted, victims, limit: limits[name], option }
  }
  const all = bound(isForUser ? everyone : guests, 'max', everyone)
  if (isForUser) return [all]
  const ofGuests = bound(guests, 'maxGuests')
  if (address === '') return [ofGuests, all]
  const neighbours = sql`s."user" IS NULL AND s.address = ${address}`
  return [bound(neighbours, 'maxPerAddress'), ofGuests, all]
}

/** True where there is room for one more session. Cost: O(sessions that are counted). */
export const hasRoom = ({ tables, time }: Port, bounds: readonly Bound[]): Sql =>
  joined(
    bounds.map(
      ({ counted, limit }) => sql`(SELECT count(*) FROM ${tables.session} s
        WHERE s.expires > ${time()} AND ${counted}) < ${limit}::bigint`,
    ),
    sql` AND `,
  )

/**
 * Ends the least recently used sessions that are too many. Sessions with locks stay, and those that
 * a transaction holds: both are in use. Throws `tooManySessions` if that is not enough.
 *
 * Calls side by side may pass a limit together, each with one session. The next call ends those,
 * too.
 */
export async function makeRoom(
  { tables, time }: Port,
  connection: SqlConnection,
  bounds: readonly Bound[],
): Promise<void> {
  for (const bound of bounds) {
    const { counted, victims, limit } = bound
    const now = time()
    const [found] = await connection.send([
      statementOf(sql`SELECT count(*), min(s.expires - ${now}) FROM ${tables.session} s
        WHERE s.expires > ${now} AND ${counted}`),
    ])
    const [count, first] = found!.rows[0] as [number, number | null]
    const excess = count - limit + 1
    if (excess <= 0) continue
    const [ended] = await connection.send([
      statementOf(sql`DELETE FROM ${tables.session} WHERE id IN (
        SELECT s.id FROM ${tables.session} s
        WHERE s.expires > ${now} AND ${victims}
          AND NOT EXISTS (SELECT FROM ${tables.lock} l WHERE l.session = s.id)
        ORDER BY s."user" IS NOT NULL, s.used
        LIMIT ${excess}::bigint FOR UPDATE SKIP LOCKED)`),
    ])
    if (ended!.count < excess) throw full(bound, first ?? 0)
  }
}

const full = ({ limit, option }: Bound, firstEnd: number): EntiaError =>
  serverStateError('tooManySessions', {
    limit,
    option,
    retryAfterSeconds: Math.ceil(firstEnd / 1000),
  })
