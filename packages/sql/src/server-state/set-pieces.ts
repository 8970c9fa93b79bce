import type { SqlRows } from '../connect/port.ts'
import type { SqlTable } from '../schema/sql-model.ts'
import { type Sql, sql } from '../sql-builder/sql.ts'
import type { StatePort } from './state-port.ts'
import { CHUNK_SIZE } from './tables.ts'

type Port = Pick<StatePort, 'tables' | 'time' | 'cacheMilliseconds'>

/** An entity set without its members. */
export interface FoundSet {
  readonly id: string
  readonly dataClass: string
  /** Members, removed ones included. */
  readonly size: number
  readonly sorted: boolean
  /** The id of the session that owns it. */
  readonly owner: string | null
  /**
   * The row filter of the caller who kept the set: callers with the same one see its removed
   * members, because these were visible to them. Null without one.
   */
  readonly rule: string | null
}

/** An id as the database has it. Any text may be asked for; one with U+0000 is not an id. */
export const storedId = (id: string): string => {
  const text = String(id)
  return text.includes('\0') ? '' : text.toUpperCase()
}

/** The condition that `entia_set AS e` has not expired, and neither has its owner. */
export const isAlive = ({ tables, time }: Port): Sql =>
  sql`e.expires > ${time()} AND (e.owner IS NULL OR EXISTS (
    SELECT FROM ${tables.session} s WHERE s.id = e.owner AND s.expires > ${time()}))`

/** The condition that a session, or a caller without one, finds `entia_set AS e`. */
const isVisible = (port: Port, ids: readonly string[], session: string | null): Sql =>
  sql`e.id = ANY(${ids.map(storedId)}::text[]) AND ${isAlive(port)}
    AND (e.owner IS NULL OR e.owner = ${session}::text)`

/**
 * A query for the sets that a session finds: `id, class, size, sorted, owner, rule`. `foundSets`
 * reads its rows.
 */
export const findSets = (port: Port, ids: readonly string[], session: string | null): Sql =>
  sql`SELECT e.id, e.class, e.size, e.sorted, e.owner, e.rule FROM ${port.tables.set} e
    WHERE ${isVisible(port, ids, session)}`

/** The rows of `findSets`, from a column on, by upper-case id. */
export const foundSets = ({ rows }: SqlRows): ReadonlyMap<string, FoundSet> =>
  new Map(rows.map((row) => [row[0] as string, foundSet(row)]))

const foundSet = ([id, dataClass, size, sorted, owner, rule]: readonly unknown[]): FoundSet => ({
  id: id as string,
  dataClass: dataClass as string,
  size: size as number,
  sorted: sorted as boolean,
  owner: owner as string | null,
  rule: rule as string | null,
})

/**
 * A statement that renews the sets that a session finds, for a WITH of the statement that reads
 * them. It writes at most once in `cacheMilliseconds` for each set, and leaves a set alone that
 * another statement is renewing: reads of one set never wait for each other. Sets of other
 * dataclasses than `dataClass` are not renewed.
 */
export const renewSets = (
  port: Port,
  ids: readonly string[],
  session: string | null,
  dataClass: string | null = null,
): Sql => {
  const { tables, time, cacheMilliseconds } = port
  const ofClass = dataClass === null ? sql`` : sql` AND e.class = ${dataClass}`
  return sql`UPDATE ${tables.set} r
    SET expires = ${time()} + r.lifetime * 1000, used = DEFAULT
    WHERE r.id IN (SELECT e.id FROM ${tables.set} e WHERE ${isVisible(port, ids, session)}${ofClass}
      AND e.expires <= ${time()} + e.lifetime * 1000
        - least(${cacheMilliseconds}::double precision, e.lifetime * 500)
      FOR NO KEY UPDATE SKIP LOCKED)`
}

/** Members from a place on. */
export interface Window {
  readonly skip: number
  readonly top: number
}

/**
 * The members of a set as a query with the columns `rec` and `n`: the record number, and a number
 * that gives the order. Removed members are in it: join the table with LEFT JOIN to count them and
 * with JOIN to drop them. A window reads only the chunks that it touches, and its `n` are places.
 *
 * LIMIT drops no member. It tells the planner their number, which it could not know, and keeps it
 * from joining chunk by chunk.
 */
export function membersOf(
  { tables }: Pick<Port, 'tables'>,
  { id, size }: Pick<FoundSet, 'id' | 'size'>,
  window?: Window,
): Members {
  const chunks = sql`SELECT s.chunk, s.recs FROM ${tables.chunk} s WHERE s.id = ${storedId(id)}`
  const places = sql`c.chunk::bigint * ${CHUNK_SIZE}::bigint + u.place - 1`
  return sql`SELECT u.rec, ${places} AS n
    FROM (${chunks}) c, ${tables.members}(c.recs) AS u(rec, place)
    WHERE true${window === undefined ? sql`` : within(window, places)}
    LIMIT ${atLeast(Math.min(size, window?.top ?? size))}`
}

/** The number of a LIMIT that so many rows do not reach. */
const atLeast = (rows: number): Sql => BOUNDS.find(([bound]) => rows <= bound)?.[1] ?? sql`ALL`
/** Few, because each is a statement of its own. */
const BOUNDS: readonly (readonly [bound: number, text: Sql])[] = [
  [2 ** 8, sql`256`],
  [2 ** 10, sql`1024`],
  [2 ** 12, sql`4096`],
  [2 ** 14, sql`16384`],
  [2 ** 16, sql`65536`],
  [2 ** 18, sql`262144`],
  [2 ** 20, sql`1048576`],
  [2 ** 22, sql`4194304`],
  [2 ** 24, sql`16777216`],
]

function within({ skip, top }: Window, places: Sql): Sql {
  const end = Math.min(skip + top, Number.MAX_SAFE_INTEGER)
  const chunkAt = (place: number): number => Math.min(Math.floor(place / CHUNK_SIZE), 0x7fffffff)
  return sql` AND c.chunk BETWEEN ${chunkAt(skip)}::integer AND ${chunkAt(end)}::integer
    AND ${places} >= ${skip}::bigint AND ${places} < ${end}::bigint`
}

/** A query of the members of an entity set, of a combination of sets, or of no set. */
export type Members = Sql

/** The members of the set that is always empty. */
export const noMembers: Members = sql`SELECT NULL::bigint AS rec, NULL::bigint AS n WHERE false`

/** Beyond the place of any member. */
const SECOND_PART = 2 ** 40

/**
 * A combination of members with the columns of `membersOf`: join the table with JOIN to drop the
 * removed ones. AND and EXCEPT keep the order of the first members, OR appends the additional ones
 * of the second, of which there are `size`.
 */
export function combinedMembers(
  first: Members,
  operator: 'AND' | 'OR' | 'EXCEPT',
  second: Members,
  size: number,
): Members {
  switch (operator) {
    case 'AND':
      return sql`SELECT a.rec, a.n FROM (${first}) a JOIN (${second}) b ON b.rec = a.rec
        LIMIT ${atLeast(size)}`
    case 'EXCEPT':
      return without(first, second, 0)
    case 'OR':
      return sql`(${first}) UNION ALL ${without(second, first, SECOND_PART)}`
  }
}

const without = (first: Members, second: Members, place: number): Members =>
  sql`SELECT a.rec, a.n + ${place}::bigint AS n FROM (${first}) a
    WHERE NOT EXISTS (SELECT FROM (${second}) b WHERE b.rec = a.rec)`

/** A query whether two queries of members share an entity that exists. */
export const haveCommonEntity = (table: SqlTable, first: Members, second: Members): Sql =>
  sql`SELECT EXISTS (SELECT FROM (${first}) a
    JOIN ${table.name} t ON t._rec = a.rec JOIN (${second}) b ON b.rec = a.rec)`
