import type { SqlConnection } from '../connect/port.ts'
import { type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { hasStore, holdStore } from './entia-tables.ts'
import { WORDS_SUFFIX } from './names.ts'

/** What a schema of the database has. Names are not quoted. */
export interface DatabaseState {
  /** Null in a schema without a store. */
  readonly store: StoreRow | null
  readonly tables: ReadonlyMap<string, TableState>
  /** Dataclass to table, of every dataclass that a migration made. */
  readonly classes: ReadonlyMap<string, string>
  /** The tables of dataclasses that another program made. */
  readonly existing: ReadonlySet<string>
}
export interface StoreRow {
  readonly name: string
  readonly unicode: string
  /** True where an earlier release gave global stamps with gaps. */
  readonly isRising: boolean
}
export interface TableState {
  /** True if row level security applies to the role, which may then not see every row. */
  readonly isFiltered: boolean
  readonly columns: ReadonlyMap<string, ColumnState>
  /** Without those that belong to a constraint. */
  readonly indexes: ReadonlyMap<string, KeyState>
  readonly constraints: ReadonlyMap<string, KeyState>
}
export interface ColumnState {
  readonly type: string
  readonly isNotNull: boolean
  /** Null for types without one. */
  readonly collation: string | null
  readonly hasDefault: boolean
  /** What Entia keeps in it (`ColumnKind`). Null in columns that no migration has noted. */
  readonly kind: string | null
}
/** An index or a constraint. */
export interface KeyState {
  readonly columns: readonly string[]
  /** True for a unique index. */
  readonly isUnique: boolean
  /** The table that a foreign key refers to, and the column; null for all others. */
  readonly target: string | null
  readonly targetColumn: string | null
}
export const NO_TARGET: Pick<KeyState, 'target' | 'targetColumn'> = {
  target: null,
  targetColumn: null,
}

/** The tables of the server state that name dataclasses; none in a schema without them. */
export const stateByClass = ({ tables }: DatabaseState): readonly string[] =>
  ['entia_lock', 'entia_set'].filter((name) => tables.has(name))

/**
 * Reads PostgreSQL's catalog, within a transaction: two round trips. It holds the store, so that no
 * migration commits between its statements.
 */
export async function readDatabase(
  { send }: SqlConnection,
  schema: string,
): Promise<DatabaseState> {
  const [found] = await send([hasStore(schema)])
  const isMade = found!.rows[0]![0] === true
  const catalog = statementOf(tablesIn(schema))
  const [read, stores, classes] = isMade
    ? (await send([holdStore(schema), catalog, ...storeRows(schema).map(statementOf)])).slice(1)
    : await send([catalog])
  const [store] = stores?.rows ?? []
  const named = classes?.rows ?? []
  const kinds = new Map(
    named.map(([, table, , kinds]) => [
      table,
      new Map(Object.entries(parsed<{ [column: string]: string }>(kinds, {}))),
    ]),
  )
  const tables = read!.rows.map(([name, isFiltered, columns, indexes, constraints]) => {
    const kindOf = (column: string): string | null => kinds.get(name)?.get(column) ?? null
    const state: TableState = {
      isFiltered: isFiltered === true,
      columns: new Map(
        parsed<Named<ColumnState>>(columns, []).map(([column, each]) => [
          column,
          { ...each, kind: kindOf(column) },
        ]),
      ),
      indexes: new Map(parsed<Named<KeyState>>(indexes, [])),
      constraints: new Map(parsed<Named<KeyState>>(constraints, [])),
    }
    return [String(name), state] as const
  })
  return {
    store:
      store === undefined
        ? null
        : { name: String(store[0]), unicode: String(store[1]), isRising: store[2] === 'rising' },
    tables: new Map(tables),
    classes: new Map(named.map(([name, table]) => [String(name), String(table)])),
    existing: new Set(named.filter(([, , is]) => is === 'true').map(([, table]) => String(table))),
  }
}

const storeRows = (schema: string): readonly Sql[] => [
  sql`SELECT name, unicode, mode FROM ${new SqlName(schema, 'entia_store')}`,
  sql`SELECT class, name_of_table, to_jsonb(c) ->> 'existing', to_jsonb(c) ->> 'kinds' FROM ${new SqlName(schema, 'entia_class')} AS c`,
]

type Named<T> = readonly (readonly [name: string, state: T])[]

const parsed = <T>(json: unknown, none: T): T =>
  json === null ? none : (JSON.parse(String(json)) as T)

/**
 * The tables of a schema: name, `isFiltered`, and its columns, indexes and constraints as JSON.
 * Types are without the quotes that the setting `quote_all_identifiers` adds. Indexes of words have
 * the columns that their expression reads; others with expressions are the operator's.
 */
const tablesIn = (schema: string): Sql => sql`
  SELECT t.relname::text, t.relkind IN ('r', 'p') AND row_security_active(t.oid),
    l.columns, i.indexes, c.constraints
  FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = ${schema}::text
  LEFT JOIN LATERAL (SELECT json_agg(json_build_array(a.attname, json_build_object(
      'type', replace(format_type(a.atttypid, a.atttypmod), '"', ''), 'isNotNull', a.attnotnull,
      'collation', (SELECT l.collname FROM pg_collation l WHERE l.oid = a.attcollation),
      'hasDefault', a.atthasdef OR a.attidentity <> '')) ORDER BY a.attnum) AS columns
    FROM pg_attribute a WHERE t.relkind IN ('r', 'p') AND a.attrelid = t.oid AND a.attnum > 0
      AND NOT a.attisdropped) l ON true
  LEFT JOIN LATERAL (SELECT json_agg(json_build_array(i.relname, json_build_object(
      'columns', CASE WHEN x.indexprs IS NULL THEN (SELECT json_agg(a.attname ORDER BY k.ord)
        FROM unnest(x.indkey::smallint[]) WITH ORDINALITY AS k (num, ord)
        JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.num)
      ELSE (SELECT json_agg(a.attname ORDER BY a.attnum)
        FROM pg_depend d JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
        WHERE d.classid = 'pg_class'::regclass AND d.objid = i.oid AND d.refobjid = t.oid
          AND d.refobjsubid > 0) END,
      'isUnique', x.indisunique, 'target', null, 'targetColumn', null)) ORDER BY i.oid) AS indexes
    FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
    WHERE x.indrelid = t.oid AND x.indisvalid AND NOT EXISTS
      (SELECT FROM pg_constraint c WHERE c.conindid = i.oid AND c.contype IN ('p', 'u', 'x'))
      AND (x.indexprs IS NULL OR right(i.relname, ${WORDS_SUFFIX.length}::integer) = ${WORDS_SUFFIX})
    ) i ON true
  LEFT JOIN LATERAL (SELECT json_agg(json_build_array(c.conname, json_build_object(
      'columns', coalesce((SELECT json_agg(a.attname ORDER BY k.ord)
        FROM unnest(c.conkey) WITH ORDINALITY AS k (num, ord)
        JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.num), '[]'),
      'isUnique', false,
      'target', (SELECT r.relname FROM pg_class r WHERE r.oid = c.confrelid),
      'targetColumn', (SELECT a.attname FROM pg_attribute a
        WHERE a.attrelid = c.confrelid AND a.attnum = c.confkey[1]))) ORDER BY c.oid) AS constraints
    FROM pg_constraint c WHERE c.conrelid = t.oid AND c.contype IN ('u', 'f', 'c')) c ON true
  WHERE coalesce(l.columns, i.indexes, c.constraints) IS NOT NULL ORDER BY l.columns IS NULL, t.relname`
