import type { ClassModel } from '@entia/core'
import type { WorkingChange, WorkingCommit, WorkingRow } from '@entia/engine'
import { grouped } from '../grouped.ts'
import { isOneOf, valueRows } from '../schema/bound-values.ts'
import { keyOf } from '../schema/row-codec.ts'
import { RECORD, type SqlModel } from '../schema/sql-model.ts'
import { locksOfOthers } from '../server-state/lock-pieces.ts'
import type { StatePort } from '../server-state/state-port.ts'
import { joined, type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import { foundColumns, IS_FOUND } from './change-sql.ts'

/**
 * How a transaction holds a row. `shared`: no other one writes or locks it. `alone`: no other one
 * shares it either.
 */
export type RowLock = 'none' | 'shared' | 'exclusive'

/** What decides which rows must still be held before the changes are sent. */
export interface HoldOptions {
  readonly model: SqlModel
  readonly state: StatePort
  readonly session: string | null
  readonly commits: readonly WorkingCommit[]
  readonly lockOf: (dataClass: ClassModel, record: number) => RowLock
  /** True if no other transaction can wait for this one. */
  readonly waits: boolean
}

/**
 * The statements that precede those of a commit: they hold the rows that it writes, and refuse
 * (SQLSTATE EN001) if somebody has locked one of the entities since they were read. Rows are not
 * waited for: two transactions that hold some and wait for others would wait for each other until
 * the database ends one. SQLSTATE 55P03 says that somebody else holds one.
 */
export function holdSql({ model, commits, lockOf, ...options }: HoldOptions): readonly Sql[] {
  const statements: Sql[] = []
  const unheld: Sql[] = []
  const noWait = options.waits ? sql`` : sql` NOWAIT`
  for (const [dataClass, list] of unheldRecords(commits, lockOf)) {
    const { name } = model.tables[dataClass.ordinal]!
    statements.push(
      sql`SELECT ${RECORD} FROM ${name} WHERE ${isOneOf(RECORD, 'bigint', list)} ORDER BY ${RECORD} FOR NO KEY UPDATE${noWait}`,
    )
    const free = list.filter((record) => lockOf(dataClass, record) === 'none')
    if (free.length > 0)
      unheld.push(
        sql`(SELECT ${dataClass.name}::text, v.${RECORD} FROM ${valueRows([{ name: RECORD, type: 'bigint', values: free }])})`,
      )
  }
  if (unheld.length > 0) {
    const locks = locksOfOthers(options.state, joined(unheld, sql` UNION ALL `), options.session)
    statements.push(expectRows(model.schema, 0, locks))
  }
  const values = writtenValues(model, commits)
  if (values.length > 0) statements.push(holdValues(model.schema, values))
  return statements
}

/** Records that commits write and that are not held alone, in the order of dataclasses. */
function unheldRecords(
  commits: readonly WorkingCommit[],
  lockOf: HoldOptions['lockOf'],
): readonly (readonly [ClassModel, readonly number[]])[] {
  const unheld: WorkingChange[] = []
  for (const { changes } of commits)
    for (const change of changes) {
      const { dataClass, record } = change
      if (record !== null && lockOf(dataClass, record) !== 'exclusive') unheld.push(change)
    }
  return Array.from(
    grouped(unheld, ({ dataClass }) => dataClass),
    ([dataClass, list]) => [dataClass, [...new Set(list.map(({ record }) => record!))]] as const,
  ).sort(([a], [b]) => a.ordinal - b.ordinal)
}

/** Unique values that commits write, each with the name of its column. */
export function writtenValues(
  model: SqlModel,
  commits: readonly WorkingCommit[],
): readonly string[] {
  const values = new Set<string>()
  for (const { changes } of commits)
    for (const { dataClass, kind, after, changed } of changes) {
      const { name, columns, unique } = model.tables[dataClass.ordinal]!
      if (after === null || unique.length === 0) continue
      for (const { ordinal } of unique) {
        const value = after[ordinal] ?? null
        if (value === null || (kind === 'update' && !changed.includes(ordinal))) continue
        const column = columns[ordinal]!
        const text = typeof value === 'string' ? keyOf(column, value) : String(value)
        values.add(`${name.plain}.${column.name.plain} ${text}`)
      }
    }
  return [...values]
}

const VALUE = new SqlName('value')
/** Unique values share this many advisory locks: a transaction may write thousands of values. */
const VALUE_LOCKS = 64

/**
 * The statements that hold entities as they were read, so that no other transaction changes them,
 * and refuse (SQLSTATE EN001) the transaction if one has another stamp. Rows are not waited for.
 */
export function heldRows(
  { schema, tables }: SqlModel,
  rows: readonly WorkingRow[],
  lock: 'SHARE' | 'NO KEY UPDATE',
): readonly Sql[] {
  const strength = lock === 'SHARE' ? sql`SHARE` : sql`NO KEY UPDATE`
  return Array.from(
    grouped(rows, ({ dataClass }) => dataClass),
    ([{ ordinal }, list]) => {
      const found = foundColumns(
        list,
        list.map(({ stamp }) => stamp),
      )
      const held = sql`SELECT FROM ${tables[ordinal]!.name} AS t, ${valueRows(found)} WHERE ${IS_FOUND} FOR ${strength} OF t NOWAIT`
      return expectRows(schema, list.length, held)
    },
  )
}

/**
 * The statement that refuses (SQLSTATE EN001) a decision without commits if a dataclass that it
 * queried was changed since `seen`: what the gate checks for one with commits.
 */
export function expectUnchanged(
  schema: string,
  queried: ReadonlySet<ClassModel>,
  seen: number,
): Sql {
  const names = [...queried].map(({ name }) => name)
  return sql`SELECT ${expectName(schema)}(count(*), 0::bigint) FROM ${new SqlName(schema, 'entia_class')} AS c WHERE c.class = ANY (${names}::text[]) AND c.changed > ${seen}::bigint`
}

/**
 * Unique values are checked at the end of a transaction. Two transactions with the same value would
 * then wait for each other, so they run one after the other, and the second one finds the value.
 */
const holdValues = (schema: string, values: readonly string[]): Sql =>
  sql`SELECT pg_advisory_xact_lock(${lockSpace(schema)}, v.place) FROM (SELECT DISTINCT hashtext(v.${VALUE}) & ${VALUE_LOCKS - 1}::integer AS place FROM ${valueRows([{ name: VALUE, type: 'text', values }])} ORDER BY place) AS v`

const lockSpace = (schema: string): Sql =>
  sql`${new SqlName(schema, 'entia_store').quoted}::text::regclass::oid::integer`

/** The statement that refuses (SQLSTATE EN001) a transaction unless a query has so many rows. */
export const expectRows = (schema: string, count: number, query: Sql): Sql =>
  sql`SELECT ${expectName(schema)}(count(*), ${count}::bigint) FROM (${query}) AS q`

/** The function that refuses a transaction whose statement changed an unexpected number of rows. */
export const expectName = (schema: string): SqlName => new SqlName(schema, 'entia_expect')

/** Creates `entia_expect(met, expected)`: SQLSTATE EN001 unless both are equal. */
export const expectFunction = (schema: string): string =>
  `CREATE OR REPLACE FUNCTION ${expectName(schema).quoted} (met bigint, expected bigint)
    RETURNS void LANGUAGE plpgsql AS $entia$
  BEGIN
    IF met <> expected THEN
      RAISE EXCEPTION 'another transaction changed the rows' USING ERRCODE = 'EN001';
    END IF;
  END $entia$`
